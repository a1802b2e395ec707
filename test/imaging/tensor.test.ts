import { expect, test } from 'vitest';
import { flattenOnGrey, toTensor } from '../../src/imaging/tensor.ts';

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
