import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compositeOver } from '../../src/imaging/composite.ts';
import { hardenMatte } from '../../src/imaging/matte.ts';

type Color = [number, number, number, number];

const onePixel = ([red, green, blue, alpha]: Color) => ({
  pixels: { data: Uint8Array.of(red, green, blue), width: 1, height: 1 },
  matte: { data: Uint8Array.of(alpha), width: 1, height: 1 },
});

function over(top: Color, below: Color): number[] {
  const pair = onePixel(top);
  compositeOver(pair, onePixel(below));
  return [...pair.pixels.data, ...pair.matte.data];
}

const byte = fc.integer({ min: 0, max: 255 });
const color = fc.tuple(byte, byte, byte, byte);

test('opaque pixels stay, and transparent pixels show what is below', () => {
  fc.assert(
    fc.property(color, color, (top, below) => {
      const [r, g, b] = top;
      expect(over([r, g, b, 255], below)).toEqual([r, g, b, 255]);
      if (below[3] > 0) expect(over([r, g, b, 0], below)).toEqual(below);
      expect(over(top, [9, 9, 9, 0])).toEqual(top);
    }),
  );
});

test('soft pixels are blended by their visible shares', () => {
  expect(over([200, 0, 100, 51], [0, 100, 100, 255])).toEqual([40, 80, 100, 255]);
  expect(over([255, 0, 0, 128], [0, 0, 255, 128])).toEqual([170, 0, 85, 192]);
});

test('a hardened matte is soft on its outline alone', () => {
  // biome-ignore format: pixels read best row by row
  const data = Uint8Array.of(
    0, 60, 200, 250, 180,
    0, 40, 140, 160, 200,
    90, 100, 190, 255, 10,
  );
  const { data: hard } = hardenMatte({ data, width: 5, height: 3 });
  // biome-ignore format: pixels read best row by row
  expect([...hard]).toEqual([
    0, 60, 200, 255, 255,
    0, 40, 140, 255, 200,
    0, 100, 190, 255, 10,
  ]);
});
