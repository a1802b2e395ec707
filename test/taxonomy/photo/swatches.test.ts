import { expect, test } from 'vitest';
import { measureColors, overallFamily } from '../../../src/taxonomy/photo/color.ts';
import { drawSwatch, STUFF_NAMES } from './swatches.ts';

const DYES: Readonly<Record<string, readonly string[]>> = {
  brown: ['#5a3a26', '#7b4a2d', '#6a4b3a'],
  beige: ['#d9c5a7', '#e2d3ba', '#d2bf9f', '#dccab0'],
  pink: ['#e79fb3', '#f1bcc8', '#d77a96'],
};
const SWATCHES = Object.entries(DYES).flatMap(([family, dyes]) =>
  dyes.flatMap((dye) => STUFF_NAMES.map((stuff) => ({ family, dye, stuff }))),
);

/** The light falls by this share from the left to the right; beige in deeper shadow is khaki, as a camera sees it. */
test.each([
  [0.15, 1],
  [0.25, 1],
  [0.35, 0.9],
])('brown, beige and pink stuffs are named in light that falls by %s', (fall, share) => {
  const wrong = SWATCHES.filter(
    ({ family, dye, stuff }) =>
      overallFamily(measureColors(drawSwatch(stuff, dye, fall))) !== family,
  );
  expect(SWATCHES).toHaveLength(40);
  expect(1 - wrong.length / SWATCHES.length, JSON.stringify(wrong)).toBeGreaterThanOrEqual(share);
});
