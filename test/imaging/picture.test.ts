import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compositeOver, flattenOnGrey, subjectBox, toTensor } from '../../src/imaging/picture.ts';

const rows = (...lines: string[]) =>
  Uint8Array.from(lines.join(''), (mark) => ({ '#': 255, '+': 128, '-': 127 })[mark] ?? 0);

test.each([
  ['one pixel', rows('...', '.#.', '...'), { left: 1, top: 1, width: 1, height: 1 }],
  ['two far corners', rows('#..', '...', '..#'), { left: 0, top: 0, width: 3, height: 3 }],
  [
    'soft edges count from one half on',
    rows('-+-', '-#-'),
    { left: 1, top: 0, width: 1, height: 2 },
  ],
])('the box around %s', (_, alpha, box) => expect(subjectBox(alpha, 3)).toEqual(box));

test('there is no box without a subject', () => {
  expect(subjectBox(rows('...', '-.-'), 3)).toBeUndefined();
});

const pixels = (width: number, height: number, ...bytes: number[]) => ({
  data: Uint8Array.from(bytes),
  width,
  height,
});

test('colours are split into planes and divided by 255', () => {
  const tensor = toTensor(pixels(2, 1, 0, 51, 102, 153, 204, 255), {
    scale: 'divide-255',
    mean: [0, 0, 0],
    std: [1, 1, 1],
  });
  expect([...tensor].map((value) => value.toFixed(1))).toEqual(
    [0, 0.6, 0.2, 0.8, 0.4, 1].map((value) => value.toFixed(1)),
  );
});

test('each channel has its own mean and deviation', () => {
  const tensor = toTensor(pixels(1, 1, 255, 255, 255), {
    scale: 'divide-255',
    mean: [0.485, 0.456, 0.406],
    std: [0.229, 0.224, 0.225],
  });
  expect([...tensor].map((value) => value.toFixed(3))).toEqual(['2.249', '2.429', '2.640']);
});

test.each([
  { what: 'the brightest byte becomes 1', bytes: [50, 100, 25], seen: [0.5, 1, 0.25] },
  { what: 'a black image stays black', bytes: [0, 0, 0], seen: [0, 0, 0] },
])('divided by the maximum, $what', ({ bytes, seen }) => {
  const tensor = toTensor(pixels(1, 1, ...bytes), {
    scale: 'divide-max',
    mean: [0, 0, 0],
    std: [1, 1, 1],
  });
  expect([...tensor]).toEqual(seen);
});

test('transparent pixels show the grey, opaque pixels themselves, the rest a blend', () => {
  const laid = flattenOnGrey(
    pixels(3, 1, 250, 0, 90, 250, 0, 90, 250, 0, 90),
    Uint8Array.from([0, 255, 51]),
    128,
  );
  expect([...laid.data]).toEqual([128, 128, 128, 250, 0, 90, 152, 102, 120]);
});

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
