import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullBox, type Matte, type Pixels } from '../../src/imaging/picture.ts';
import {
  paintStrokes,
  reachOf,
  type Stroke,
  squaredDistances,
  UNREACHED,
} from '../../src/imaging/strokes/cells.ts';
import { mendMatte } from '../../src/imaging/strokes/mend.ts';
import { randomRuns } from '../support/many.ts';

const [WIDTH, HEIGHT] = [120, 90];
const SUBJECT = [190, 70, 60];
const GROUND = [70, 110, 150];

type Where = (x: number, y: number) => boolean;

const inside =
  (left: number, top: number, right: number, bottom: number): Where =>
  (x, y) =>
    x >= left && x < right && y >= top && y < bottom;

const eachPixel = (draw: (x: number, y: number) => number): Uint8Array =>
  new Uint8Array(WIDTH * HEIGHT).map((_, i) => draw(i % WIDTH, Math.floor(i / WIDTH)));

const drawMatte = (where: Where): Matte => ({
  data: eachPixel((x, y) => (where(x, y) ? 255 : 0)),
  width: WIDTH,
  height: HEIGHT,
});

/** A photo with a little grain. */
function drawPhoto(where: Where): Pixels {
  const data = new Uint8Array(3 * WIDTH * HEIGHT);
  for (let i = 0; i < data.length; i++) {
    const pixel = Math.floor(i / 3);
    const colours = where(pixel % WIDTH, Math.floor(pixel / WIDTH)) ? SUBJECT : GROUND;
    data[i] = colours[i % 3]! + ((pixel * 7919) % 13) - 6;
  }
  return { data, width: WIDTH, height: HEIGHT };
}

/** A shirt with a sleeve on the right, and its parts. */
const body = inside(30, 10, 70, 80);
const sleeve = inside(70, 20, 100, 45);
const shirt: Where = (x, y) => body(x, y) || sleeve(x, y);
const PHOTO = drawPhoto(shirt);

const wrongShare = (matte: Matte, where: Where): number => {
  const expected = drawMatte(where).data;
  return (
    matte.data.filter((alpha, i) => alpha > 127 !== expected[i]! > 127).length / expected.length
  );
};

const stroke = (mode: Stroke['mode'], ...points: [number, number][]): Stroke => ({
  mode,
  radius: 4,
  points,
});

test.each([
  {
    what: 'a missing sleeve comes back up to its edge',
    faulty: body,
    with: [stroke('add', [75, 32], [94, 32])],
  },
  {
    what: 'a hole closes',
    faulty: ((x, y) => shirt(x, y) && !inside(40, 30, 60, 60)(x, y)) as Where,
    with: [stroke('add', [50, 36], [50, 54])],
  },
  {
    what: 'what is too much goes, up to the edge of the subject',
    faulty: ((x, y) => shirt(x, y) || inside(70, 50, 95, 80)(x, y)) as Where,
    with: [stroke('erase', [80, 56], [84, 74])],
  },
  {
    what: 'strokes of both kinds mend two faults',
    faulty: ((x, y) => body(x, y) || inside(8, 20, 30, 50)(x, y)) as Where,
    with: [stroke('add', [75, 32], [94, 32]), stroke('erase', [18, 27], [18, 43])],
  },
])('$what', ({ faulty, with: strokes }) => {
  const before = drawMatte(faulty);
  const mended = mendMatte(PHOTO, before, strokes);
  expect(wrongShare(before, shirt)).toBeGreaterThan(0.05);
  expect(wrongShare(mended, shirt)).toBeLessThan(0.002);
});

test('the last stroke over a pixel decides it, exactly', () => {
  const strokes = [stroke('add', [10, 80]), stroke('erase', [12, 80]), stroke('erase', [50, 40])];
  const { data } = mendMatte(PHOTO, drawMatte(shirt), strokes);
  expect([data[80 * WIDTH + 7], data[80 * WIDTH + 10], data[40 * WIDTH + 50]]).toEqual([255, 0, 0]);
});

test('without strokes the matte stays as it is', () => {
  const matte = drawMatte(shirt);
  expect(mendMatte(PHOTO, matte, []).data).toEqual(matte.data);
});

/** Strokes of any kind, some of their points outside the image. */
const anyStroke = fc.record({
  mode: fc.constantFrom('add' as const, 'erase' as const),
  radius: fc.double({ min: 0.5, max: 12, noNaN: true }),
  points: fc.array(
    fc.tuple(fc.double({ min: -30, max: 150, noNaN: true }), fc.integer({ min: -30, max: 120 })),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
});

/** Returns the distance of a pixel from a path. */
function distanceTo({ points }: Stroke, x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY;
  let [fromX, fromY] = points[0]!;
  for (const [toX, toY] of points) {
    const [dx, dy] = [toX - fromX, toY - fromY];
    const length = dx * dx + dy * dy;
    const along =
      length && Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length));
    least = Math.min(least, Math.hypot(x - fromX - along * dx, y - fromY - along * dy));
    [fromX, fromY] = [toX, toY];
  }
  return least;
}

