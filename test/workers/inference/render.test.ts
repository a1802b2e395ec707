import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { MattedImage } from '../../../src/imaging/picture.ts';
import type { CutOutOptions } from '../../../src/output/options.ts';
import { render } from '../../../workers/inference/cut-out.ts';

const WIDTH = 60;
const HEIGHT = 40;

/** Noise under a disc with a soft edge, centred at 20, 20. */
function disc(width = WIDTH, height = HEIGHT): MattedImage {
  const data = new Uint8Array(3 * width * height).map((_, i) => (i * 7919) % 251);
  const alpha = new Uint8Array(width * height).map((_, i) => {
    const far = Math.hypot((i % width) - 20, Math.floor(i / width) - 20);
    return Math.max(0, Math.min(255, Math.round((14 - far) * 60)));
  });
  return { pixels: { data, width, height }, matte: { data: alpha, width, height } };
}

const make = (options: CutOutOptions, pair = disc(), background?: Uint8Array, maxPixels = 1e6) =>
  render(pair, options, background, maxPixels);

const rgba = (file: Uint8Array): Promise<Buffer> => sharp(file).ensureAlpha().raw().toBuffer();

describe('opaque pixels of the subject stay bit for bit in a PNG', () => {
  const before = disc();
  test.each<[string, CutOutOptions, Uint8Array?]>([
    ['as it is', {}],
    ['moved', { position: '100% 0%' }],
    ['cropped with a margin', { crop: true, cropMargin: '7px 20%' }],
    ['on a colour', { backgroundColor: '#336699' }],
    ['over a shadow', { shadow: 'drop' }],
    ['over its own shadow', { shadow: 'keep' }],
    ['hardened', { semitransparency: false }],
  ])('%s', async (_, options, background) => {
    const { file, foreground, width } = await make(options, undefined, background);
    if (!foreground) throw new Error('there is a subject');
    const after = await rgba(file);
    const { semitransparency } = options;
    const was = (await make({ semitransparency })).foreground;
    if (!was) throw new Error('there is a subject');
    let compared = 0;
    for (let y = 0; y < was.height; y++) {
      for (let x = 0; x < was.width; x++) {
        const from = (was.top + y) * WIDTH + was.left + x;
        if (before.matte.data[from] !== 255) continue;
        const to = 4 * ((foreground.top + y) * width + foreground.left + x);
        const colours = [...before.pixels.data.subarray(3 * from, 3 * from + 3), 255];
        expect([...after.subarray(to, to + 4)]).toEqual(colours);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(200);
  });
});

test('soft pixels stay as well if nothing is below them', async () => {
  const [original, moved] = await Promise.all([make({}), make({ position: '100% 100%' })]);
  const cut = async ({
    file,
    foreground = { left: 0, top: 0, width: 0, height: 0 },
  }: typeof original) => sharp(file).extract(foreground).raw().toBuffer();
  expect((await cut(original)).equals(await cut(moved))).toBe(true);
});

test('the bounding box ignores faint haze', async () => {
  const { pixels, matte } = disc();
  matte.data[0] = 25;
  expect((await make({}, { pixels, matte })).foreground).toMatchObject({ left: 7, top: 7 });
  matte.data[0] = 26;
  expect((await make({}, { pixels, matte })).foreground).toMatchObject({ left: 0, top: 0 });
});

describe('rejects', () => {
  const nothing = (): MattedImage => ({
    ...disc(),
    matte: { ...disc().matte, data: new Uint8Array(2400) },
  });

  test.each<[string, CutOutOptions]>([
    ['cropping to nothing', { crop: true }],
    ['scaling nothing', { scale: '50%' }],
    ['moving nothing', { position: 'center' }],
  ])('%s', async (_, options) => {
    await expect(make(options, nothing())).rejects.toMatchObject({ type: 'unprocessable-image' });
  });

  test('a canvas of too many pixels, unless it is scaled down', async () => {
    const options = { crop: true, cropMargin: '500px' } as const;
    const problem = { type: 'invalid-request', detail: /1027 x 1027.*maxOutputMegapixels/ };
    const error = await make(options).catch((reason) => reason);
    expect(error.type).toBe(problem.type);
    expect(error.detail).toMatch(problem.detail);
    const small = await make({ ...options, maxOutputMegapixels: 0.1 });
    expect(small.width * small.height).toBeLessThanOrEqual(100_000);
  });

  test('a WebP longer than the format allows, but not such a PNG', async () => {
    const long = () => disc(16_384, 41);
    await expect(make({ format: 'webp' }, long())).rejects.toMatchObject({
      detail: expect.stringContaining('16383'),
    });
    expect((await make({ channels: 'alpha' }, long())).width).toBe(16_384);
  });

  test('a background that cannot be decoded', async () => {
    const whole = await sharp({
      create: {
        width: 50,
        height: 50,
        channels: 3,
        background: '#0f0',
        noise: { type: 'gaussian', mean: 99, sigma: 50 },
      },
    })
      .png()
      .toBuffer();
    const background = whole.subarray(0, whole.length / 2);
    await expect(make({}, disc(), background)).rejects.toMatchObject({
      type: 'invalid-request',
      detail: expect.stringMatching(/^The background image/),
    });
  });
});

test('without a subject the output is transparent and has no foreground', async () => {
  const clear = { ...disc(), matte: { ...disc().matte, data: new Uint8Array(2400) } };
  const { file, foreground } = await make({ shadow: 'drop' }, clear);
  expect(foreground).toBeUndefined();
  expect((await rgba(file)).every((byte) => byte === 0)).toBe(true);
});

test('the own shadow of the photo moves and scales with the subject', async () => {
  const photo = disc(120, 90);
  photo.pixels.data.fill(220);
  for (let i = 0; i < 120 * 90; i++) {
    const [x, y] = [i % 120, Math.floor(i / 120)];
    if (Math.hypot((x - 20) / 2, y - 36) < 5) photo.pixels.data.fill(110, 3 * i, 3 * i + 3);
  }
  const options = { shadow: 'keep', position: '100% 0%' } as const;
  const { file, foreground } = await make(options, photo);
  const after = await rgba(file);
  if (!foreground) throw new Error('there is a subject');
  const at = 4 * ((foreground.top + 32) * 120 + foreground.left + 13);
  expect([...after.subarray(at, at + 3)]).toEqual([0, 0, 0]);
  expect(after[at + 3]).toBeGreaterThan(100);
});

test('a JPEG is white where the background is transparent', async () => {
  const hole = await sharp({
    create: { width: 8, height: 8, channels: 4, background: '#00000000' },
  })
    .png()
    .toBuffer();
  const { file } = await make({ format: 'jpeg' }, disc(), hole);
  const corner = sharp(file).extract({ left: 50, top: 2, width: 4, height: 4 });
  expect((await corner.raw().toBuffer()).every((byte) => byte > 250)).toBe(true);
});
