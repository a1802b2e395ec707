import { expect, test } from 'vitest';
import { downscale } from '../../src/imaging/downscale.ts';
import { gridOver, softCells } from '../../src/imaging/surroundings.ts';

/** Numbers 0..255 that look random and are always the same. */
function noise(length: number): Uint8Array {
  let state = 7;
  return new Uint8Array(length).map(() => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state >> 16;
  });
}

const imageOf = (width: number, height: number) => ({
  pixels: { data: noise(3 * width * height), width, height },
  matte: { data: noise(width * height).map((value) => value & 127), width, height },
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

test.each([5, 8, 13, 64])('of a picture %i pixels wide each soft pixel marks its cell', (width) => {
  const matte = { data: new Uint8Array(width * 9), width, height: 9 };
  for (let pixel = 0; pixel < matte.data.length; pixel++) {
    matte.data.fill(255);
    matte.data[pixel] = 128;
    expect(softCells(matte, gridOver(matte)).reduce((sum, mark) => sum + mark, 0)).toBe(1);
  }
  matte.data.fill(0);
  expect(softCells(matte, gridOver(matte)).some((mark) => mark === 1)).toBe(false);
});
