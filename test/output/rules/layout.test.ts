import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layoutWithin, type MeasureBounds, meetsBounds } from '../../../src/output/rules/layout.ts';

const MAX_PIXELS = 50_000_000;
const box = { left: 10, top: 20, width: 600, height: 900 };

test.each<[string, MeasureBounds]>([
  ['nothing', {}],
  ['a fill ratio', { fill: { min: 0.85 } }],
  ['a small fill ratio', { fill: { min: 0.3, max: 0.5 } }],
  ['a square', { aspect: { min: 1, max: 1 } }],
  [
    'an upright aspect',
    { aspect: { min: 0.69, max: 0.7 }, longest: { min: 1100 }, shortest: { min: 762 } },
  ],
  ['a margin', { minMargin: 0.1, fill: { min: 0.7 } }],
  ['a long side', { longest: { min: 2000 } }],
  ['short sides', { longest: { max: 500 }, fill: { min: 0.85 } }],
  ['few pixels', { maxPixels: 100_000 }],
])('a layout meets bounds: %s', (_, bounds) => {
  const layout = layoutWithin(box, bounds, MAX_PIXELS);
  expect(meetsBounds(layout, bounds)).toBe(true);
  expect(layout.foreground.width).toBeLessThanOrEqual(box.width);
});

test('a subject that is too small is not enlarged: the fill ratio wins over the longest side', () => {
  const bounds = { fill: { min: 0.85 }, longest: { min: 3000 } };
  const layout = layoutWithin(box, bounds, MAX_PIXELS);
  expect(layout.foreground).toMatchObject({ width: 600, height: 900 });
  expect(meetsBounds(layout, { fill: bounds.fill })).toBe(true);
  expect(meetsBounds(layout, bounds)).toBe(false);
});

test('a short side is extended without the subject filling less of the long one', () => {
  const narrow = { left: 0, top: 0, width: 100, height: 1000 };
  const { canvas } = layoutWithin(narrow, { shortest: { min: 500 } }, MAX_PIXELS);
  expect(canvas).toEqual({ width: 500, height: 1087 });
});

test('any subject and any bounds give a layout whose subject lies on the canvas, no larger than it was', () => {
  const range = (min: number, max: number) =>
    fc.option(
      fc
        .tuple(fc.double({ min, max, noNaN: true }), fc.double({ min, max, noNaN: true }))
        .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) })),
      { nil: undefined },
    );
  const bounds = fc.record({
    fill: range(0.01, 1),
    minMargin: fc.option(fc.double({ min: 0, max: 0.45, noNaN: true }), { nil: undefined }),
    aspect: range(0.1, 10),
    longest: range(1, 16_000),
    shortest: range(1, 16_000),
    maxPixels: fc.option(fc.integer({ min: 10_000, max: 1e9 }), { nil: undefined }),
  });
  const side = fc.integer({ min: 1, max: 8000 });
  fc.assert(
    fc.property(bounds, side, side, (limits, width, height) => {
      const { canvas, foreground } = layoutWithin({ left: 0, top: 0, width, height }, limits, 1e7);
      expect(canvas.width * canvas.height).toBeLessThanOrEqual(1e7 * 1.1 + 20_000);
      expect(foreground.width).toBeLessThanOrEqual(Math.max(width, 1));
      expect(foreground.height).toBeLessThanOrEqual(Math.max(height, 1));
      expect(foreground.left).toBeGreaterThanOrEqual(0);
      expect(foreground.top).toBeGreaterThanOrEqual(0);
      expect(foreground.left + foreground.width).toBeLessThanOrEqual(canvas.width);
      expect(foreground.top + foreground.height).toBeLessThanOrEqual(canvas.height);
    }),
  );
});
