import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../src/platform/config.ts';
import { findSecrets, readSecrets } from '../../src/platform/secrets.ts';
import { isMissing } from '../support/requirement.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { testFolder } from '../support/use-folder.ts';

async function makeHome(): Promise<string> {
  const parent = await testFolder();
  return join(parent, 'home');
}

const write = async (home: string, text: string) => {
  await mkdir(home);
  await writeFile(join(home, 'secrets.json'), text);
};

test('secrets are created once, for this user alone', async () => {
  const home = await makeHome();
  expect(findSecrets(home)).toBeUndefined();
  const secrets = readSecrets(home);
  expect(secrets.keyPepper).toMatch(/^[\w-]{43}$/);
  expect(readSecrets(home)).toEqual(secrets);
  expect(await readdir(home)).toEqual(['secrets.json']);
  expect((await stat(join(home, 'secrets.json'))).mode & 0o777).toBe(0o600);
});

test('an empty file has none: new ones take its place', async () => {
  const home = await makeHome();
  await write(home, '');
  const secrets = readSecrets(home);
  expect(JSON.parse(await readFile(join(home, 'secrets.json'), 'utf8'))).toEqual(secrets);
  expect(readSecrets(home)).toEqual(secrets);
});

const TEXTS = ['{"keyPepper": "01234567', '{"keyPepper": "0123456789abcdef"}', 'secret'];
test.each(TEXTS)('a damaged file is named and stays: %s', async (text) => {
  const home = await makeHome();
  await write(home, text);
  expect(() => readSecrets(home)).toThrow(ConfigError);
  expect(() => readSecrets(home)).toThrow(`${join(home, 'secrets.json')} is damaged`);
  expect(await readFile(join(home, 'secrets.json'), 'utf8')).toBe(text);
});

test('a file that cannot be read is not called damaged', async () => {
  const home = await makeHome();
  await mkdir(join(home, 'secrets.json'), { recursive: true });
  expect(() => readSecrets(home)).toThrow('EISDIR: illegal operation on a directory');
});

test('a full disk leaves no file, and once there is room they are created', async ({ skip }) => {
  const disk = mountSmallDisk(2 ** 20);
  if (isMissing('mount', disk !== undefined, 'this process may not mount a disk') || !disk)
    return skip();
  onTestFinished(() => disk.remove());
  const home = join(disk.path, 'home');
  await mkdir(home);
  await disk.fill();
  expect(() => readSecrets(home)).toThrow(/secrets\.json: ENOSPC: no space left on device/);
  expect(await readdir(home)).toEqual([]);
  await disk.free();
  const secrets = readSecrets(home);
  expect(readSecrets(home)).toEqual(secrets);
});
