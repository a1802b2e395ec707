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
  { what: 'the reference itself', matte: half, iou: 1, mae: 0, edge: 0, solid: 1, clear: 1 },
  {
    what: 'nothing',
    matte: leftPart(0),
    iou: 0,
    mae: 1 / 2,
    edge: 1 / 2,
    solid: 0,
    clear: 1,
  },
  {
    what: 'three columns too many',
    matte: leftPart(33 / 60),
    iou: 30 / 33,
    mae: 3 / 60,
    edge: 3 / 12,
    solid: 1,
    clear: 1,
  },
  {
    what: 'nine columns too few',
    matte: leftPart(21 / 60),
    iou: 21 / 30,
    mae: 9 / 60,
    edge: 6 / 12,
    solid: 21 / 24,
    clear: 1,
  },
  {
    what: 'a haze everywhere',
    matte: leftPart(0.5, 250, 5),
    iou: 1,
    mae: 5 / 255,
    edge: 5 / 255,
    solid: 0,
    clear: 0,
  },
])('$what scores $iou, $mae, $edge, $solid, $clear', ({ matte, iou, mae, edge, solid, clear }) => {
  const near = (value: number) => expect.closeTo(value, 6);
  expect(scoresOf(matte, half)).toEqual({
    iou: near(iou),
    mae: near(mae),
    edge: near(edge),
    solid: near(solid),
    clear: near(clear),
  });
});

test('soft alpha of the reference belongs to the band at any distance from an edge', () => {
  const reference = leftPart(1, 200);
  expect(scoresOf(leftPart(1, 251), reference).edge).toBeCloseTo(51 / 255, 6);
});

test('two empty mattes have perfect scores', () => {
  expect(scoresOf(leftPart(0), leftPart(0))).toEqual({
    iou: 1,
    mae: 0,
    edge: 0,
    solid: 1,
    clear: 1,
  });
});

test('what is ignored counts neither way', () => {
  const ignore = leftPart(0.75).data;
  expect(scoresOf(leftPart(0.75), { ...half, ignore })).toMatchObject({ iou: 1, mae: 0, edge: 0 });
});
