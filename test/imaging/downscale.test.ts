import { expect, test } from 'vitest';
import { downscale, downscaleColours, downscaleMatte } from '../../src/imaging/downscale.ts';
import { refineEdges } from '../../src/imaging/edges.ts';
import { gridOver, softCells } from '../../src/imaging/fusion-grid.ts';
import { unsureBand } from '../../src/imaging/unsure-band.ts';
import { QUICK_EDGES } from '../../workers/inference/cut-out.ts';

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

/** A disc with a soft edge. */
function disc(side: number) {
  const radius = side / 3;
  return new Uint8Array(side * side).map((_, i) => {
    const distance = Math.hypot((i % side) - side / 2, Math.floor(i / side) - side / 2);
    return Math.min(255, Math.max(0, 128 + (radius - distance) * 12));
  });
}

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

test('colours that are not needed are left black, the others are as ever', () => {
  const { pixels } = imageOf(13, 11);
  const whole = downscaleColours(pixels, 3);
  const needed = new Uint8Array(whole.width * whole.height).map((_, i) => i % 2);
  const some = downscaleColours(pixels, 3, needed);
  expect(some.data).toEqual(whole.data.map((value, i) => value * needed[Math.floor(i / 3)]!));
});

test('edges depend on the colours up to two cells from the band that is solved, and on no others', () => {
  const [side, factor] = [600, 4];
  const matte = { data: disc(side), width: side, height: side };
  const { pixels } = imageOf(side, side);
  const limits = { ...QUICK_EDGES.limits, pixels: (side / factor) ** 2 };
  const refine = (data: Uint8Array) =>
    refineEdges({ ...pixels, data }, matte, { ...QUICK_EDGES, limits }, [0.1, 0.9], 2).data;
  const { ordinals } = unsureBand(downscaleMatte(matte, factor));
  const columns = side / factor;
  const isNear = (cell: number, reach: number): boolean => {
    for (let y = -reach; y <= reach; y++)
      for (let x = -reach; x <= reach; x++)
        if ((ordinals[cell + y * columns + x] ?? -1) >= 0) return true;
    return false;
  };
  const distances = Array.from(ordinals, (_, cell) => [0, 1, 2].find((d) => isNear(cell, d)) ?? 3);
  const changedAt = (distance: number) =>
    pixels.data.map((value, i) => {
      const [x, y] = [Math.floor(i / 3) % side, Math.floor(i / 3 / side)];
      const cell = Math.floor(y / factor) * columns + Math.floor(x / factor);
      return distances[cell] === distance ? 255 - value : value;
    });
  const refined = refine(pixels.data);
  expect(refine(changedAt(2))).not.toEqual(refined);
  expect(refine(changedAt(3))).toEqual(refined);
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
