import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { save } from '../../src/cli/terminal/save.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'selvage-save-'));
});
afterEach(() => rm(folder, { recursive: true }));

const never = { force: false };

test('a file has its name only when it is whole', async () => {
  const path = join(folder, 'a.png');
  await save(path, { folder, ...never }, async (unfinished) => {
    await writeFile(unfinished, 'half');
    expect(await readdir(folder)).not.toContain('a.png');
    await writeFile(unfinished, 'whole');
  });
  expect(await readdir(folder)).toEqual(['a.png']);
  expect(await readFile(path, 'utf8')).toBe('whole');
});

test('what fails or is interrupted half-way leaves nothing', async () => {
  const failing = save(join(folder, 'a.png'), { folder, ...never }, async (unfinished) => {
    await writeFile(unfinished, 'half');
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await readdir(folder)).toEqual([]);
});

test('a file that comes meanwhile is not replaced, unless told', async () => {
  const path = join(folder, 'a.png');
  const make = async (unfinished: string) => {
    await writeFile(unfinished, 'mine');
    await writeFile(path, 'theirs');
  };
  await expect(save(path, { folder, ...never }, make)).rejects.toThrow(/exists already/);
  expect(await readdir(folder)).toEqual(['a.png']);
  expect(await readFile(path, 'utf8')).toBe('theirs');
  await save(path, { folder, force: true }, make);
  expect(await readFile(path, 'utf8')).toBe('mine');
});

test('nothing is written outside the folder', async () => {
  const inner = join(folder, 'inner');
  const outside = save(join(inner, '..', 'a.png'), { folder: inner, ...never }, async () => {});
  await expect(outside).rejects.toThrow(/is outside/);
  expect(await readdir(folder)).toEqual(['inner']);
});
