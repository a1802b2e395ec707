import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { save } from '../../src/cli/terminal/files.ts';
import { testFolder } from '../support/use-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
});

const noForce = { force: false };

test('a file gets its name only when it is complete', async () => {
  const path = join(folder, 'a.png');
  await save(path, { folder, ...noForce }, async (temporary) => {
    await writeFile(temporary, 'half');
    expect(await readdir(folder)).not.toContain('a.png');
    await writeFile(temporary, 'complete');
  });
  expect(await readdir(folder)).toEqual(['a.png']);
  expect(await readFile(path, 'utf8')).toBe('complete');
});

test('a failed write leaves nothing', async () => {
  const failing = save(join(folder, 'a.png'), { folder, ...noForce }, async (temporary) => {
    await writeFile(temporary, 'half');
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await readdir(folder)).toEqual([]);
});

test('a file that appears meanwhile is replaced only with force', async () => {
  const path = join(folder, 'a.png');
  const write = async (temporary: string) => {
    await writeFile(temporary, 'mine');
    await writeFile(path, 'theirs');
  };
  await expect(save(path, { folder, ...noForce }, write)).rejects.toThrow(/exists already/);
  expect(await readdir(folder)).toEqual(['a.png']);
  expect(await readFile(path, 'utf8')).toBe('theirs');
  await save(path, { folder, force: true }, write);
  expect(await readFile(path, 'utf8')).toBe('mine');
});

test('nothing is written outside the folder', async () => {
  const inner = join(folder, 'inner');
  const outside = save(join(inner, '..', 'a.png'), { folder: inner, ...noForce }, async () => {});
  await expect(outside).rejects.toThrow(/is outside/);
  expect(await readdir(folder)).toEqual(['inner']);
});
