import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import {
  photosUnder,
  planPhotos,
  readPicture,
  withReadableFile,
} from '../../src/cli/images/photos.ts';
import { CliError } from '../../src/cli/terminal/output.ts';
import { testFolder } from '../support/use-folder.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, ...Buffer.from('JFIF\0')]);
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1');
const AVIF = Buffer.from('\0\0\0\x18ftypavif\0\0\0\0', 'latin1');

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
});
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
    ['shop.avif', 'out/shop.png'],
    ['sub/b.JPEG', 'out/sub/b.png'],
  ]);
  expect(leftOut.map(({ path, what }) => [named(path), what])).toEqual([
    ['IMG_2.HEIC', expect.stringMatching(/^HEIC, .*export it as JPEG$/)],
    ['empty.png', 'empty'],
    ['page.jpg', 'an HTML or XML page'],
  ]);
  expect(await photosUnder(folder)).toHaveLength(10);
});

test('a folder without photos is an error that names its pictures', async () => {
  await write('a.heic', HEIC);
  const error = await planPhotos([folder], 'out', 'png').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(CliError);
  expect(error.message).toMatch(/no JPEG, PNG or WebP in .*\n.*a\.heic: HEIC, /);
});

test('AVIF is converted without loss and upright; others are read as they are', async () => {
  const raw = { width: 3, height: 2, channels: 3 } as const;
  const pixels = Buffer.from([...Array(18).keys()].map((i) => 14 * i));
  const image = sharp(pixels, { raw }).avif({ lossless: true, chromaSubsampling: '4:4:4' });
  await write('photo.jpg', await image.withMetadata({ orientation: 6 }).toBuffer());
  await write('a.jpg', JPEG);
  const path = join(folder, 'photo.jpg');
  const upright = await sharp(path).autoOrient().raw().toBuffer();
  const converted = sharp(await readPicture(path));
  expect(await converted.metadata()).toMatchObject({ format: 'webp', width: 2, height: 3 });
  expect(await converted.raw().toBuffer()).toEqual(upright);
  expect(await readPicture(join(folder, 'a.jpg'))).toEqual(JPEG);
  const temporary = join(folder, 'temporary');
  const format = await withReadableFile(path, temporary, async (file) => {
    expect(file).toBe(temporary);
    return (await sharp(file).metadata()).format;
  });
  expect(format).toBe('webp');
  await expect(sharp(temporary).metadata()).rejects.toThrow('missing');
});
