import { expect, test } from 'vitest';
import { frameSubject } from '../../../../workers/inference/garments/parse.ts';

const PHOTO = { width: 600, height: 900 };

test('a standing person is framed upright, with a margin', () => {
  const subject = { left: 250, top: 100, width: 150, height: 700 };
  const { region, input } = frameSubject(subject, PHOTO, 320);
  expect(input).toEqual({ width: 224, height: 448 });
  expect(region).toEqual({ left: 129, top: 58, width: 392, height: 784 });
});

test.each([
  { width: 300, height: 300, input: { width: 320, height: 320 } },
  { width: 280, height: 400, input: { width: 256, height: 384 } },
  { width: 500, height: 320, input: { width: 384, height: 256 } },
  { width: 580, height: 200, input: { width: 448, height: 224 } },
])('$width x $height is shown in $input', ({ input, ...size }) => {
  expect(frameSubject({ left: 10, top: 300, ...size }, PHOTO, 320).input).toEqual(input);
});

test('a subject that fills the image is shown whole, and stretched', () => {
  const image = { width: 100, height: 1000 };
  const { region, input } = frameSubject({ left: 0, top: 0, ...image }, image, 320);
  expect(region).toEqual({ left: 0, top: 0, ...image });
  expect(input).toEqual({ width: 224, height: 448 });
});

test('a frame never leaves the image, not even for a subject of one pixel at a corner', () => {
  for (const [left, top] of [
    [0, 0],
    [599, 899],
    [599, 0],
  ] as const) {
    const { region } = frameSubject({ left, top, width: 1, height: 1 }, PHOTO, 320);
    expect(region.width).toBeGreaterThan(0);
    expect(region.height).toBeGreaterThan(0);
    expect(region.left).toBeGreaterThanOrEqual(0);
    expect(region.top).toBeGreaterThanOrEqual(0);
    expect(region.left + region.width).toBeLessThanOrEqual(PHOTO.width);
    expect(region.top + region.height).toBeLessThanOrEqual(PHOTO.height);
  }
});
