import { copyFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasOutput, photosUnder, planPhotos } from '../../src/cli/images/photos.ts';
import { CliError } from '../../src/cli/terminal/exit.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, ...Buffer.from('JFIF\0')]);
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1');
const AVIF = Buffer.from('\0\0\0\x18ftypavif\0\0\0\0', 'latin1');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'photos-'));
});
afterEach(() => rm(folder, { recursive: true }));
const write = (name: string, bytes: Uint8Array | string) => writeFile(join(folder, name), bytes);

test('photos of a folder are found by their first bytes, and other pictures are named', async () => {
  await mkdir(join(folder, 'sub'));
  for (const name of ['a.jpg', 'export.jfif', 'misnamed.heic', 'pic.jpe', 'no-name', 'sub/b.JPEG'])
    await write(name, JPEG);
  await write('IMG_2.HEIC', HEIC);
  await write('shop.avif', AVIF);
  await write('empty.png', '');
  await write('page.jpg', '<!doctype html><title>Not found</title>');
  await write('notes.txt', 'hello');
  await write('.hidden.jpg', JPEG);
  const { photos, leftOut } = await planPhotos([folder], join(folder, 'out'), 'png');
  const named = (path: string) => path.slice(folder.length + 1);
  expect(photos.map(({ input, output }) => [named(input), named(output)])).toEqual([
    ['a.jpg', 'out/a.png'],
    ['export.jfif', 'out/export.png'],
    ['misnamed.heic', 'out/misnamed.png'],
    ['no-name', 'out/no-name.png'],
    ['pic.jpe', 'out/pic.png'],
    ['sub/b.JPEG', 'out/sub/b.png'],
  ]);
  expect(leftOut.map(({ path, what }) => [named(path), what])).toEqual([
    ['IMG_2.HEIC', 'HEIC'],
    ['empty.png', 'empty'],
    ['page.jpg', 'an HTML or XML page'],
    ['shop.avif', 'AVIF'],
  ]);
  expect(await photosUnder(folder)).toHaveLength(10);
});

test('a folder without photos is an error that names its pictures', async () => {
  await write('a.heic', HEIC);
  const error = await planPhotos([folder], 'out', 'png').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(CliError);
  expect(error.message).toMatch(/no JPEG, PNG or WebP in .*\n.*a\.heic: HEIC$/);
});

describe('a photo', () => {
  const output = () => join(folder, 'a.png');
  const photo = () => ({ input: join(folder, 'a.jpg'), output: output() });
  const AN_HOUR_AGO = new Date(Date.now() - 3_600_000);
  beforeEach(() => write('a.jpg', JPEG));

  test('has its output if that is complete and not older', async () => {
    expect(await hasOutput(photo())).toBe(false);
    await copyFile(join(folder, 'a.jpg'), output());
    expect(await hasOutput(photo())).toBe(true);
    expect(await hasOutput({ ...photo(), conflict: 'b.jpg' })).toBe(false);
    await utimes(output(), AN_HOUR_AGO, AN_HOUR_AGO);
    expect(await hasOutput(photo())).toBe(false);
    await write('a.png', 'mine');
    expect(await hasOutput(photo())).toBe(false);
  });
});
