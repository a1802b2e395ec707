import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { marketplacePicture } from '../../../workers/inference/marketplace-picture.ts';
import { transparentShirt } from '../../support/images.ts';

const cutout = (width: number, height: number): Promise<Buffer> =>
  transparentShirt({ width, height, format: 'png' });

/** Incompressible pixels, opaque. */
function noise(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 4);
  let state = 1;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    data[i] = i % 4 === 3 ? 255 : state >>> 24;
  }
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

const pixelAt = async (bytes: Uint8Array, left: number, top: number): Promise<number[]> => [
  ...(await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];

describe('a cut-out', () => {
  test('that meets the requirements is not changed', async () => {
    expect(await marketplacePicture(await cutout(500, 640))).toBeUndefined();
  });

  test('is put on the given colour, without metadata', async () => {
    const picture = await marketplacePicture(await cutout(600, 800), { background: '#ffffff' });
    expect(picture).toMatchObject({ mediaType: 'image/jpeg', width: 600, height: 800 });
    const { bytes } = picture ?? { bytes: Buffer.alloc(0) };
    const metadata = await sharp(bytes).metadata();
    expect(metadata).toMatchObject({
      format: 'jpeg',
      width: 600,
      height: 800,
      channels: 3,
      space: 'srgb',
      chromaSubsampling: '4:4:4',
      hasAlpha: false,
    });
    expect([metadata.exif, metadata.icc, metadata.xmp, metadata.iptc]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(await pixelAt(bytes, 2, 2)).toEqual([255, 255, 255]);
    const [red = 255, , blue = 0] = await pixelAt(bytes, 300, 450);
    expect(blue).toBeGreaterThan(red);
  });

  test.each([
    { from: [300, 400], to: [500, 667] },
    { from: [900, 450], to: [1000, 500] },
    { from: [1, 1], to: [500, 500] },
  ] as const)('of $from pixels is enlarged to $to', async ({ from, to }) => {
    const [width, height] = from;
    const picture = await marketplacePicture(await cutout(width, height));
    expect(picture).toMatchObject({ mediaType: 'image/png', width: to[0], height: to[1] });
    const metadata = await sharp(picture?.bytes).metadata();
    expect(metadata).toMatchObject({ width: to[0], height: to[1], channels: 4 });
  });

  test('that is long and narrow gets a wider canvas', async () => {
    const picture = await marketplacePicture(await noise(8, 3000), { background: '#102030' });
    expect(picture).toMatchObject({ width: 500, height: 4000 });
    const { bytes } = picture ?? { bytes: Buffer.alloc(0) };
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 500, height: 4000 });
    const [red = 0, green = 0, blue = 0] = await pixelAt(bytes, 20, 2000);
    expect(Math.hypot(red - 16, green - 32, blue - 48)).toBeLessThan(4);
  });

  test('with soft edges has no dark halo when enlarged', async () => {
    const data = Buffer.alloc(64 * 64 * 4);
    for (let i = 0; i < 64 * 64; i++) if (i % 64 > 31) data.set([255, 255, 255, 255], 4 * i);
    const half = await sharp(data, { raw: { width: 64, height: 64, channels: 4 } })
      .png()
      .toBuffer();
    const picture = await marketplacePicture(half, { background: '#ffffff' });
    const drawn = await sharp(picture?.bytes).raw().toBuffer();
    expect(drawn.reduce((min, value) => Math.min(min, value))).toBeGreaterThan(250);
  });

  test('of too many bytes is first reduced in quality, then in size', async () => {
    const whole = await noise(2600, 2200);
    expect(whole.length).toBeGreaterThan(16_000_000);
    const white = await marketplacePicture(whole, { background: '#ffffff' });
    expect(white).toMatchObject({ width: 2600, height: 2200 });
    expect(white?.bytes.length).toBeLessThanOrEqual(16_000_000);
    const clear = await marketplacePicture(whole);
    expect(clear?.bytes.length).toBeLessThanOrEqual(16_000_000);
    expect(clear?.width).toBeLessThan(2600);
    expect((clear?.width ?? 0) / (clear?.height ?? 1)).toBeCloseTo(2600 / 2200, 2);
  });
});
