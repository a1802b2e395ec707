import { describe, expect, test } from 'vitest';
import type { ProbabilityMap } from '../../src/imaging/matte.ts';
import { type Box, fullBox } from '../../src/imaging/picture.ts';
import { mergeViews, mirror, subjectRegion, withoutFrame } from '../../src/imaging/views.ts';

const PICTURE = { width: 500, height: 800 };

/** The probability map of an image, or of a region of it, drawn in image pixels. */
const drawMap = (
  width: number,
  height: number,
  draw: (x: number, y: number) => number,
  part = fullBox(PICTURE),
): ProbabilityMap => ({
  data: new Float32Array(width * height).map((_, i) =>
    draw(
      part.left + (((i % width) + 0.5) * part.width) / width,
      part.top + ((Math.floor(i / width) + 0.5) * part.height) / height,
    ),
  ),
  width,
  height,
});

const within = (box: Box) => (x: number, y: number) =>
  x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height ? 1 : 0;

describe('the region for a second pass', () => {
  test.each([
    {
      what: 'has margins, in whole pixels',
      subject: { left: 100, top: 200, width: 200, height: 400 },
      part: { left: 70, top: 140, width: 260, height: 520 },
    },
    {
      what: 'ends at the image border',
      subject: { left: 0, top: 400, width: 250, height: 400 },
      part: { left: 0, top: 340, width: 288, height: 460 },
    },
  ])('$what', ({ subject, part }) => {
    expect(subjectRegion(drawMap(100, 100, within(subject)), PICTURE, 1)).toEqual(part);
  });

  test('includes faint cells', () => {
    const seen = drawMap(100, 100, (x) => (x < 50 ? 0.9 : x < 100 ? 0.11 : 0.09));
    expect(subjectRegion(seen, PICTURE, 1)).toMatchObject({ left: 0, width: 115 });
  });

  test.each([
    { what: 'a large subject', draw: within({ left: 0, top: 0, width: 260, height: 800 }) },
    { what: 'no subject', draw: () => 0 },
  ])('is undefined for $what', ({ draw }) => {
    expect(subjectRegion(drawMap(100, 100, draw), PICTURE, 0.5)).toBeUndefined();
  });
});

describe('two merged views', () => {
  const part = { left: 133, top: 77, width: 211, height: 402 };
  const wave = (x: number, y: number) => 0.5 + 0.4 * Math.sin(x / 40) * Math.cos(y / 60);

  test('that agree give the same probabilities', () => {
    const closer = drawMap(64, 96, wave, part);
    const { data, ...size } = mergeViews(drawMap(100, 120, wave), closer, part, PICTURE);
    expect(size).toEqual({ width: 64, height: 96 });
    const furthest = data.reduce((most, p, i) => Math.max(most, Math.abs(p - closer.data[i]!)), 0);
    expect(furthest).toBeLessThan(0.01); // a neighbouring cell would be .1 off
  });

  test.each([
    { one: 0.9, other: 0.1, both: 0.5 },
    { one: 0.99, other: 0.5, both: 0.909 }, // odds of 99 and 1 are odds of 10
    { one: 1, other: 0.5, both: 0.99 },
    { one: 1, other: 0, both: 0.5 },
    { one: 0, other: 0, both: 0 },
  ])('of $one and $other are $both', ({ one, other, both }) => {
    const closer = drawMap(32, 32, () => other, part);
    const { data } = mergeViews(
      drawMap(50, 50, () => one),
      closer,
      part,
      PICTURE,
    );
    expect(data).toHaveLength(32 * 32);
    expect(data.filter((p) => Math.abs(p - both) >= 0.0005)).toHaveLength(0);
  });
});

test('mirror reverses every row', () => {
  const seen = { data: Float32Array.of(1, 2, 3, 4, 5, 6), width: 3, height: 2 };
  mirror(seen);
  expect([...seen.data]).toEqual([3, 2, 1, 6, 5, 4]);
});

test('a map loses its frame', () => {
  const data = new Float32Array(6 * 5).map((_, i) => i);
  expect(withoutFrame({ data, width: 6, height: 5 }, 1)).toEqual({
    data: Float32Array.of(7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22),
    width: 4,
    height: 3,
  });
});
