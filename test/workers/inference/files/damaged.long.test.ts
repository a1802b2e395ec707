import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { validateImage } from '../../../../src/intake/validate-image.ts';
import { readConfig } from '../../../../src/platform/config.ts';
import { decode } from '../../../../workers/inference/codec.ts';
import { pngChunk } from '../../../hostile/malicious-images.ts';
import { drawnShirtOnWood } from '../../../support/images.ts';

const MAX_PIXELS = readConfig({}).MAX_IMAGE_PIXELS;
const LIMITS = { maxPixels: MAX_PIXELS, maxSidePixels: 16_384 };
const END = Buffer.from('ffd9', 'hex');
const PAGE = Buffer.from(
  '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n',
);

const fixture = (name: string) => readFileSync(`test/fixtures/damaged/${name}`);

/** What a file gets: how many rows are sound if some are not, or its pixels and whether it is doubted. */
async function answerTo(image: Uint8Array) {
  validateImage(image, LIMITS);
  try {
    const { pixels, isDamaged } = await decode(image, MAX_PIXELS);
    return {
      isDamaged,
      rows: pixels.height,
      data: createHash('sha256').update(pixels.data).digest('hex'),
    };
  } catch (error) {
    const { name, message } = error as Error;
    expect(name).toBe('DecodeError');
    return { refused: message, row: Number(/from row (\d+)/.exec(message)?.[1]) };
  }
}

const cut = (bytes: Buffer, share: number, end = Buffer.alloc(0)) =>
  Buffer.concat([bytes.subarray(0, share * bytes.length), end]);
const without = (bytes: Buffer, from: number, length: number) =>
  Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
const withIn = (bytes: Buffer, from: number, other: Uint8Array) =>
  Buffer.concat([bytes.subarray(0, from), other, bytes.subarray(from)]);
const over = (bytes: Buffer, from: number, other: Uint8Array) => {
  const copy = Buffer.from(bytes);
  copy.set(other, from);
  return copy;
};

const SIZE = { width: 200, height: 220 };
let drawn: Buffer;
let jpegs: Record<string, Buffer>;
let pngs: Record<string, Buffer>;
let webps: Record<string, Buffer>;
beforeAll(async () => {
  drawn = await drawnShirtOnWood({ ...SIZE, format: 'png' });
  const from = () => sharp(drawn);
  jpegs = {
    '4:2:0': await from().jpeg().toBuffer(),
    '4:4:4': await from().resize(400, 433).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
    CMYK: await from().toColourspace('cmyk').jpeg().toBuffer(),
    grey: await from().greyscale().jpeg().toBuffer(),
    'plain tables': await from().jpeg({ optimiseCoding: false }).toBuffer(),
    'restart marks': fixture('restarts.jpg'),
    arithmetic: fixture('arithmetic.jpg'),
  };
  pngs = {
    '8 bits': drawn,
    '16 bits': await from().toColourspace('rgb16').png().toBuffer(),
    palette: await from().png({ palette: true }).toBuffer(),
    interlaced: await from().png({ progressive: true }).toBuffer(),
    'interlaced, 16 bits': await from()
      .toColourspace('rgb16')
      .png({ progressive: true })
      .toBuffer(),
  };
  webps = {
    lossy: await from().webp().toBuffer(),
    lossless: await from().webp({ lossless: true }).toBuffer(),
    animated: await sharp([drawn, await from().flop().toBuffer()], { join: { animated: true } })
      .webp()
      .toBuffer(),
  };
});

/** Expects the pixels of the whole file, without a doubt. */
async function expectSame(image: Uint8Array, whole: Uint8Array) {
  const [answer, right] = await Promise.all([answerTo(image), answerTo(whole)]);
  expect(answer).toEqual({ ...right, isDamaged: false });
}

