import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { encodePng } from '../../../workers/inference/assembly.ts';

/** Incompressible pseudo-random bytes, the same in every run. */
function noise(count: number, seed: number): Uint8Array {
  let state = seed;
  return new Uint8Array(count).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Yields the type of each chunk, and whether its checksum is valid. */
function* chunksOf(png: Buffer) {
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield {
      type: png.toString('latin1', at + 4, at + 8),
      valid: crc32(png.subarray(at + 4, at + 8 + length)) === png.readUInt32BE(at + 8 + length),
    };
    at += length + 12;
  }
}

test.each([
  { width: 1, height: 1 },
  { width: 3, height: 5 },
  { width: 1000, height: 1 },
  { width: 1, height: 1000 },
  { width: 700, height: 900 }, // several stripes
  { width: 300_000, height: 2 }, // a row larger than a stripe
])('$width x $height: a decoder reads what was written', async ({ width, height }) => {
  const data = noise(3 * width * height, 1);
  const alpha = noise(width * height, 2).map((value) => (value < 80 ? 0 : value));
  await expectRead(data, alpha, width, height);
});

/** Bytes of which each level is half as frequent as the one below: codes of very different lengths. */
const skewed = (count: number): Uint8Array =>
  noise(4 * count, 6).reduce((bytes, value, i) => {
    const at = i >> 2;
    if (i % 4 === 0 || (bytes[at]! > 0 && bytes[at]! % 8 === 0))
      bytes[at]! += value === 0 ? 8 : 31 - Math.clz32(value & -value);
    return bytes;
  }, new Uint8Array(count));

test.each([
  ['codes of very different lengths', skewed(3 * 500 * 400)],
  ['few pixels again and again', noise(3 * 500 * 400, 7).map((value) => value >> 7)],
  ['rows that are alike', Buffer.concat(Array(400).fill(noise(3 * 500, 8)))],
])('of %s a decoder reads what was written, and zlib writes hardly less', async (_, data) => {
  const alpha = new Uint8Array(500 * 400).fill(255);
  const size = await expectRead(data, alpha, 500, 400);
  const byZlib = deflateSync(filtered(data, alpha, 500), { level: 1 }).length;
  expect(size).toBeLessThan(1.03 * byZlib + 2000);
});

/** Subjects with transparent rows, ends of rows, and parts of rows. */
const SHAPES: readonly { what: string; isVisible(x: number, y: number): boolean }[] = [
  { what: 'nothing at all', isVisible: () => false },
  { what: 'everything', isVisible: () => true },
  { what: 'one pixel', isVisible: (x, y) => x === 150 && y === 70 },
  { what: 'the first and the last pixel', isVisible: (x, y) => x + y === 0 || x + y === 298 + 198 },
  { what: 'every third row', isVisible: (_, y) => y % 3 === 0 },
  { what: 'every fifth column', isVisible: (x) => x % 5 === 0 },
  { what: 'a disc', isVisible: (x, y) => Math.hypot(x - 150, y - 100) < 70 },
  { what: 'a staircase to the left', isVisible: (x, y) => x < 298 - y && x > 290 - 2 * y },
];

test.each(SHAPES)('with $what visible, a decoder reads what was written', async ({ isVisible }) => {
  const [width, height] = [299, 199];
  const alpha = new Uint8Array(width * height).map((_, i) =>
    isVisible(i % width, Math.floor(i / width)) ? 255 : 0,
  );
  await expectRead(noise(3 * width * height, 5), alpha, width, height);
  await expectRead(new Uint8Array(3 * width * height).fill(9), alpha, width, height);
});

async function expectRead(data: Uint8Array, alpha: Uint8Array, width: number, height: number) {
  const png = encodePng({ data, width, height }, { data: alpha, width, height });
  const read = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect(read.info).toMatchObject({ width, height, channels: 4, depth: 'uchar' });
  const written = Buffer.alloc(4 * width * height);
  for (let i = 0; i < alpha.length; i++) {
    if (alpha[i] === 0) continue;
    for (let c = 0; c < 3; c++) written[4 * i + c] = data[3 * i + c]!;
    written[4 * i + 3] = alpha[i]!;
  }
  expect(read.data.equals(written)).toBe(true);
  return png.length;
}

/** Rows less the rows above, each behind the filter's number. */
function filtered(data: Uint8Array, alpha: Uint8Array, width: number): Buffer {
  const rows = Buffer.alloc(alpha.length * 4 + alpha.length / width);
  const byteOf = (i: number, c: number) => (i < 0 ? 0 : c < 3 ? data[3 * i + c]! : alpha[i]!);
  for (let i = 0; i < alpha.length; i++) {
    const start = 4 * i + Math.floor(i / width) + 1;
    if (i % width === 0) rows[start - 1] = 2;
    for (let c = 0; c < 4; c++) rows[start + c] = byteOf(i, c) - byteOf(i - width, c);
  }
  return rows;
}

test('a picture is written as ever, whatever was written before', () => {
  const write = (width: number, height: number, seed: number) =>
    encodePng(
      { data: noise(3 * width * height, seed), width, height },
      { data: noise(width * height, seed + 1), width, height },
    );
  const first = write(90, 70, 9);
  write(700, 300, 11);
  expect(write(90, 70, 9)).toEqual(first);
});

test('there are only the mandatory chunks, with valid checksums', async () => {
  const size = { width: 700, height: 900 };
  const pixels = { data: noise(3 * 700 * 900, 3), ...size };
  const png = encodePng(pixels, { data: noise(700 * 900, 4), ...size });
  const chunks = [...chunksOf(png)];
  expect(chunks.every(({ valid }) => valid)).toBe(true);
  expect([...new Set(chunks.map(({ type }) => type))]).toEqual(['IHDR', 'IDAT', 'IEND']);
});
