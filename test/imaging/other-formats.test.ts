import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nameOtherFormat } from '../../src/imaging/other-formats.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, ...Buffer.from('JFIF\0'), 1, 1]);
const PNG = Buffer.from([0x89, ...Buffer.from('PNG\r\n'), 0x1a, 0x0a, 0, 0, 0, 13]);
const box = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0`, 'latin1');

test.each([
  ['HEIC', box('heic')],
  ['HEIC', box('mif1')],
  ['AVIF', box('avif')],
  ['a video', box('isom')],
  ['GIF', Buffer.from('GIF89a..')],
  ['BMP', Buffer.from('BM\x10\0\x01\0\0\0\0\0', 'latin1')],
  ['TIFF, or the raw file of a camera', Buffer.from('II*\0\x08')],
  ['JPEG XL', Buffer.from('\xff\x0a\0', 'latin1')],
  ['PDF', Buffer.from('%PDF-1.7')],
  ['a ZIP archive', Buffer.from('PK\x03\x04')],
  ['compressed by gzip', Buffer.from('\x1f\x8b\x08', 'latin1')],
  ['SVG', Buffer.from('<?xml version="1.0"?>\n<svg xmlns="x">')],
  ['an HTML or XML page', Buffer.from('\n<!DOCTYPE html><html>')],
  ['a data URL as text', Buffer.from(' data:image/jpeg;base64,/9j/')],
  ['base64 text', Buffer.from(JPEG.toString('base64'))],
  ['base64 text', Buffer.from(PNG.toString('base64'))],
  ['an image that was read as text and is destroyed', Buffer.from(JPEG.toString('utf8'))],
  ['an image that was read as text and is destroyed', Buffer.from(PNG.toString('utf8'))],
  ['an image that was read as text and is destroyed', Buffer.from(JPEG.toString('latin1'))],
  ['an image that was read as text and is destroyed', Buffer.from(PNG.toString('latin1'))],
  ['a web address', Buffer.from('https://example.com/a.jpg')],
  ['JSON', Buffer.from('{"image": 1}')],
  ['text', Buffer.from('@photo.jpg')],
])('%s is named', (what, file) => {
  expect(nameOtherFormat(file)).toEqual({ what, advice: expect.stringMatching(/\w/) });
  expect(readFileSync('docs/errors.md', 'utf8')).toContain(what);
});

test.each([
  ['an accepted format', JPEG],
  ['nothing', Buffer.alloc(0)],
  ['noise', Buffer.from([200, 1, 2, 3])],
])('%s is not', (_, file) => {
  expect(nameOtherFormat(file)).toBeUndefined();
});
