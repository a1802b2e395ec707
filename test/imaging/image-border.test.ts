import { describe, expect, test } from 'vitest';
import type { ProbabilityMap } from '../../src/imaging/matte.ts';
import type { Pixels } from '../../src/imaging/picture.ts';
import { borderColour, shareCutByFrame } from '../../src/imaging/views.ts';

/** The border of images and of what was found in them. */

const SIDE = 20;
type Draw<T> = (x: number, y: number) => T;

const mapOf = (draw: Draw<number>): ProbabilityMap => ({
  data: new Float32Array(SIDE * SIDE).map((_, i) => draw(i % SIDE, Math.floor(i / SIDE))),
  width: SIDE,
  height: SIDE,
});

const pixelsOf = (draw: Draw<readonly [number, number, number]>): Pixels => ({
  data: Uint8Array.from(
    Array.from({ length: SIDE * SIDE }, (_, i) => draw(i % SIDE, Math.floor(i / SIDE))).flat(),
  ),
  width: SIDE,
  height: SIDE,
});

const NOTHING = mapOf(() => 0);
/** Every cell differs from the one before. */
const melange: Draw<readonly [number, number, number]> = (x, y) => {
  const grey = 100 + 20 * ((x + y) % 2);
  return [grey, grey, grey];
};

describe('the share that the frame cuts', () => {
  test.each([
    { what: 'nothing', draw: () => 0, wanted: 0 },
    { what: 'all', draw: () => 1, wanted: 1 },
    { what: 'the lower half', draw: (_: number, y: number) => Number(y >= 10), wanted: 38 / 76 },
    { what: 'one corner', draw: (x: number, y: number) => Number(x + y === 0), wanted: 1 / 76 },
    { what: 'the middle', draw: (x: number) => Number(x === 10), wanted: 2 / 76 },
  ])('of a subject: $what', ({ draw, wanted }) => {
    expect(shareCutByFrame(mapOf(draw))).toBeCloseTo(wanted, 10);
  });
});

describe('the colour of the border', () => {
  test('is the backdrop’s, averaged', () => {
    const graded = pixelsOf((x) => [200 + Math.round(x / 4), 180, 161]);
    const { r, g, b } = borderColour(graded, NOTHING)!;
    expect([g, b]).toEqual([180, 161]);
    expect(Math.abs(r - 202)).toBeLessThanOrEqual(2);
  });

  test('is not that of the subject', () => {
    const lower: Draw<boolean> = (_, y) => y >= 4;
    const pixels = pixelsOf((x, y) => (lower(x, y) ? [10, 20, 30] : [250, 250, 250]));
    const map = mapOf((x, y) => Number(lower(x, y)));
    expect(borderColour(pixels, map)).toEqual({ r: 250, g: 250, b: 250 });
  });

  test('is the even part’s, even if more of the border is cloth that was not found', () => {
    const pixels = pixelsOf((x, y) => (x > 15 && y < 10 ? [255, 255, 255] : melange(x, y)));
    expect(borderColour(pixels, NOTHING)).toEqual({ r: 255, g: 255, b: 255 });
  });

  test('is unknown if no part is even, or all is subject', () => {
    expect(borderColour(pixelsOf(melange), NOTHING)).toBeUndefined();
    expect(
      borderColour(
        pixelsOf(() => [9, 9, 9]),
        mapOf(() => 1),
      ),
    ).toBeUndefined();
  });
});
