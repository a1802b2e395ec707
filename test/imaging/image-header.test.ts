import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readImageSize, SNIFF_BYTES, sniffFormat } from '../../src/imaging/image-header.ts';
import { createRandom } from '../faults/random.ts';
import { damageImage, drawValidImages } from '../hostile/malicious-images.ts';

const MEBIBYTE = 1024 * 1024;

const sizeOf = (bytes: Uint8Array) => {
  const format = sniffFormat(bytes);
  return format && readImageSize(bytes, format);
};

const bytes = (hex: string, ...rest: Uint8Array[]) =>
  Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), ...rest]);

const FRAME = 'ffc0 0011 08 0020 0040 03 012200 021101 031101';
const PNG = '89504e470d0a1a0a';

describe('the size of a valid image is that which its decoder finds', async () => {
  const valid = await drawValidImages();
  test.each(valid)('$what', async ({ bytes: image }) => {
    const { width, height, pageHeight } = await sharp(image).metadata();
    expect(sizeOf(image)).toEqual({ width, height: pageHeight ?? height });
  });
});

// biome-ignore format: a table reads best aligned
test.each([
  { what: 'a JPEG whose frame is first',       hex: `ffd8 ${FRAME}`,                             size: [64, 32] },
  { what: 'a JPEG with fill bytes',            hex: `ffd8 ffffff ${FRAME}`,                      size: [64, 32] },
  { what: 'a JPEG of 16 arithmetic bits',      hex: `ffd8 ${FRAME.replace('ffc0', 'ffca')}`,     size: [64, 32] },
  { what: 'tables and comments before',        hex: `ffd8 ffdb0003aa ffc40002 fffe0002 ${FRAME}`, size: [64, 32] },
  { what: 'bytes between two segments',        hex: `ffd8 ffe00002 00414200 ${FRAME}`,        size: [64, 32] },
  { what: 'a restart mark before the frame',   hex: `ffd8 ffd0 ${FRAME}`,                    size: [64, 32] },
  { what: 'a segment of no length',            hex: `ffd8 ffe00000 ${FRAME}` },
  { what: 'a scan before the frame',           hex: `ffd8 ffda0002 ${FRAME}` },
  { what: 'the end before the frame',          hex: `ffd8 ffd9 ${FRAME}` },
  { what: 'a marker that JPEG has reserved',   hex: `ffd8 ffc80011080020004003 ${FRAME}` },
  { what: 'a JPEG of no height',               hex: `ffd8 ${FRAME.replace('0020', '0000')}` },
  { what: 'a JPEG that ends in its frame',     hex: 'ffd8 ffc0 0011 08 0020 00' },
  { what: 'a segment longer than the JPEG',    hex: 'ffd8 ffe0ffff 4a464946' },
  { what: 'a PNG',                             hex: `${PNG} 0000000d 49484452 00000040 00000020`, size: [64, 32] },
  { what: 'a PNG that begins otherwise',       hex: `${PNG} 0000000d 74455874 00000040 00000020` },
  { what: 'a PNG of no width',                 hex: `${PNG} 0000000d 49484452 00000000 00000020` },
  { what: 'a PNG that ends in its header',     hex: `${PNG} 0000000d 49484452 00000040 0000` },
  { what: 'a lossy WebP',                      hex: '52494646 00000000 57454250 56503820 00000000 000000 9d012a 4000 2000', size: [64, 32] },
  { what: 'a lossy WebP without start code',   hex: '52494646 00000000 57454250 56503820 00000000 000000 9d012b 4000 2000' },
  { what: 'a lossy WebP of no width',          hex: '52494646 00000000 57454250 56503820 00000000 000000 9d012a 0000 2000' },
  { what: 'a lossless WebP',                   hex: '52494646 00000000 57454250 5650384c 00000000 2f 3fc00700', size: [64, 32] },
  { what: 'a lossless WebP without signature', hex: '52494646 00000000 57454250 5650384c 00000000 2e 3fc00700' },
  { what: 'an extended WebP',                  hex: '52494646 00000000 57454250 56503858 00000000 10000000 3f0000 1f0000', size: [64, 32] },
  { what: 'an extended WebP with more bits',   hex: '52494646 00000000 57454250 56503858 00000000 50000000 3f0000 1f0000' },
  { what: 'an extended WebP cut off',          hex: '52494646 00000000 57454250 56503858 00000000 10000000 3f0000 1f00' },
  { what: 'a WebP of another chunk',           hex: '52494646 00000000 57454250 746f5374 00000000 10000000 3f0000 1f0000' },
])('$what: $size', ({ hex, size }) => {
  expect(sizeOf(bytes(hex))).toEqual(size && { width: size[0], height: size[1] });
});

