import { expect, test } from 'vitest';
import { inverseOf, rotatePixels, rotatePlanes } from '../../src/imaging/picture.ts';

/** Two rows of three. */
const SIZE = { width: 3, height: 2 };
const PLANES = Float32Array.of(1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60);

test.each([
  [0, PLANES],
  [1, Float32Array.of(4, 1, 5, 2, 6, 3, 40, 10, 50, 20, 60, 30)],
  [3, Float32Array.of(3, 6, 2, 5, 1, 4, 30, 60, 20, 50, 10, 40)],
] as const)('planes after %d quarter turns to the right', (rotation, rotated) => {
  expect(rotatePlanes(PLANES, SIZE, rotation)).toEqual(rotated);
});

test.each([0, 1, 3] as const)('a rotation by %d is undone', (rotation) => {
  const data = new Uint8Array(18).map((_, i) => i);
  const rotated = rotatePixels({ data, ...SIZE }, rotation);
  expect(rotated).toMatchObject(rotation === 0 ? SIZE : { width: 2, height: 3 });
  expect(rotatePixels(rotated, inverseOf(rotation))).toEqual({ data, ...SIZE });
});
