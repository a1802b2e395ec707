import { expect, test } from 'vitest';
import type { Levels } from '../../../src/imaging/matte.ts';
import type { Matte, Pixels } from '../../../src/imaging/picture.ts';
import { type Refinement, refineEdges } from '../../../workers/inference/assembly.ts';
import { QUICK_EDGES } from '../../../workers/inference/cut-out.ts';

const FRONT = [200, 60, 40];
const BACK = [30, 90, 160];

/** As `high` refines edges. */
const THOROUGH: Refinement = {
  tolerance: 1e-3,
  maxIterations: 40,
  reweightings: 2,
  limits: { pixels: 2 ** 20, unknowns: 120_000, share: 1 },
  minCell: 0,
};
const LEVELS = [0.04, 0.96] as const;
/** Returns a refined copy. */
function refine(
  pixels: Pixels,
  { data, ...size }: Matte,
  refinement = THOROUGH,
  levels: Levels = LEVELS,
  cell = 1,
): Matte {
  const matte = { data: data.slice(), ...size };
  refineEdges(pixels, matte, refinement, levels, cell);
  return matte;
}

type Alpha = (x: number, y: number) => number;

/** An edge that falls from 1 to 0 over `soft` pixels. */
const ramp =
  (edge: number, soft: number): Alpha =>
  (x) =>
    Math.min(1, Math.max(0, (edge - x) / soft + 0.5));

function drawMatte(width: number, height: number, alpha: Alpha): Matte {
  const data = new Uint8Array(width * height).map((_, i) =>
    Math.round(255 * alpha(i % width, Math.floor(i / width))),
  );
  return { data, width, height };
}

/** A subject of one colour on a background of another, with a little noise in each pixel. */
function toPhoto(matte: Matte, grain = 0): Pixels {
  const { width, height } = matte;
  const data = new Uint8Array(3 * width * height);
  for (let i = 0; i < data.length; i++) {
    const [pixel, c] = [Math.floor(i / 3), i % 3];
    const share = matte.data[pixel]! / 255;
    const noise = grain * (((pixel * 7919) % 13) - 6);
    data[i] = share * FRONT[c]! + (1 - share) * BACK[c]! + noise + 0.5;
  }
  return { data, width, height };
}

function maxDifference(a: Matte, b: Matte): number {
  let limits = 0;
  for (let i = 0; i < a.data.length; i++)
    limits = Math.max(limits, Math.abs(a.data[i]! - b.data[i]!));
  return limits;
}

const meanError = (a: Matte, b: Matte): number =>
  a.data.reduce((sum, alpha, i) => sum + Math.abs(alpha - b.data[i]!), 0) / a.data.length;

const [WIDTH, HEIGHT] = [120, 90];

test.each([
  { what: 'a hard edge', truth: ramp(60, 1), seen: ramp(61.5, 5) },
  { what: 'an edge two pixels off', truth: ramp(60, 3), seen: ramp(62, 6) },
  { what: 'a slanted edge', truth: ramp(60, 2), seen: ramp(61, 6), aslant: true },
])('$what moves to where the photo has it', ({ truth, seen, aslant }) => {
  const tilted = (alpha: Alpha): Alpha => (aslant ? (x, y) => alpha(x + (y - 45) / 3, y) : alpha);
  const expected = drawMatte(WIDTH, HEIGHT, tilted(truth));
  const initial = drawMatte(WIDTH, HEIGHT, tilted(seen));
  const refined = refine(toPhoto(expected), initial);
  expect(meanError(refined, expected)).toBeLessThan(0.15 * meanError(initial, expected));
});

test('pixels off the band keep their alpha, and the arguments stay unchanged', () => {
  const initial = drawMatte(WIDTH, HEIGHT, (x) => (x < 30 ? 0.97 : ramp(60, 6)(x, 0)));
  const before = initial.data.slice();
  const refined = refine(toPhoto(drawMatte(WIDTH, HEIGHT, ramp(58, 2)), 1), initial);
  const isInBand = bandOf(initial);
  const changed = initial.data.filter((_, i) => !isInBand[i] && refined.data[i] !== before[i]);
  expect(changed).toHaveLength(0);
  expect(initial.data).toEqual(before);
  expect(maxDifference(refined, initial)).toBeGreaterThan(50);
});

