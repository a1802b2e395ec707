import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { pngChunk } from '../../../workers/inference/assembly.ts';
import { decode, toSquare } from '../../../workers/inference/codec.ts';
import { DecodeError } from '../../../workers/inference/files/readable-file.ts';
import { drawnShirt, QUARTERS, quarters, transparentShirt } from '../../support/images.ts';

const MAX_PIXELS = 50_000_000;

/** Returns the colour in the middle of each quarter of a decoded image. */
async function quartersOf(image: Uint8Array) {
  const { pixels } = await decode(image, MAX_PIXELS);
  const { data, width, height } = pixels;
  const at = (u: number, v: number) => {
    const i = 3 * (Math.floor(v * height) * width + Math.floor(u * width));
    return [...data.subarray(i, i + 3)];
  };
  return {
    topLeft: at(0.25, 0.25),
    topRight: at(0.75, 0.25),
    bottomLeft: at(0.25, 0.75),
    bottomRight: at(0.75, 0.75),
  };
}

const PLACES = ['topLeft', 'topRight', 'bottomLeft', 'bottomRight'] as const;

/** Returns the largest error of any channel of these quarters, in 1/255. */
async function worstError(image: Uint8Array, places: readonly (typeof PLACES)[number][] = PLACES) {
  const found = await quartersOf(image);
  return Math.max(
    ...places.flatMap((place) =>
      QUARTERS[place].map((drawn, c) => Math.abs(found[place][c]! - drawn)),
    ),
  );
}

const inP3 = (picture: Sharp) => picture.withIccProfile('p3');
const jpeg = { quality: 100, chromaSubsampling: '4:4:4' };

describe('the file format does not change the decoded pixels', () => {
  test.each([
    ['a JPEG', 2, (picture: Sharp) => picture.jpeg(jpeg)],
    ['a progressive JPEG', 2, (picture: Sharp) => picture.jpeg({ ...jpeg, progressive: true })],
    ['a PNG', 0, (picture: Sharp) => picture.png()],
    ['an interlaced PNG', 0, (picture: Sharp) => picture.png({ progressive: true })],
    ['a 16-bit PNG', 1, (picture: Sharp) => picture.toColourspace('rgb16').png()],
    ['a palette PNG', 1, (picture: Sharp) => picture.png({ palette: true, colours: 8, dither: 0 })],
    ['a lossless WebP', 0, (picture: Sharp) => picture.webp({ lossless: true })],
    ['a lossy WebP', 6, (picture: Sharp) => picture.webp({ quality: 100 })],
    ['a JPEG tagged Display P3', 3, (picture: Sharp) => inP3(picture).jpeg(jpeg)],
    ['a PNG tagged Display P3', 2, (picture: Sharp) => inP3(picture).png()],
    ['a 16-bit PNG in P3', 2, (picture: Sharp) => inP3(picture.toColourspace('rgb16')).png()],
  ] as const)('%s', async (_, within, encode) => {
    expect(await worstError(await encode(quarters()).toBuffer())).toBeLessThanOrEqual(within);
  });

  test.each([
    { what: 'tagged', image: () => quarters().toColourspace('cmyk').withIccProfile('cmyk') },
    { what: 'untagged', image: () => quarters().toColourspace('cmyk') },
  ])('a CMYK JPEG, $what', async ({ image }) => {
    const cmyk = await image().jpeg(jpeg).toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
    // The blue is outside the gamut of inks, and an untagged file is converted with a common press profile.
    expect(await worstError(cmyk, ['topLeft', 'topRight', 'bottomRight'])).toBeLessThanOrEqual(25);
  });

  test('an image with a profile is converted, not just relabelled', async () => {
    const tagged = await quarters().withIccProfile('p3').png().toBuffer();
    const raw = await sharp(tagged, { ignoreIcc: true }).raw().toBuffer();
    expect(Math.abs(raw[0]! - QUARTERS.topLeft[0])).toBeGreaterThan(8);
  });

  const FORMATS = ['jpeg', 'png', 'webp'] as const;
  test.each(FORMATS)('a grey %s becomes RGB with equal channels', async (format) => {
    const grey = await quarters().toColourspace('b-w').toFormat(format).toBuffer();
    const { pixels } = await decode(grey, MAX_PIXELS);
    expect(pixels.data.length).toBe(3 * pixels.width * pixels.height);
    const [red, green, blue] = (await quartersOf(grey)).topRight;
    expect(Math.max(red!, green!, blue!) - Math.min(red!, green!, blue!)).toBeLessThanOrEqual(1);
    expect(red).toBeGreaterThan(90);
  });
});

