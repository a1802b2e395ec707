import { describe, expect, test } from 'vitest';
import { downscale, measureOwnShadow } from '../../src/imaging/own-shadow.ts';
import type { MattedImage } from '../../src/imaging/picture.ts';

/** Shadows that a drawn disc casts on drawn grounds. */

const WIDTH = 180;
const HEIGHT = 140;

/** The opacity of a soft spot, 0..1. */
const spot = (x: number, y: number, far: number, peak: number): number =>
  peak * Math.exp(-(((x - 90) / far) ** 2) - ((y - 100) / 12) ** 2);

interface Scene {
  /** Colour of the ground at a place, 0..255. */
  ground?: ((x: number, y: number) => readonly number[]) | undefined;
  /** Opacity of the shadow at a place, 0..1. */
  shadow?: (x: number, y: number) => number;
}

/** A red disc of radius 40 at 90, 60, on a ground with noise of three levels. */
function scene({ ground = () => [215, 205, 190], shadow = () => 0 }: Scene): MattedImage {
  const data = new Uint8Array(3 * WIDTH * HEIGHT);
  const alpha = new Uint8Array(WIDTH * HEIGHT);
  for (let i = 0; i < alpha.length; i++) {
    const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
    const cover = Math.max(0, Math.min(1, 40.5 - Math.hypot(x - 90, y - 60)));
    const noise = ((i * 7919) % 4) - 1.5;
    alpha[i] = Math.round(255 * cover);
    ground(x, y).forEach((light, c) => {
      const backdrop = light * (1 - shadow(x, y)) + noise;
      const colour = cover * [200, 30, 40][c]! + (1 - cover) * Math.min(255, backdrop);
      data[3 * i + c] = Math.round(colour);
    });
  }
  const size = { width: WIDTH, height: HEIGHT };
  return { pixels: { data, ...size }, matte: { data: alpha, ...size } };
}

/** The largest error of the shadow outside the disc, 0..1. */
function errorOf(image: MattedImage, shadow: (x: number, y: number) => number): number {
  const measured = measureOwnShadow(image);
  if (!measured) return 1;
  const errors = [...measured.data].map((opacity, i) =>
    image.matte.data[i]! > 0
      ? 0
      : Math.abs(opacity / 255 - shadow(i % WIDTH, Math.floor(i / WIDTH))),
  );
  return Math.max(...errors);
}

const below = (x: number, y: number) => spot(x, y, 40, 0.5);
const vignette = (x: number, y: number) => {
  const light = 1 - 0.25 * (((x - 90) / 90) ** 2 + ((y - 70) / 70) ** 2) * 0.5;
  return [215 * light, 205 * light, 190 * light];
};

describe('is measured', () => {
  test.each<[string, Scene['ground']]>([
    ['a beige ground', undefined],
    ['pure white', () => [255, 255, 255]],
    ['a ground with a vignette', vignette],
  ])('on %s', (_, ground) => {
    expect(errorOf(scene({ ground, shadow: below }), below)).toBeLessThan(0.06);
  });

  test('as none where there is none', () => {
    const measured = measureOwnShadow(scene({ ground: vignette }));
    expect(measured?.data.every((opacity) => opacity === 0)).toBe(true);
  });
});

describe('is not kept', () => {
  const planks: Scene['ground'] = (x) => (x % 16 < 8 ? [180, 140, 100] : [120, 90, 60]);
  test.each<[string, Scene]>([
    ['on planks', { ground: planks, shadow: below }],
    ['on a dark ground', { ground: () => [30, 32, 30], shadow: below }],
  ])('%s', (_, drawn) => expect(measureOwnShadow(scene(drawn))).toBeUndefined());

  test('away from the subject', () => {
    const stain = (x: number, y: number) => (Math.hypot(x - 160, y - 20) < 8 ? 0.5 : 0);
    const measured = measureOwnShadow(scene({ shadow: stain }));
    expect(measured?.data[20 * WIDTH + 160]).toBe(0);
  });

  test('if it has a colour', () => {
    const ground: Scene['ground'] = (x, y) => [215, 205, 190 * (1 - below(x, y))];
    const measured = measureOwnShadow(scene({ ground }));
    expect(Math.max(...measured!.data)).toBeLessThan(10);
  });

  test.each([1, 2, 9])('in a picture of %i pixels a side', (side) => {
    const size = { width: side, height: side };
    const pixels = { data: new Uint8Array(3 * side * side).fill(200), ...size };
    const image = { pixels, matte: { data: new Uint8Array(side * side).fill(255), ...size } };
    expect(measureOwnShadow(image)).toBeUndefined();
  });
});

/** Numbers 0..255 that look random and are always the same. */
function randomBytes(length: number): Uint8Array {
  let state = 7;
  return new Uint8Array(length).map(() => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state >> 16;
  });
}

const imageOf = (width: number, height: number) => ({
  pixels: { data: randomBytes(3 * width * height), width, height },
  matte: { data: randomBytes(width * height).map((value) => value & 127), width, height },
});

test.each([
  [7, 5, 2],
  [9, 9, 3],
  [10, 3, 4],
  [4, 4, 1],
])('blocks of %i x %i by %i have the mean of their pixels', (width, height, factor) => {
  const image = imageOf(width, height);
  const { pixels, matte } = downscale(image, factor);
  for (let row = 0; row < pixels.height; row++)
    for (let column = 0; column < pixels.width; column++) {
      const block: number[] = [];
      for (let y = row * factor; y < Math.min(height, (row + 1) * factor); y++)
        for (let x = column * factor; x < Math.min(width, (column + 1) * factor); x++)
          block.push(y * width + x);
      const meanOf = (read: (pixel: number) => number) =>
        block.reduce((sum, pixel) => sum + read(pixel), 0) / block.length;
      const cell = row * pixels.width + column;
      const red = meanOf((pixel) => image.pixels.data[3 * pixel]!);
      expect(Math.abs(pixels.data[3 * cell]! - red)).toBeLessThanOrEqual(0.5);
      const alpha = meanOf((pixel) => image.matte.data[pixel]!);
      expect(Math.abs(matte.data[cell]! - alpha)).toBeLessThanOrEqual(0.5);
    }
});