describe('of an image made to be read for long, few bytes are looked at:', () => {
  afterEach(() => void vi.restoreAllMocks());
  const reads = ['getUint8', 'getUint16', 'getUint32'] as const;

  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'zeros behind the first bytes', image: bytes('ffd8ff', Buffer.alloc(19 * MEBIBYTE)) },
    { what: 'fill bytes alone',             image: bytes('ffd8', Buffer.alloc(19 * MEBIBYTE, 0xff)) },
    { what: 'five million empty segments',  image: bytes('ffd8', Buffer.alloc(20 * MEBIBYTE, 'ffe00002', 'hex')) },
    { what: 'a letter before each segment', image: bytes('ffd8', Buffer.alloc(20 * MEBIBYTE, '41ffe00002', 'hex')) },
    { what: 'letters alone',                image: bytes('ffd8ffe00002', Buffer.alloc(19 * MEBIBYTE, 0x41)) },
    { what: 'segments in segments',         image: bytes('ffd8', Buffer.alloc(20 * MEBIBYTE, 'ffe00003', 'hex')) },
  ])('$what', ({ image }) => {
    const spies = reads.map((name) => vi.spyOn(DataView.prototype, name));
    expect(readImageSize(image, 'jpeg')).toBeUndefined();
    const count = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(15_000);
  });
});

test('5,000 comments before the frame are jumped over', () => {
  const image = bytes('ffd8', Buffer.alloc(25_000, 'fffe000341', 'hex'), bytes(FRAME));
  expect(sizeOf(image)).toEqual({ width: 64, height: 32 });
});

test('20 MiB of metadata before the frame are jumped over', () => {
  const segment = bytes('ffe1ffff', Buffer.alloc(65_533, 'ffc00011080001000103', 'hex'));
  const image = bytes(
    'ffd8',
    ...Array(320).fill(segment),
    Buffer.from(FRAME.replaceAll(' ', ''), 'hex'),
  );
  expect(sizeOf(image)).toEqual({ width: 64, height: 32 });
});

test('every prefix of an image, and 5,000 damaged ones, have a size or none', async () => {
  const valid = await drawValidImages();
  const random = createRandom(25);
  const prefixes = valid.flatMap(({ bytes: image }) =>
    Array.from({ length: 700 }, (_, length) => image.subarray(0, length)),
  );
  const damaged = Array.from({ length: 5_000 }, () => damageImage(valid, random).bytes);
  const sizes = [...prefixes, ...damaged].flatMap((image) => sizeOf(image) ?? []);
  const isLength = (value: number) => Number.isInteger(value) && value > 0;
  expect(sizes.filter(({ width, height }) => !isLength(width) || !isLength(height))).toEqual([]);
  expect(sizes.length).toBeGreaterThan(1_000);
});

test.each([
  { what: 'JPEG with JFIF', hex: 'ffd8ff e0 0010 4a464946 0001', format: 'jpeg' },
  { what: 'JPEG with EXIF', hex: 'ffd8ff e1 1234 45786966 0000', format: 'jpeg' },
  { what: 'PNG', hex: '89504e470d0a1a0a 0000000d', format: 'png' },
  { what: 'WebP', hex: '52494646 24000000 57454250', format: 'webp' },
  { what: 'another RIFF: WAVE', hex: '52494646 24000000 57415645', format: undefined },
  { what: 'PNG with mangled line endings', hex: '89504e470a1a0a00 00000d49', format: undefined },
  { what: 'GIF', hex: '474946383961 0100 0100 8000', format: undefined },
  { what: 'AVIF', hex: '0000001c 66747970 61766966', format: undefined },
  { what: 'SVG', hex: '3c737667 20786d6c 6e733d22', format: undefined },
  { what: 'half a JPEG signature', hex: 'ffd8', format: undefined },
  { what: 'nothing', hex: '', format: undefined },
])('$what is $format', ({ hex, format }) => {
  expect(sniffFormat(bytes(hex))).toBe(format);
  expect(sniffFormat(bytes(hex).subarray(0, SNIFF_BYTES))).toBe(format);
});
