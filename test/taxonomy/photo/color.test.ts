import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLOUR_IDS, dictionary } from '../../../src/taxonomy/dictionary/schema.ts';
import {
  familyDistance,
  type MeasuredColor,
  measureColors,
  nameColor,
  overallFamily,
} from '../../../src/taxonomy/photo/color.ts';

type Rgb = readonly [number, number, number];

/** A row of pixels: a number of each colour, with an alpha. */
const pixels = (...parts: readonly (readonly [count: number, color: Rgb, alpha?: number])[]) =>
  Uint8Array.from(
    parts.flatMap(([count, color, alpha = 255]) =>
      Array.from({ length: count }, () => [...color, alpha]).flat(),
    ),
  );

const NAVY: Rgb = [27, 42, 74];
const WHITE: Rgb = [247, 247, 245];
const RED: Rgb = [200, 30, 43];
const families = (colors: readonly MeasuredColor[]) => colors.map(({ family }) => family);

describe('measured colours', () => {
  test('have a family, a hex and a share', () => {
    const colors = measureColors(pixels([750, NAVY], [250, WHITE]));
    expect(colors).toMatchObject([
      { family: 'navy', hex: '#1b2a4a', share: 0.75 },
      { family: 'white', hex: '#f7f7f5', share: 0.25 },
    ]);
  });

  test('are weighted by alpha, and transparent pixels are ignored', () => {
    expect(families(measureColors(pixels([900, RED, 0], [900, RED, 127], [100, NAVY])))).toEqual([
      'navy',
    ]);
    const [first] = measureColors(pixels([500, NAVY, 255], [500, WHITE, 128]));
    expect(first?.share).toBeCloseTo(255 / (255 + 128), 2);
  });

  test('are empty if nothing is opaque', () => {
    expect(measureColors(pixels([100, RED, 0]))).toEqual([]);
    expect(measureColors(new Uint8Array())).toEqual([]);
  });

  test('merge light and shadow of one dye, the larger part giving the colour', () => {
    const folds = Array.from({ length: 40 }, (_, i): [number, Rgb] => {
      const light = 1 - i * 0.012;
      return [i < 20 ? 50 : 15, [200 * light, 30 * light, 43 * light]];
    });
    const colors = measureColors(pixels(...folds));
    expect(colors).toHaveLength(1);
    expect(colors[0]?.family).toBe('red');
  });

  test('keep black and white stripes apart', () => {
    expect(families(measureColors(pixels([500, WHITE], [500, [20, 20, 20]])))).toEqual([
      'white',
      'black',
    ]);
  });

  test('ignore specks', () => {
    expect(families(measureColors(pixels([990, NAVY], [10, RED])))).toEqual(['navy']);
  });

  test('do not depend on the order of pixels', () => {
    const parts = [
      [310, NAVY],
      [400, RED],
      [290, WHITE],
    ] as const;
    const one = measureColors(pixels(...parts));
    expect(measureColors(pixels(...parts.toReversed()))).toEqual(one);
  });

  test('are at most six, with shares that sum to one, for any image', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(byte, byte, byte), { minLength: 1, maxLength: 300 }),
        (colors) => {
          const measured = measureColors(
            pixels(...colors.map((color): [number, Rgb] => [1, color])),
          );
          expect(measured.length).toBeLessThanOrEqual(6);
          const sum = measured.reduce((total, { share }) => total + share, 0);
          if (measured.length > 0) expect(sum).toBeCloseTo(1, 9);
          for (const { family } of measured) expect(COLOUR_IDS).toContain(family);
        },
      ),
      { numRuns: 50 },
    );
  });
});

test.each(
  dictionary.colourFamilies.flatMap(({ id, prototypesLab }) =>
    prototypesLab.map((lab) => [id, lab] as const),
  ),
)('a prototype of %s is named so', (id, lab) => {
  expect(nameColor(lab)).toEqual({ family: id, deltaE: 0 });
});

test.each<[string, { family: string; share: number }[], string | undefined]>([
  ['one', [{ family: 'red', share: 1 }], 'red'],
  [
    'two shades of one family',
    [
      { family: 'red', share: 0.4 },
      { family: 'blue', share: 0.35 },
      { family: 'red', share: 0.25 },
    ],
    'red',
  ],
  [
    'four and none prevails',
    [
      { family: 'red', share: 0.3 },
      { family: 'blue', share: 0.3 },
      { family: 'green', share: 0.2 },
      { family: 'white', share: 0.2 },
    ],
    'multicolour',
  ],
  [
    'four and one prevails',
    [
      { family: 'red', share: 0.6 },
      { family: 'blue', share: 0.15 },
      { family: 'green', share: 0.15 },
      { family: 'white', share: 0.1 },
    ],
    'red',
  ],
  ['none', [], undefined],
])('one word for %s', (_, colors, expected) => {
  expect(overallFamily(colors)).toBe(expected);
});

test('the distance of families follows their looks', () => {
  expect(familyDistance('navy', 'black')).toBeLessThan(25);
  expect(familyDistance('white', 'black')).toBeGreaterThan(60);
  expect(familyDistance('multicolour', 'black')).toBe(0);
});