test('pixels beyond the reach of every stroke stay bit for bit', () => {
  const soft = eachPixel((x, y) => (x * 31 + y * 17) % 256);
  const matte = { data: soft, width: WIDTH, height: HEIGHT };
  fc.assert(
    fc.property(fc.array(anyStroke, { minLength: 1, maxLength: 4 }), (strokes) => {
      const { data } = mendMatte(PHOTO, matte, strokes);
      return data.every((alpha, i) => {
        if (alpha === soft[i]) return true;
        // A path is drawn in whole pixels.
        return strokes.some(
          (one) => distanceTo(one, i % WIDTH, Math.floor(i / WIDTH)) <= reachOf(one) + 1,
        );
      });
    }),
    randomRuns(60),
  );
});

test('on cells of several pixels too, nothing beyond the reach changes', () => {
  const size = { width: 700, height: 500 };
  const pixels = { data: new Uint8Array(3 * 700 * 500).fill(90), ...size };
  const one = { ...stroke('add', [330, 240], [371, 263]), radius: 53.3 };
  const reach = reachOf(one);
  /** A hole that ends a little beyond the reach. */
  const isHole = (i: number) => distanceTo(one, i % 700, Math.floor(i / 700)) <= reach + 3;
  const alpha = new Uint8Array(700 * 500).map((_, i) => (isHole(i) ? 0 : 255));
  const { data } = mendMatte(pixels, { data: alpha, ...size }, [one]);
  const changed = [...data.keys()].filter((i) => data[i] !== alpha[i]);
  const farthest = changed.reduce(
    (max, i) => Math.max(max, distanceTo(one, i % 700, Math.floor(i / 700))),
    0,
  );
  expect(farthest).toBeGreaterThan(0.5 * reach);
  expect(farthest).toBeLessThanOrEqual(reach);
});

/** Returns a picture in the middle of a larger one, whose other pixels are all of one value. */
function framed(data: Uint8Array, channels: number, frame: number, fill: number): Uint8Array {
  const width = WIDTH + 2 * frame;
  const large = new Uint8Array(channels * width * (HEIGHT + 2 * frame)).fill(fill);
  for (let y = 0; y < HEIGHT; y++) {
    const row = data.subarray(channels * y * WIDTH, channels * (y + 1) * WIDTH);
    large.set(row, channels * ((y + frame) * width + frame));
  }
  return large;
}

test('what lies beyond the reach of a stroke does not change its result', () => {
  const one = stroke('add', [60, 40], [66, 44]);
  const frame = 300;
  const [width, height] = [WIDTH + 2 * frame, HEIGHT + 2 * frame];
  const pixels = { data: framed(PHOTO.data, 3, frame, 40), width, height };
  const matte = { data: framed(drawMatte(body).data, 1, frame, 0), width, height };
  const moved = { ...one, points: one.points.map(([x, y]) => [x + frame, y + frame] as const) };
  const mended = mendMatte(PHOTO, drawMatte(body), [one]);
  const { data } = mendMatte(pixels, matte, [moved]);
  expect(Buffer.compare(data, framed(mended.data, 1, frame, 0))).toBe(0);
});

test('adding lowers no alpha, and erasing raises none', () => {
  const matte = {
    data: eachPixel((x, y) => (x * 31 + y * 17) % 256),
    width: WIDTH,
    height: HEIGHT,
  };
  fc.assert(
    fc.property(anyStroke, (one) => {
      const sign = one.mode === 'add' ? 1 : -1;
      const { data } = mendMatte(PHOTO, matte, [one]);
      return data.every((alpha, i) => sign * (alpha - matte.data[i]!) >= 0);
    }),
    randomRuns(60),
  );
});

test('a stroke paints the discs around its path', () => {
  fc.assert(
    fc.property(anyStroke, (one) => {
      const size = { width: WIDTH, height: HEIGHT };
      const { data } = paintStrokes([one], size, fullBox(size));
      return data.every((value, i) => {
        const away = distanceTo(one, i % WIDTH, Math.floor(i / WIDTH));
        if (value === 0) return away > one.radius - 1.5 || isNearOutside(one, i);
        return away <= one.radius + 1;
      });
    }),
    randomRuns(60),
  );
});

/** Parts of a path outside the image paint nothing inside it. */
const isNearOutside = ({ radius }: Stroke, i: number): boolean => {
  const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
  return Math.min(x, y, WIDTH - 1 - x, HEIGHT - 1 - y) < radius + 1;
};

test('the cost of a stroke does not grow with its number of points in one place', () => {
  const points = Array.from({ length: 5000 }, (_, n): [number, number] => [n % 119, (n * 7) % 89]);
  const { data } = mendMatte(PHOTO, drawMatte(body), [{ mode: 'add', radius: 60, points }]);
  expect(data.every((alpha) => alpha === 255)).toBe(true);
});

test('squared distances are those of the nearest marked cell', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(11 * 8 - 1), { minLength: 1, maxLength: 9 }), (marked) => {
      const values = new Float64Array(11 * 8).fill(UNREACHED);
      for (const i of marked) values[i] = 0;
      squaredDistances(values, { width: 11, height: 8 });
      return values.every((value, i) => {
        const all = marked.map(
          (j) => ((i % 11) - (j % 11)) ** 2 + (Math.floor(i / 11) - Math.floor(j / 11)) ** 2,
        );
        return value === Math.min(...all);
      });
    }),
  );
});