describe('what holds no pixel may be missing', () => {
  test('the end of a JPEG of any kind', async () => {
    const scans = { progressive: await sharp(drawn).jpeg({ progressive: true }).toBuffer() };
    const more = {
      ...scans,
      scans: fixture('scans.jpg'),
      'arithmetic, progressive': fixture('arithmetic-progressive.jpg'),
    };
    for (const jpeg of Object.values({ ...jpegs, ...more }))
      for (const bytes of [1, 2]) await expectSame(jpeg.subarray(0, -bytes), jpeg);
  });

  test('the end mark, its checksum and that of the pixels in a PNG of any kind', async () => {
    for (const png of Object.values(pngs))
      for (const bytes of [1, 4, 11, 12, 13, 16]) await expectSame(png.subarray(0, -bytes), png);
  });

  test('what follows the picture in a WebP', async () => {
    const tagged = await sharp(drawn)
      .withExif({ IFD0: { Copyright: 'nobody' } })
      .webp()
      .toBuffer();
    await expectSame(tagged.subarray(0, -5), tagged);
    await expectSame(webps.animated!.subarray(0, -100), webps.animated!);
  });

  test('in the files of others', async () => {
    const whole = Buffer.concat([fixture('eoi-missing.jpg'), END]);
    await expectSame(fixture('eoi-missing.jpg'), whole);
    const cutPng = fixture('png-cut-16.png');
    expect(await answerTo(cutPng)).toMatchObject({ isDamaged: false });
    expect(await answerTo(fixture('junk-between.jpg'))).toMatchObject({ isDamaged: false });
    expect(await answerTo(fixture('5000-com.jpg'))).toMatchObject({ isDamaged: false });
  });

  test('letters, zeros and an unheard-of version between the segments of a JPEG', async () => {
    const jpeg = jpegs['4:2:0']!;
    await expectSame(
      withIn(jpeg, 4 + jpeg.readUInt16BE(4), Buffer.from('eleven more\0\0\0\0')),
      jpeg,
    );
    const jfif = fixture('restarts.jpg');
    expect(jfif.toString('latin1', 6, 10)).toBe('JFIF');
    await expectSame(over(jfif, 11, Buffer.from([2])), jfif);
    await expectSame(Buffer.concat([jpeg, Buffer.alloc(300, 7)]), jpeg);
  });
});