describe('EXIF orientation is applied', () => {
  const { topLeft: a, topRight: b, bottomLeft: c, bottomRight: d } = QUARTERS;
  // The position of the stored quarters a b / c d after decoding. Source: EXIF 2.32, tag 0x0112.
  test.each([
    { orientation: 1, decoded: [a, b, c, d] },
    { orientation: 2, decoded: [b, a, d, c] },
    { orientation: 3, decoded: [d, c, b, a] },
    { orientation: 4, decoded: [c, d, a, b] },
    { orientation: 5, decoded: [a, c, b, d] },
    { orientation: 6, decoded: [c, a, d, b] },
    { orientation: 7, decoded: [d, b, c, a] },
    { orientation: 8, decoded: [b, d, a, c] },
  ])('$orientation', async ({ orientation, decoded }) => {
    const image = await quarters().withMetadata({ orientation }).png().toBuffer();
    const found = await quartersOf(image);
    expect([found.topLeft, found.topRight, found.bottomLeft, found.bottomRight]).toEqual(decoded);
    const { pixels } = await decode(image, MAX_PIXELS);
    const turned = orientation >= 5;
    expect([pixels.width, pixels.height]).toEqual(turned ? [32, 48] : [48, 32]);
  });
});

describe('transparency', () => {
  test.each(['png', 'webp'] as const)('of a %s becomes opacity', async (format) => {
    const shirt = await transparentShirt({ width: 200, height: 200, format });
    const { pixels, opacity } = await decode(shirt, MAX_PIXELS);
    expect(pixels.data.length).toBe(3 * 200 * 200);
    expect(opacity?.[0]).toBe(0);
    expect(opacity?.[100 * 200 + 100]).toBe(255);
  });

  test('of a palette becomes opacity', async () => {
    const shirt = await transparentShirt({ width: 200, height: 200, format: 'png' });
    const palette = await sharp(shirt).png({ palette: true }).toBuffer();
    expect((await sharp(palette).metadata()).isPalette).toBe(true);
    const { opacity } = await decode(palette, MAX_PIXELS);
    expect(opacity?.[0]).toBe(0);
    expect(opacity?.[100 * 200 + 100]).toBe(255);
  });

  test('of fully opaque pixels is ignored', async () => {
    const opaque = await quarters().ensureAlpha(1).png().toBuffer();
    expect((await decode(opaque, MAX_PIXELS)).opacity).toBeUndefined();
  });
});

test('of an animated WebP the first frame is decoded', async () => {
  const red = await quarters().tint('#ff0000').png().toBuffer();
  const frames = await sharp([await quarters().png().toBuffer(), red], { join: { animated: true } })
    .webp({ lossless: true, delay: [100, 100] })
    .toBuffer();
  expect((await sharp(frames).metadata()).pages).toBe(2);
  expect(await worstError(frames)).toBe(0);
});

