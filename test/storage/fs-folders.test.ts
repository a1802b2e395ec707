import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linkFile } from '../../src/storage/fs-folders.ts';

const folderIn = async (place: string): Promise<string> => {
  const folder = await mkdtemp(join(place, 'selvage-link-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test('a file is copied where the other device can have no second name of it', async ({ skip }) => {
  const near = await folderIn(tmpdir());
  const far = await folderIn('/dev/shm').catch(() => near);
  if ((await stat(near)).dev === (await stat(far)).dev) skip('one device only');
  const bytes = Buffer.alloc(100_000, 7);
  await writeFile(join(far, 'from'), bytes);
  await linkFile(join(far, 'from'), join(near, 'to'));
  expect((await readFile(join(near, 'to'))).equals(bytes)).toBe(true);
  await expect(linkFile(join(far, 'from'), join(near, 'to'))).rejects.toThrow('EEXIST');
  await expect(linkFile(join(far, 'none'), join(near, 'other'))).rejects.toThrow('ENOENT');
});

test('a file gets a second name on its own device', async () => {
  const folder = await folderIn(tmpdir());
  await writeFile(join(folder, 'from'), 'x');
  await linkFile(join(folder, 'from'), join(folder, 'to'));
  expect((await stat(join(folder, 'to'))).nlink).toBe(2);
});