describe('missing rows are found', () => {
  test.each([0.98, 0.6, 0.3])(
    'a JPEG cut at %d of its data, also if it is closed',
    async (share) => {
      for (const [what, jpeg] of Object.entries(jpegs)) {
        const { height } = await sharp(jpeg).metadata();
        for (const end of [Buffer.alloc(0), END, Buffer.from('ffffffd9', 'hex')]) {
          const { refused, row } = await answerTo(cut(jpeg, share, end));
          expect({ what, refused }).toEqual({
            what,
            refused: expect.stringContaining('is damaged'),
          });
          if (share < 0.9) expect(row).toBeGreaterThan(0);
          if (row) expect(row).toBeLessThan(height);
        }
      }
    },
  );

  test('the row is where the data ends', async () => {
    // The grey that libjpeg fills in begins in this row or a few below.
    const half = fixture('half-with-eoi.jpg');
    const { row } = await answerTo(half);
    const { data, info } = await sharp(half, { failOn: 'none' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const isGrey = (y: number) =>
      data.subarray(3 * info.width * y, 3 * info.width * (y + 1)).every((value) => value === 128);
    let first = info.height;
    while (isGrey(first - 1)) first--;
    expect(first).toBeLessThan(info.height);
    expect(row).toBeLessThanOrEqual(first);
    expect(row).toBeGreaterThan(first - 40);
  });

  test('the last rows of a JPEG, even if they are fewer than the decoder reads at once', async () => {
    for (const lost of [4, 20, 100, 300]) {
      const jpeg = Buffer.concat([jpegs['4:4:4']!.subarray(0, -2 - lost), END]);
      expect(await answerTo(jpeg)).toMatchObject({
        refused: expect.stringMatching(/from row (3[5-9]|4)\d/),
      });
    }
  });

  test('a lost kilobyte, an error page over or between the data', async () => {
    expect(await answerTo(fixture('drop1k-in-scan.jpg'))).toMatchObject({
      refused: expect.stringContaining('damaged from row'),
    });
    for (const jpeg of Object.values(jpegs)) {
      const middle = Math.floor(jpeg.length / 2);
      for (const broken of [withIn(jpeg, middle, PAGE), over(jpeg, middle, PAGE)])
        expect(await answerTo(broken)).toMatchObject({
          refused: expect.stringContaining('damaged from row'),
        });
    }
  });

  test.each(['8 bits', '16 bits', 'palette'])('a PNG of %s', async (kind) => {
    const png = pngs[kind]!;
    const middle = Math.floor(png.length / 2);
    const broken = [
      cut(png, 0.6),
      without(png, middle, 1000),
      over(png, middle, PAGE),
      withIn(png, middle, PAGE),
      over(png, middle, Buffer.alloc(64)),
    ];
    for (const image of broken)
      expect(await answerTo(image)).toMatchObject({ refused: expect.stringContaining('damaged') });
  });

  test('an interlaced PNG, and a WebP, of which no row can be told', async () => {
    for (const image of [
      pngs.interlaced!,
      pngs['interlaced, 16 bits']!,
      webps.lossy!,
      webps.lossless!,
    ])
      for (const broken of [cut(image, 0.6), without(image, image.length / 2, 1000)])
        expect(await answerTo(broken)).toMatchObject({
          refused: expect.stringMatching(/^is damaged:/),
        });
  });
});

describe('where all rows are there but may be wrong, the answer is doubted', () => {
  test('a progressive JPEG without its last scans, or with other bytes in them', async () => {
    const jpeg = await sharp(drawn).jpeg({ progressive: true }).toBuffer();
    const scans = [...jpeg.toString('latin1').matchAll(/\xff\xda/g)].map(({ index }) => index);
    expect(scans.length).toBeGreaterThan(3);
    const middle = scans.at(-2)! + 500;
    const doubted = [
      ...scans.slice(1).map((at) => Buffer.concat([jpeg.subarray(0, at), END])),
      cut(jpeg, 0.6),
      cut(jpeg, 0.6, END),
      over(jpeg, middle, PAGE),
      without(jpeg, middle, 500),
    ];
    for (const image of doubted) expect(await answerTo(image)).toMatchObject({ isDamaged: true });
    const first = Buffer.concat([jpeg.subarray(0, scans[0]! + 200), END]);
    expect(await answerTo(first)).toMatchObject({ refused: expect.stringContaining('damaged') });
  });

  test('a JPEG of one scan for each colour, of which scans are missing, is not whole', async () => {
    const jpeg = fixture('scans.jpg');
    const second = jpeg.indexOf('ffda', jpeg.indexOf('ffda', 0, 'hex') + 2, 'hex');
    const first = Buffer.concat([jpeg.subarray(0, second), END]);
    expect(await answerTo(first)).toMatchObject({ isDamaged: true });
  });

  test('a WebP with other bytes inside, or more than it says', async () => {
    for (const webp of [webps.lossy!, webps.lossless!]) {
      const middle = Math.floor(webp.length / 2);
      for (const image of [
        over(webp, middle, PAGE),
        over(webp, middle, Buffer.alloc(256)),
        Buffer.concat([webp, PAGE]),
      ]) {
        const { isDamaged, refused } = await answerTo(image);
        expect(isDamaged === true || refused !== undefined).toBe(true);
      }
    }
  });

  test('a JPEG that zeros fill up, after its data broke off', async () => {
    for (const jpeg of Object.values(jpegs)) {
      const from = Math.floor(0.6 * jpeg.length);
      const { isDamaged, refused } = await answerTo(
        over(jpeg, from, Buffer.alloc(jpeg.length - from)),
      );
      expect(isDamaged === true || refused !== undefined).toBe(true);
    }
  });

  test('plain grounds, which are stored as zeros down to the last row, are not', async () => {
    for (const [width, height] of [
      [3000, 3000],
      [725, 900],
      [900, 900],
      [723, 1001],
    ] as const) {
      const ground = { width, height, channels: 3, background: '#fff' } as const;
      const plain = await sharp({ create: ground })
        .composite([{ input: drawn, gravity: 'north' }])
        .jpeg()
        .toBuffer();
      expect(plain.includes(Buffer.alloc(256))).toBe(true);
      expect(await answerTo(plain)).toMatchObject({ isDamaged: false });
    }
  });
});

test('what phones call 50 megapixels is accepted by default', () => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(8192, 0);
  header.writeUInt32BE(6144, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const png = Buffer.concat([
    drawn.subarray(0, 8),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1))),
  ]);
  expect(validateImage(png, LIMITS)).toMatchObject({ width: 8192, height: 6144 });
});