test.each([
  { what: 'nothing', alpha: () => 0 },
  { what: 'everything', alpha: () => 1 },
])('a matte of $what stays unchanged', ({ alpha }) => {
  const initial = drawMatte(WIDTH, HEIGHT, alpha);
  expect(refine(toPhoto(initial, 2), initial).data).toEqual(initial.data);
});

test.each([
  [1, 1],
  [2, 40],
  [40, 2],
  [3, 3],
])('a picture of %i x %i pixels, unsure everywhere, is solved', (width, height) => {
  const initial = drawMatte(width, height, () => 0.5);
  expect(refine(toPhoto(initial, 5), initial).data).toHaveLength(width * height);
});

test('where cells of the network are large, larger cells are solved, and the edge still moves', () => {
  const expected = drawMatte(WIDTH, HEIGHT, ramp(60, 1));
  const initial = drawMatte(WIDTH, HEIGHT, ramp(61.5, 6));
  const solve = (cell: number) =>
    refine(toPhoto(expected), initial, { ...THOROUGH, minCell: 0.8 }, LEVELS, cell);
  expect(solve(2.4)).toEqual(refine(toPhoto(expected), initial));
  const onCells = solve(3);
  expect(onCells).not.toEqual(solve(2.4));
  expect(meanError(onCells, expected)).toBeLessThan(0.35 * meanError(initial, expected));
});

test('a picture of which too much is unsure is left as it is', () => {
  const limits = { ...THOROUGH.limits, share: 0.25 };
  const refineSome = (soft: number) => {
    const initial = drawMatte(WIDTH, HEIGHT, ramp(61, soft));
    const pixels = toPhoto(drawMatte(WIDTH, HEIGHT, ramp(59, 2)), 3);
    const refined = refine(pixels, initial, { ...THOROUGH, limits });
    return maxDifference(refined, initial);
  };
  expect(refineSome(6)).toBeGreaterThan(0);
  expect(refineSome(60)).toBe(0);
});

test('the same picture gives the same matte, whatever was solved before', () => {
  const initial = drawMatte(WIDTH, HEIGHT, ramp(61, 7));
  const pixels = toPhoto(drawMatte(WIDTH, HEIGHT, ramp(59, 2)), 3);
  const first = refine(pixels, initial).data;
  const other = drawMatte(3 * WIDTH, 2 * HEIGHT, () => 0.5);
  refine(toPhoto(other, 9), other);
  expect(refine(pixels, initial).data).toEqual(first);
});

test.each([
  { what: 'fewer pixels', most: { pixels: 4000, unknowns: 250_000, share: 1 } },
  { what: 'fewer unknowns', most: { pixels: 2 ** 20, unknowns: 400, share: 1 } },
])('solved on $what, an edge still moves to where the photo has it', ({ most: limits }) => {
  const expected = drawMatte(WIDTH, HEIGHT, ramp(60, 1));
  const initial = drawMatte(WIDTH, HEIGHT, ramp(61.5, 6));
  const refined = refine(toPhoto(expected), initial, { ...THOROUGH, limits });
  expect(meanError(refined, expected)).toBeLessThan(0.35 * meanError(initial, expected));
});

/** Which pixels are a pixel or less from what is unsure, or from a boundary of subject and background. */
function bandOf({ data, width, height }: Matte): boolean[] {
  const isSubject = (i: number) => data[i]! > 127;
  const isSeed = Array.from(data, (alpha, i) => {
    const right = i % width < width - 1 ? i + 1 : i;
    const below = i + width < data.length ? i + width : i;
    const isEdge = isSubject(i) !== isSubject(right) || isSubject(i) !== isSubject(below);
    return isEdge || (alpha > 40 && alpha < 215);
  });
  return isSeed.map((_, i) => around(i, { width, height }, 1).some((near) => isSeed[near]));
}

