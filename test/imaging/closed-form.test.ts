import { expect, test } from 'vitest';
import { solve } from '../../src/imaging/conjugate-gradient.ts';
import { type Refinement, refineEdges } from '../../src/imaging/edges.ts';
import type { Matte } from '../../src/imaging/matte.ts';
import { mattingLaplacian, STENCIL, STENCIL_CENTRE } from '../../src/imaging/matting-laplacian.ts';
import type { Pixels } from '../../src/imaging/tensor.ts';
import { unsureBand } from '../../src/imaging/unsure-band.ts';

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
const refine = (pixels: Pixels, matte: Matte): Matte =>
  refineEdges(pixels, matte, THOROUGH, LEVELS, 1);

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
  const { ordinals } = unsureBand(initial);
  const changed = initial.data.filter((_, i) => ordinals[i]! < 0 && refined.data[i] !== before[i]);
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
    refineEdges(toPhoto(expected), initial, { ...THOROUGH, minCell: 0.8 }, LEVELS, cell);
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
    const refined = refineEdges(pixels, initial, { ...THOROUGH, limits }, LEVELS, 1);
    return maxDifference(refined, initial);
  };
  expect(refineSome(6)).toBeGreaterThan(0);
  expect(refineSome(60)).toBe(0);
});

test('the same picture gives the same matte', () => {
  const initial = drawMatte(WIDTH, HEIGHT, ramp(61, 7));
  const pixels = toPhoto(drawMatte(WIDTH, HEIGHT, ramp(59, 2)), 3);
  expect(refine(pixels, initial).data).toEqual(refine(pixels, initial).data);
});

test.each([
  { what: 'fewer pixels', most: { pixels: 4000, unknowns: 250_000, share: 1 } },
  { what: 'fewer unknowns', most: { pixels: 2 ** 20, unknowns: 400, share: 1 } },
])('solved on $what, an edge still moves to where the photo has it', ({ most: limits }) => {
  const expected = drawMatte(WIDTH, HEIGHT, ramp(60, 1));
  const initial = drawMatte(WIDTH, HEIGHT, ramp(61.5, 6));
  const refined = refineEdges(toPhoto(expected), initial, { ...THOROUGH, limits }, LEVELS, 1);
  expect(meanError(refined, expected)).toBeLessThan(0.35 * meanError(initial, expected));
});

/** Equations of an image of noise, with a small prior towards zero. */
function grainyEquations() {
  const initial = drawMatte(WIDTH, HEIGHT, ramp(60, 8));
  const band = unsureBand(initial);
  const equations = mattingLaplacian(toPhoto(initial, 9), initial, band);
  for (let n = 0; n < band.indices.length; n++)
    equations.coefficients[STENCIL * n + STENCIL_CENTRE]! += 1e-4;
  const start = new Float64Array(band.indices.length);
  return { equations, unknowns: { indices: band.indices, width: WIDTH, height: HEIGHT }, start };
}

test('the solver stops at the iteration limit, and has converged when it stops before it', () => {
  const { equations, unknowns, start } = grainyEquations();
  expect(solve(equations, unknowns, start.slice(), { tolerance: 1e-12, maxIterations: 5 })).toBe(5);
  const solution = start.slice();
  const iterations = solve(equations, unknowns, solution, { tolerance: 1e-8, maxIterations: 2000 });
  expect(iterations).toBeLessThan(500);
  expect(solve(equations, unknowns, solution, { tolerance: 1e-6, maxIterations: 2000 })).toBe(0);
});

test('the coefficients of a row of the Laplacian sum to zero', () => {
  const all = drawMatte(WIDTH, HEIGHT, ramp(60, 8));
  const band = unsureBand(all);
  const { coefficients, rhs } = mattingLaplacian(toPhoto(all, 9), all, band);
  const deepInside = band.indices.findIndex((pixel) =>
    [-2, 2].every((d) => band.ordinals[pixel + d]! >= 0 && band.ordinals[pixel + d * WIDTH]! >= 0),
  );
  const row = coefficients.subarray(STENCIL * deepInside, STENCIL * (deepInside + 1));
  expect(rhs[deepInside]).toBe(0);
  expect(row.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(0, 4);
  expect(row[STENCIL_CENTRE]).toBeGreaterThan(0);
});
