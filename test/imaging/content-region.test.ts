import { describe, expect, test } from 'vitest';
import type { Box, Pixels } from '../../src/imaging/picture.ts';
import { contentRegion } from '../../src/imaging/views.ts';
import { createRandom } from '../faults/random.ts';

/** Where the content of an image is, if it is small on an even ground. */

const SIDE = 352;
const IMAGE = { width: 1056, height: 704 }; // a cell is 3 x 2 pixels
type Draw = (x: number, y: number) => number;
const WHITE: Draw = () => 255;

function squareOf(draw: Draw): Pixels {
  const data = new Uint8Array(3 * SIDE * SIDE);
  for (let cell = 0; cell < SIDE * SIDE; cell++)
    data.fill(draw(cell % SIDE, Math.floor(cell / SIDE)), 3 * cell, 3 * cell + 3);
  return { data, width: SIDE, height: SIDE };
}
const regionOf = (draw: Draw) => contentRegion(squareOf(draw), IMAGE);

const isIn = ({ left, top, width, height }: Box, x: number, y: number): boolean =>
  x >= left && x < left + width && y >= top && y < top + height;
/** Draws boxes of one level over something else. */
const withBoxes =
  (ground: Draw, level: number, ...boxes: readonly Box[]): Draw =>
  (x, y) =>
    boxes.some((box) => isIn(box, x, y)) ? level : ground(x, y);

const SUBJECT: Box = { left: 200, top: 100, width: 30, height: 40 };
const shirt = (ground: Draw = WHITE): Draw => withBoxes(ground, 60, SUBJECT);
/** 90 x 80 pixels at 600, 200: a square of 2.6 x 90 around its middle. */
const AROUND: Box = { left: 528, top: 123, width: 234, height: 234 };
const random = createRandom(7);
const noise: readonly number[] = Array.from({ length: SIDE * SIDE }, () => random.below(9) - 4);
const noisy: Draw = (x, y) => 200 + noise[y * SIDE + x]!;
const at = (left: number, top: number, width: number, height = width): Box => ({
  left,
  top,
  width,
  height,
});

describe('a square around the content, in pixels of the image', () => {
  test.each<{ what: string; draw: Draw }>([
    { what: 'on white', draw: shirt() },
    { what: 'on a colour', draw: shirt(() => 90) },
    { what: 'on a noisy ground', draw: shirt(noisy) },
    { what: 'that is pale', draw: withBoxes(WHITE, 250, SUBJECT) },
    { what: 'beside a dirty pixel', draw: withBoxes(shirt(), 0, at(20, 300, 1)) },
    { what: 'beside specks of dust', draw: withBoxes(shirt(), 90, at(20, 300, 3), at(300, 9, 4)) },
    { what: 'with dirt on the border', draw: withBoxes(shirt(), 0, at(0, 300, 2)) },
  ])('$what', ({ draw }) => {
    expect(regionOf(draw)).toEqual(AROUND);
  });

  test('of several subjects, around all', () => {
    const [one, other] = [at(100, 100, 20), at(180, 130, 20)];
    const region = regionOf(withBoxes(WHITE, 60, one, other))!;
    for (const { left, top, width, height } of [one, other]) {
      expect(isIn(region, 3 * left, 2 * top)).toBe(true);
      expect(isIn(region, 3 * (left + width) - 1, 2 * (top + height) - 1)).toBe(true);
    }
  });

  test('within the image', () => {
    expect(regionOf(withBoxes(WHITE, 60, at(3, 10, 10, 40)))).toEqual(at(0, 0, 128, 164));
  });

  test('of an image smaller than what the network sees', () => {
    const region = contentRegion(squareOf(shirt()), { width: 88, height: 88 });
    expect(region).toEqual(at(40, 17, 27, 26));
  });
});

test.each<{ what: string; draw: Draw }>([
  { what: 'nothing', draw: WHITE },
  { what: 'noise', draw: noisy },
  { what: 'dust alone', draw: withBoxes(WHITE, 0, at(50, 50, 1), at(200, 9, 3)) },
  { what: 'a subject that the border cuts', draw: withBoxes(WHITE, 60, at(0, 100, 30)) },
  { what: 'a large subject', draw: withBoxes(WHITE, 60, at(100, 100, 130)) },
  { what: 'subjects far apart', draw: withBoxes(shirt(), 60, at(20, 300, 30)) },
  { what: 'a watermark far away', draw: withBoxes(shirt(), 235, at(20, 320, 60, 10)) },
  { what: 'a gradient', draw: shirt((x) => 150 + Math.floor(x / 8)) },
  { what: 'light on the middle', draw: shirt((x, y) => 255 - Math.hypot(x - 176, y - 176) / 8) },
  { what: 'a ground that is not even', draw: shirt((x, y) => 150 + 40 * ((x + y) % 2)) },
  {
    what: 'a print on a shirt of nearly the ground’s colour',
    draw: withBoxes(withBoxes(WHITE, 252, at(90, 60, 160, 240)), 20, at(150, 120, 40)),
  },
])('$what has none', ({ draw }) => {
  expect(regionOf(draw)).toBeUndefined();
});
