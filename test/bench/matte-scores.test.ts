import { expect, test } from 'vitest';
import { scoresOf } from '../../bench/matte-scores.ts';

const SIDE = 60;

/** A square whose left `share` is subject. */
function leftPart(share: number, inside = 255, outside = 0) {
  const data = new Uint8Array(SIDE * SIDE).map((_, i) =>
    i % SIDE < share * SIDE ? inside : outside,
  );
  return { data, width: SIDE, height: SIDE };
}

const half = leftPart(0.5);

// The band around the edge of `half` is 12 of 60 columns.
test.each([
  ['the reference itself', half, 1, 0, 0, 1, 1],
  ['nothing', leftPart(0), 0, 1 / 2, 1 / 2, 0, 1],
  ['three columns too many', leftPart(33 / 60), 30 / 33, 3 / 60, 3 / 12, 1, 1],
  ['nine columns too few', leftPart(21 / 60), 21 / 30, 9 / 60, 6 / 12, 21 / 24, 1],
  ['a haze everywhere', leftPart(0.5, 250, 5), 1, 5 / 255, 5 / 255, 0, 0],
] as const)('%s has its scores', (_what, matte, iou, mae, edge, solid, clear) => {
  const near = (value: number) => expect.closeTo(value, 6);
  expect(scoresOf(matte, half)).toEqual({
    ...{ iou: near(iou), mae: near(mae), edge: near(edge) },
    ...{ solid: near(solid), clear: near(clear) },
  });
});

test('soft alpha of the reference belongs to the band at any distance from an edge', () => {
  const reference = leftPart(1, 200);
  expect(scoresOf(leftPart(1, 251), reference).edge).toBeCloseTo(51 / 255, 6);
});

test('two empty mattes have perfect scores', () => {
  const expected = { iou: 1, mae: 0, edge: 0, solid: 1, clear: 1 };
  expect(scoresOf(leftPart(0), leftPart(0))).toEqual(expected);
});

test('what is ignored counts neither way', () => {
  const ignore = leftPart(0.75).data;
  expect(scoresOf(leftPart(0.75), { ...half, ignore })).toMatchObject({ iou: 1, mae: 0, edge: 0 });
});