/** The pixels of a square around one that are in the picture. */
function around(i: number, { width, height }: Pick<Matte, 'width' | 'height'>, reach: number) {
  const [x, y] = [i % width, Math.floor(i / width)];
  const side = Array.from({ length: 2 * reach + 1 }, (_, n) => n - reach);
  return side
    .flatMap((dy) => side.map((dx) => [x + dx, y + dy] as const))
    .filter(([column, row]) => column >= 0 && column < width && row >= 0 && row < height)
    .map(([column, row]) => row * width + column);
}

/** Solves a system by elimination. @param rows of a matrix, each with its right-hand side at the end */
function eliminate(rows: number[][]): number[] {
  rows.forEach((row, pivot) => {
    for (let other = pivot + 1; other < rows.length; other++) {
      const factor = rows[other]![pivot]! / row[pivot]!;
      if (factor !== 0)
        for (let k = pivot; k < row.length; k++) rows[other]![k]! -= factor * row[k]!;
    }
  });
  const solution = new Array<number>(rows.length).fill(0);
  for (let n = rows.length - 1; n >= 0; n--) {
    const known = solution.reduce((sum, value, k) => sum + (k > n ? rows[n]![k]! * value : 0), 0);
    solution[n] = (rows[n]!.at(-1)! - known) / rows[n]![n]!;
  }
  return solution;
}

/** The terms of a window's pixels with each other: Levin, Lischinski & Weiss, eq. 12. */
function windowTerms({ data }: Pixels, window: readonly number[]): number[][] {
  const colours = window.map((i) => [0, 1, 2].map((c) => data[3 * i + c]! / 255));
  const mean = [0, 1, 2].map((c) => colours.reduce((sum, colour) => sum + colour[c]! / 9, 0));
  const centred = colours.map((colour) => colour.map((value, c) => value - mean[c]!));
  const covariance = [0, 1, 2].map((a) =>
    [0, 1, 2].map((b) => (a === b ? 1e-6 : 0) + centred.reduce((sum, i) => sum + i[a]! * i[b]!, 0)),
  );
  return centred.map((one, i) => {
    const whitened = eliminate(covariance.map((row, c) => [...row, one[c]!]));
    return centred.map((other, j) => {
      const similarity = other.reduce((sum, value, c) => sum + value * whitened[c]!, 0);
      return (i === j ? 1 : 0) - 1 / 9 - similarity;
    });
  });
}

/** The matte of which `refineEdges` approximates the solution, without reweighting, by its definition. */
function byDefinition(pixels: Pixels, { data, width, height }: Matte): number[] {
  const band = bandOf({ data, width, height }).flatMap((isIn, i) => (isIn ? [i] : []));
  const rows = band.map(() => new Array<number>(band.length + 1).fill(0));
  for (let centre = 0; centre < data.length; centre++) {
    const window = around(centre, { width, height }, 1);
    if (window.length < 9) continue;
    const terms = windowTerms(pixels, window);
    for (const [i, one] of window.entries())
      for (const [j, other] of window.entries()) {
        const row = rows[band.indexOf(one)];
        if (!row) continue;
        const known = band.indexOf(other);
        if (known >= 0) row[known]! += terms[i]![j]!;
        else if (data[other]! > 127) row[band.length]! -= terms[i]![j]!;
      }
  }
  band.forEach((i, n) => {
    const value = data[i]! / 255;
    const weight = 1e-9 + 0.035 * (2 * value - 1) ** 2;
    rows[n]![n]! += weight;
    rows[n]![band.length]! += weight * Math.min(1, Math.max(0, (value - 0.2) / 0.6));
  });
  const solved = eliminate(rows);
  const result = Array.from(data);
  band.forEach((i, n) => {
    result[i] = 255 * Math.min(1, Math.max(0, (solved[n]! - LEVELS[0]) / (LEVELS[1] - LEVELS[0])));
  });
  return result;
}