describe('colours and orientation of PNGs', () => {
  const mean = (data: Uint8Array) => data.reduce((sum, value) => sum + value, 0) / data.length;

  test('the profile of greys of 16 bits is applied, as of 8', async () => {
    const grey = fixture('grey16-g10.png');
    const plain = await sharp(grey, { ignoreIcc: true }).toColourspace('srgb').raw().toBuffer();
    expect(mean(plain)).toBeCloseTo(187.9, 0);
    const { pixels } = await decode(grey, MAX_PIXELS);
    expect(mean(pixels.data)).toBeCloseTo(216.2, 0); // Little CMS: 216.16
  });

  const gama = (gamma: number) => {
    const data = Buffer.alloc(4);
    data.writeUInt32BE(Math.round(100_000 * gamma));
    return pngChunk('gAMA', data);
  };
  const cicp = (...code: number[]) => pngChunk('cICP', Buffer.from(code));
  const [LINEAR, P3, PQ] = [cicp(1, 8, 0, 1), cicp(12, 13, 0, 1), cicp(9, 16, 0, 1)];
  const SRGB = pngChunk('sRGB', Buffer.from([0]));
  // Expected: light after the curve, and the same value in sRGB, IEC 61966-2-1.
  test.each([
    { what: 'linear by gAMA', chunks: [gama(1)], sent: [128, 64, 255], right: [188, 137, 255] },
    { what: 'gAMA of 1/1.8', chunks: [gama(1 / 1.8)], sent: [128, 64, 0], right: [146, 81, 0] },
    { what: 'gAMA of sRGB', chunks: [gama(0.45455)], sent: [128, 64, 9], right: [128, 64, 9] },
    { what: 'sRGB before gAMA', chunks: [gama(1), SRGB], sent: [128, 64, 9], right: [128, 64, 9] },
    { what: 'cICP before sRGB', chunks: [SRGB, LINEAR], sent: [128, 64, 9], right: [188, 137, 53] },
    { what: 'Display P3 by cICP', chunks: [P3], sent: [128, 100, 100], right: [133, 99, 99] },
    { what: 'white of HDR', chunks: [PQ], sent: [148, 148, 148], right: [255, 255, 255] },
    {
      what: 'an unknown cICP',
      chunks: [cicp(2, 2, 0, 1)],
      sent: [128, 64, 9],
      right: [128, 64, 9],
    },
  ])('$what is read', async ({ chunks, sent, right }) => {
    const raw = { width: 4, height: 4, channels: 3 } as const;
    const data = Buffer.from(Array.from({ length: 16 }, () => sent).flat());
    for (const depth of [8, 16] as const) {
      const image = sharp(data, { raw });
      if (depth === 16) image.toColourspace('rgb16');
      const png = await image.png().toBuffer();
      const { pixels } = await decode(withIn(png, 33, Buffer.concat(chunks)), MAX_PIXELS);
      const [r, g, b] = pixels.data;
      for (const [i, value] of [r, g, b].entries())
        expect(Math.abs(value! - right[i]!), `${depth} bits, ${[r, g, b]}`).toBeLessThanOrEqual(1);
    }
  });

  test.each(['b-w', 'grey16'] as const)('gAMA counts for greys: %s', async (space) => {
    const data = Buffer.alloc(16, 128);
    const grey = sharp(data, { raw: { width: 4, height: 4, channels: 1 } }).toColourspace(space);
    const png = withIn(await grey.png().toBuffer(), 33, gama(1));
    const { pixels } = await decode(png, MAX_PIXELS);
    expect(mean(pixels.data)).toBeCloseTo(188, -0.5);
  });

  test.each([
    ['primaries in a line', [31_270, 32_900, 0, 0, 0, 0, 0, 0]],
    ['no chromaticities', [0, 0, 0, 0, 0, 0, 0, 0]],
  ])('%s change nothing', async (_, values) => {
    const chrm = Buffer.alloc(32);
    for (const [i, value] of values.entries()) chrm.writeUInt32BE(value, 4 * i);
    const png = await sharp(drawn).png().toBuffer();
    const odd = withIn(png, 33, Buffer.concat([gama(1), pngChunk('cHRM', chrm)]));
    await expectSame(odd, png);
  });

  test('an eXIf chunk counts behind the pixels', async () => {
    const turned = await sharp(drawn).withMetadata({ orientation: 6 }).png().toBuffer();
    const at = turned.indexOf('eXIf') - 4;
    const length = 12 + turned.readUInt32BE(at);
    const exif = turned.subarray(at, at + length);
    const late = withIn(without(turned, at, length), turned.length - length - 12, exif);
    expect(late.indexOf('eXIf')).toBeGreaterThan(late.lastIndexOf('IDAT'));
    const { pixels } = await decode(late, MAX_PIXELS);
    expect([pixels.width, pixels.height]).toEqual([SIZE.height, SIZE.width]);
    await expectSame(late, turned);
  });
});