describe('rejects', () => {
  const hex = (digits: string) => Buffer.from(digits, 'hex');
  const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2);
  const shirt = (format: 'jpeg' | 'png' | 'webp') =>
    drawnShirt({ width: 300, height: 300, format });
  test.each([
    { what: 'a truncated JPEG', image: async () => half(await shirt('jpeg')) },
    { what: 'a truncated PNG', image: async () => half(await shirt('png')) },
    { what: 'a truncated WebP', image: async () => half(await shirt('webp')) },
    { what: 'garbage after a JPEG signature', image: async () => hex('ffd8ffe000104a46') },
    { what: 'garbage after a PNG signature', image: async () => hex('89504e470d0a1a0a0000') },
    { what: 'an empty file', image: async () => new Uint8Array() },
    { what: 'text', image: async () => Buffer.from('GIF, honestly') },
  ])('$what', async ({ image }) => {
    await expect(decode(await image(), MAX_PIXELS)).rejects.toBeInstanceOf(DecodeError);
  });

  const frameAt = (image: Buffer) => image.indexOf(hex('ffc0'));
  test.each([
    {
      what: 'a JPEG that went through FTP as text',
      change: (image: Buffer) =>
        Buffer.from(image.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
      says: 'line ends were changed',
    },
    {
      what: 'a JPEG of 12 bits',
      change: (image: Buffer) => image.fill(12, frameAt(image) + 4, frameAt(image) + 5),
      says: 'a JPEG of 12 bits',
    },
    {
      what: 'a lossless JPEG',
      change: (image: Buffer) => image.fill(0xc3, frameAt(image) + 1, frameAt(image) + 2),
      says: 'a lossless JPEG',
    },
  ])('$what is said to be one', async ({ change, says }) => {
    const image = change(
      await sharp(await shirt('png'))
        .jpeg({ quality: 95 })
        .toBuffer(),
    );
    await expect(decode(image, MAX_PIXELS)).rejects.toThrow(says);
  });

  test('a PNG without its last checksums, or with a wrong one, has the same pixels', async () => {
    const image = await sharp(await shirt('png'))
      .removeAlpha()
      .png()
      .toBuffer();
    const { data } = (await decode(image, MAX_PIXELS)).pixels;
    const IEND_BYTES = 12;
    const adlerAt = image.length - IEND_BYTES - 8;
    const wrong = Buffer.from(image);
    wrong[adlerAt]! ^= 1;
    const start = image.lastIndexOf('IDAT') - 4;
    const rewritten = pngChunk('IDAT', wrong.subarray(start + 8, adlerAt + 4));
    const files = [16, 17, 20].map((bytes) => image.subarray(0, -bytes));
    files.push(Buffer.concat([image.subarray(0, start), rewritten, image.subarray(-IEND_BYTES)]));
    for (const file of files) {
      const { pixels, isDamaged } = await decode(file, MAX_PIXELS);
      expect({ isDamaged, isSame: Buffer.from(pixels.data).equals(data) }).toEqual({
        isDamaged: false,
        isSame: true,
      });
    }
    await expect(decode(image.subarray(0, -40), MAX_PIXELS)).rejects.toThrow('damaged');
  });

  test('more pixels than allowed', async () => {
    const image = await shirt('png');
    await expect(decode(image, 300 * 300 - 1)).rejects.toBeInstanceOf(DecodeError);
    await expect(decode(image, 300 * 300)).resolves.toBeDefined();
  });
});

test.each([
  { width: 1, height: 1 },
  { width: 4000, height: 1 },
  { width: 1, height: 4000 },
])('$width x $height is stretched to a square', async ({ width, height }) => {
  const data = new Uint8Array(3 * width * height).fill(77);
  const square = await toSquare({ data, width, height }, 32);
  expect(square.data.length).toBe(3 * 32 * 32);
  expect(new Set(square.data)).toEqual(new Set([77]));
});

test('a region can be mirrored, and nothing outside it shows', async () => {
  const { data, info } = await quarters().raw().toBuffer({ resolveWithObject: true });
  const side = info.width / 2;
  const region = { left: side, top: 0, width: side, height: info.height };
  // The right half of the right half becomes red.
  for (let y = 0; y < info.height; y++)
    for (let x = 1; x <= side / 2; x++) data.set([255, 0, 0], 3 * ((y + 1) * info.width - x));
  const picture = { data, width: info.width, height: info.height };
  const seen = await toSquare(picture, side, { region, isMirrored: true });
  const at = (x: number, y: number) => [...seen.data.subarray(3 * (y * side + x)).subarray(0, 3)];
  expect([at(0, 0), at(side - 1, 0)]).toEqual([[255, 0, 0], QUARTERS.topRight]);
  expect([at(0, side - 1), at(side - 1, side - 1)]).toEqual([[255, 0, 0], QUARTERS.bottomRight]);
});