const EXACT: Refinement = { ...THOROUGH, tolerance: 1e-9, maxIterations: 3000, reweightings: 0 };

/** Bytes that look random and are always the same. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return new Uint8Array(length).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

test.each([
  { what: 'one pixel', width: 1, height: 1, alpha: () => 0.5 },
  { what: 'one row', width: 19, height: 1, alpha: ramp(9, 4) },
  { what: 'two columns', width: 2, height: 17, alpha: ramp(1, 1) },
  { what: 'three by three', width: 3, height: 3, alpha: () => 0.5 },
  { what: 'odd sides', width: 17, height: 13, alpha: ramp(8, 5) },
  { what: 'an edge at the frame', width: 16, height: 11, alpha: ramp(15.5, 2) },
  { what: 'unsure everywhere', width: 14, height: 12, alpha: () => 0.4 },
])('of $what the solution is the one that is defined', ({ width, height, alpha }) => {
  const initial = drawMatte(width, height, alpha);
  for (const grain of [0, 1, 9]) {
    const pixels = toPhoto(
      drawMatte(width, height, (x, y) => alpha(x + 1, y)),
      grain,
    );
    const { data } = refine(pixels, initial, EXACT);
    byDefinition(pixels, initial).forEach((expected, i) => {
      expect(Math.abs(data[i]! - expected)).toBeLessThan(0.6);
    });
  }
});

test('of noise under noise the solution is the one that is defined', () => {
  const [width, height] = [13, 11];
  const initial = { data: noise(width * height, 3), width, height };
  const pixels = { data: noise(3 * width * height, 4), width, height };
  const { data } = refine(pixels, initial, EXACT);
  byDefinition(pixels, initial).forEach((expected, i) => {
    expect(Math.abs(data[i]! - expected)).toBeLessThan(0.6);
  });
});

/** A picture upside down and mirrored. */
function turned<T extends Pixels | Matte>(picture: T, channels: number): T {
  const data = picture.data.slice().reverse();
  for (let i = 0; i < data.length; i += channels) data.subarray(i, i + channels).reverse();
  return { ...picture, data };
}

test.each([1, 2, 3, 5, 13])(
  'blocks of %i pixels: what is upside down gives the same upside down',
  (factor) => {
    const [width, height] = [26 * factor, 21 * factor];
    const disc: Alpha = (x, y) =>
      Math.min(1, Math.max(0, (7 - Math.hypot(x / factor - 12, y / factor - 9)) / 3 + 0.5));
    const initial = drawMatte(width, height, disc);
    const pixels = toPhoto(
      drawMatte(width, height, (x, y) => disc(x + factor, y)),
      4,
    );
    const exact = { ...EXACT, minCell: factor };
    const { data } = refine(pixels, initial, exact);
    const back = turned(refine(turned(pixels, 3), turned(initial, 1), exact), 1).data;
    expect(maxDifference({ ...initial, data }, { ...initial, data: back })).toBeLessThan(3);
    expect(maxDifference({ ...initial, data }, initial)).toBeGreaterThan(50);
  },
);

test('colours far from the band that is solved change nothing', () => {
  const [side, factor] = [240, 4];
  const initial = drawMatte(side, side, ramp(120, 10));
  const limits = { ...QUICK_EDGES.limits, pixels: (side / factor) ** 2 };
  const refineFrom = (first: number) => {
    const pixels = toPhoto(initial, 9);
    for (let i = 0; i < pixels.data.length; i++)
      if (Math.floor(i / 3) % side >= first) pixels.data[i]! ^= 64;
    return refine(pixels, initial, { ...QUICK_EDGES, limits }, [0.1, 0.9], 2);
  };
  // Unsure up to column 124, a block around it, and the blocks up to two further.
  expect(refineFrom(140)).toEqual(refineFrom(side));
  expect(refineFrom(128)).not.toEqual(refineFrom(side));
});
