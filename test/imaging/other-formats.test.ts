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
  ['AVIF', Buffer.from('\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf', 'latin1')],
  ['a video', box('isom')],
  ['a video', Buffer.from('1a45dfa3', 'hex')],
  ['TIFF, or the raw file of a camera', box('crx ')],
  ['TIFF, or the raw file of a camera', Buffer.from('FUJIFILMCCD-RAW 0201')],
  ['TIFF, or the raw file of a camera', Buffer.from('II+\0\x08\0')],
  ['an icon', Buffer.from('000001000100', 'hex')],
  ['EPS', Buffer.from('%!PS-Adobe-3.0 EPSF-3.0')],
  ['JPEG 2000', Buffer.from('ff4fff510029', 'hex')],
  ['a format of few programs', Buffer.from('P6\n1 1\n255\n')],
  ['a RAR or 7z archive', Buffer.from('Rar!\x1a\x07')],
  ['SVG', Buffer.from('<?xml version="1.0"?>\n<!-- Generator: x -->\n<svg xmlns="x">')],
  ['SVG', Buffer.from('\ufeff<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y"><svg>')],
  ['what macOS notes of a file', Buffer.from('\0\x05\x16\x07\0\x02\0\0Mac OS X        ', 'latin1')],
  ['an image whose line ends were changed', Buffer.from('\x89PNG\n\x1a\n\0\0\0\rIHDR', 'latin1')],
  ['an image whose line ends were changed', Buffer.from('\x89PNG\r\r\n\x1a\r\n\0\0', 'latin1')],
  ['an image with something in front of it', Buffer.concat([Buffer.from('\r\n'), JPEG])],
  [
    'an image with something in front of it',
    Buffer.concat([Buffer.from('<br />\n<b>Warning</b>: x'), PNG]),
  ],
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
