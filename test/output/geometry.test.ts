import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Box } from '../../src/imaging/picture.ts';
import { type Geometry, type Length, layoutOf, regionOf } from '../../src/output/geometry.ts';

const px = (value: number): Length => ({ value, unit: 'px' });
const pct = (value: number): Length => ({ value, unit: '%' });
const all = (length: Length) => ({ top: length, right: length, bottom: length, left: length });
const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  width,
  height,
});
const size = (width: number, height: number) => ({ width, height });

const PICTURE = size(400, 300);
/** Off centre, to the left and low. */
const SUBJECT = box(50, 100, 100, 150);
const CENTER = { across: 0.5, down: 0.5 };

const CASES: [string, Geometry, ReturnType<typeof layoutOf>][] = [
  [
    'as it is',
    {},
    {
      canvas: PICTURE,
      source: box(0, 0, 400, 300),
      destination: box(0, 0, 400, 300),
      foreground: SUBJECT,
    },
  ],
  [
    'cropped',
    { margins: all(px(0)) },
    {
      canvas: size(100, 150),
      source: SUBJECT,
      destination: box(0, 0, 100, 150),
      foreground: box(0, 0, 100, 150),
    },
  ],
  [
    'cropped with margins in percent of the box: 10 across, 15 down',
    { margins: all(pct(10)) },
    {
      canvas: size(120, 180),
      source: box(40, 85, 120, 180),
      destination: box(0, 0, 120, 180),
      foreground: box(10, 15, 100, 150),
    },
  ],
  [
    'cropped with margins beyond the image, which are transparent there',
    { margins: { top: px(0), right: px(0), bottom: px(80), left: px(60) } },
    {
      canvas: size(160, 230),
      source: box(0, 100, 150, 200),
      destination: box(10, 0, 150, 200),
      foreground: box(60, 0, 100, 150),
    },
  ],
  [
    'scaled to half of the canvas, in its middle',
    { scale: 0.5, position: CENTER },
    {
      canvas: PICTURE,
      source: SUBJECT,
      destination: box(150, 75, 100, 150),
      foreground: box(150, 75, 100, 150),
    },
  ],
  [
    'enlarged to all of the canvas, down to its lower right corner',
    { scale: 1, position: { across: 1, down: 1 } },
    {
      canvas: PICTURE,
      source: SUBJECT,
      destination: box(200, 0, 200, 300),
      foreground: box(200, 0, 200, 300),
    },
  ],
  [
    'enlarged about its own centre, as far as the canvas allows',
    { scale: 1 },
    {
      canvas: PICTURE,
      source: SUBJECT,
      destination: box(0, 0, 200, 300),
      foreground: box(0, 0, 200, 300),
    },
  ],
  [
    'moved to the upper right at its own size',
    { position: { across: 1, down: 0 } },
    {
      canvas: PICTURE,
      source: SUBJECT,
      destination: box(300, 0, 100, 150),
      foreground: box(300, 0, 100, 150),
    },
  ],
  [
    'cropped with margins and scaled within them',
    { margins: all(px(50)), scale: 0.5, position: CENTER },
    {
      canvas: size(200, 250),
      source: SUBJECT,
      destination: box(59, 63, 83, 125),
      foreground: box(59, 63, 83, 125),
    },
  ],
  [
    'as it is in a quarter of the pixels',
    { maxPixels: 30_000 },
    {
      canvas: size(200, 150),
      source: box(0, 0, 400, 300),
      destination: box(0, 0, 200, 150),
      foreground: box(25, 50, 50, 75),
    },
  ],
];

test.each(CASES)('a subject %s', (_, geometry, layout) => {
  expect(layoutOf(PICTURE, SUBJECT, geometry)).toEqual(layout);
});

const length = fc.oneof(
  fc.integer({ min: 0, max: 500 }).map(px),
  fc.integer({ min: 0, max: 50 }).map(pct),
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const geometry = fc.record({
  margins: fc.option(fc.record({ top: length, right: length, bottom: length, left: length }), {
    nil: undefined,
  }),
  scale: fc.option(fc.double({ min: 0.1, max: 1, noNaN: true }), { nil: undefined }),
  position: fc.option(fc.record({ across: share, down: share }), { nil: undefined }),
  maxPixels: fc.option(fc.integer({ min: 10_000, max: 1_000_000 }), { nil: undefined }),
});
const scene = fc
  .record({ width: fc.integer({ min: 1, max: 16_384 }), height: fc.integer({ min: 1, max: 3000 }) })
  .chain((picture) =>
    fc
      .record({
        left: fc.integer({ min: 0, max: picture.width - 1 }),
        top: fc.integer({ min: 0, max: picture.height - 1 }),
      })
      .chain(({ left, top }) =>
        fc.record({
          picture: fc.constant(picture),
          subject: fc.record({
            left: fc.constant(left),
            top: fc.constant(top),
            width: fc.integer({ min: 1, max: picture.width - left }),
            height: fc.integer({ min: 1, max: picture.height - top }),
          }),
        }),
      ),
  );

const isIn = (inner: Box, { width, height }: { width: number; height: number }): boolean =>
  Math.min(inner.left, inner.top) >= 0 &&
  Math.min(inner.width, inner.height) >= 1 &&
  inner.left + inner.width <= width &&
  inner.top + inner.height <= height &&
  Object.values(inner).every(Number.isInteger);

test('for any geometry, the source is within the image and the destination within the canvas', () => {
  fc.assert(
    fc.property(scene, geometry, ({ picture, subject }, geometry) => {
      const { canvas, source, destination, foreground } = layoutOf(picture, subject, geometry);
      expect(isIn(source, picture)).toBe(true);
      expect(isIn(destination, canvas)).toBe(true);
      expect(isIn(foreground, canvas)).toBe(true);
      expect(canvas.width * canvas.height).toBeLessThanOrEqual(
        geometry.maxPixels ?? Number.POSITIVE_INFINITY,
      );
    }),
    { numRuns: 500 },
  );
});

describe('a region', () => {
  test.each([
    ['in percent', [pct(25), pct(50), pct(75), pct(100)], box(100, 150, 200, 150)],
    ['in pixels', [px(10), px(20), px(30), px(40)], box(10, 20, 20, 20)],
    ['clipped to the image', [px(350), px(0), px(9000), pct(10)], box(350, 0, 50, 30)],
    ['of a part of a pixel', [pct(0), pct(0), pct(0.1), pct(0.1)], box(0, 0, 1, 1)],
  ] as const)('%s', (_, corners, region) => {
    expect(regionOf(corners, PICTURE)).toEqual(region);
  });

  test.each([
    ['right of the image', [px(400), px(0), px(500), px(50)]],
    ['with swapped corners', [pct(50), px(0), px(100), px(50)]],
  ] as const)('%s is undefined', (_, corners) => {
    expect(regionOf(corners, PICTURE)).toBeUndefined();
  });
});
