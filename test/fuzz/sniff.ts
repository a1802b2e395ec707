import { equal, ok } from 'node:assert/strict';
import { SNIFF_BYTES, sniffFormat } from '../../src/imaging/image-header.ts';
import { validateImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import { bytesOf, type Input, orRejection } from './target.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

// biome-ignore format: a list reads best in lines
export const dictionary = [
  '\x89PNG\r\n\x1a\n', 'IHDR', 'RIFF', 'WEBP', 'VP8 ', 'VP8L', 'VP8X', '\xff\xd8\xff',
  '\xff\xc0', '\xff\xe1', 'Exif\0\0', 'II*\0', 'MM\0*', '\xff\xda', 'CgBI',
];

export const seeds: readonly Input[] = [
  bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x02\0\x08\x06\0\0\0'),
  bytes('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x0b\x08\0\x10\0\x20\x03'),
  bytes(
    '\xff\xd8\xff\xe1\0\x1eExif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\xff\xc2\0\x0b\x08\0\x10\0\x20\x03',
  ),
  bytes('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9d\x01\x2a\x10\0\x20\0\0\0\0\0'),
  bytes('RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2f\x0f\xc0\x07\0\0\0\0\0'),
  bytes('RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0'),
  bytes('RIFF\x24\0\0\0WAVEfmt '),
  'GIF89a',
  '',
];

export const regressions: readonly Input[] = ['\x89PNG\r\n\xc9\n\xff\0\x1b\xff'].map(bytes);

const STARTS: Readonly<Record<string, (start: string) => boolean>> = {
  jpeg: (start) => start.startsWith('\xff\xd8\xff'),
  png: (start) => start.startsWith('\x89PNG\r\n\x1a\n'),
  webp: (start) => start.startsWith('RIFF') && start.slice(8) === 'WEBP',
};

const limits = { maxPixels: 50_000_000, maxSidePixels: 16_384 };
const REJECTIONS: readonly string[] = [
  'unsupported-media-type',
  'payload-too-large',
  'invalid-request',
];

/** The first bytes alone decide the format, and the header has a size within limits or is rejected. */
export function fuzz(input: Buffer): void {
  const format = sniffFormat(input);
  const start = input.toString('latin1', 0, SNIFF_BYTES);
  equal(
    format,
    Object.keys(STARTS).find((name) => STARTS[name]?.(start)),
  );
  equal(sniffFormat(input.subarray(0, SNIFF_BYTES)), format);
  if (input.length >= SNIFF_BYTES || format) {
    equal(sniffFormat(Buffer.concat([input, bytesOf('more')])), format);
  }
  const image = orRejection(() => validateImage(input, limits), Problem);
  if (image instanceof Problem) {
    ok(REJECTIONS.includes(image.type), image.type);
    equal(image.type === 'unsupported-media-type', format === undefined);
    return;
  }
  equal(image.format, format);
  for (const side of [image.width, image.height]) {
    ok(Number.isInteger(side) && side > 0 && side <= limits.maxSidePixels, `${side} pixels`);
  }
}
