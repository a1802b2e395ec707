import { expect, test } from 'vitest';
import { solve } from '../../src/imaging/conjugate-gradient.ts';
import { refineEdges } from '../../src/imaging/edges.ts';
import type { Matte } from '../../src/imaging/matte.ts';
import { MIDDLE, mattingLaplacian, STENCIL } from '../../src/imaging/matting-laplacian.ts';
import type { Pixels } from '../../src/imaging/tensor.ts';
import { unsureBand } from '../../src/imaging/unsure-band.ts';

const FRONT = [200, 60, 40];
const BACK = [30, 90, 160];

type Alpha = (x: number, y: number) => number;

/** An edge that falls from 1 to 0 over `soft` pixels. */
const ramp =
  (edge: number, soft: number): Alpha =>
  (x) =>
    Math.min(1, Math.max(0, (edge - x) / soft + 0.5));

function matteFrom(width: number, height: number, alpha: Alpha): Matte {
  const data = Uint8Array.from({ length: width * height }, (_, i) =>
    Math.round(255 * alpha(i % width, Math.floor(i / width))),
  );
  return { data, width, height };
}

/** A subject of one colour on a backdrop of another; each pixel a little darker or brighter. */
function photoOf(matte: Matte, grain = 0): Pixels {
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

function farthest(a: Matte, b: Matte): number {
  let most = 0;
  for (let i = 0; i < a.data.length; i++) most = Math.max(most, Math.abs(a.data[i]! - b.data[i]!));
  return most;
}

const meanError = (a: Matte, b: Matte): number =>
  a.data.reduce((sum, alpha, i) => sum + Math.abs(alpha - b.data[i]!), 0) / a.data.length;

const [WIDTH, HEIGHT] = [120, 90];

test.each([
  { what: 'a hard edge', truth: ramp(60, 1), seen: ramp(61.5, 5) },
  { what: 'an edge seen two pixels aside', truth: ramp(60, 3), seen: ramp(62, 6) },
  { what: 'an edge that runs aslant', truth: ramp(60, 2), seen: ramp(61, 6), aslant: true },
])('$what is put where the photo has it', ({ truth, seen, aslant }) => {
  const turned = (alpha: Alpha): Alpha => (aslant ? (x, y) => alpha(x + (y - 45) / 3, y) : alpha);
  const wanted = matteFrom(WIDTH, HEIGHT, turned(truth));
  const first = matteFrom(WIDTH, HEIGHT, turned(seen));
  const refined = refineEdges(photoOf(wanted), first);
  expect(meanError(refined, wanted)).toBeLessThan(0.15 * meanError(first, wanted));
});

test('off the band every pixel stays as it is, and what is put in is left alone', () => {
  const first = matteFrom(WIDTH, HEIGHT, (x) => (x < 30 ? 0.97 : ramp(60, 6)(x, 0)));
  const before = first.data.slice();
  const refined = refineEdges(photoOf(matteFrom(WIDTH, HEIGHT, ramp(58, 2)), 1), first);
  const { numbers } = unsureBand(first);
  const changed = first.data.filter((_, i) => numbers[i]! < 0 && refined.data[i] !== before[i]);
  expect(changed).toHaveLength(0);
  expect(first.data).toEqual(before);
  expect(farthest(refined, first)).toBeGreaterThan(50);
});

test.each([
  { what: 'nothing', alpha: () => 0 },
  { what: 'everything', alpha: () => 1 },
])('a matte of $what stays so', ({ alpha }) => {
  const first = matteFrom(WIDTH, HEIGHT, alpha);
  expect(refineEdges(photoOf(first, 2), first).data).toEqual(first.data);
});

test.each([
  [1, 1],
  [2, 40],
  [40, 2],
  [3, 3],
])('a picture of %i x %i pixels, unsure all over, is answered', (width, height) => {
  const first = matteFrom(width, height, () => 0.5);
  expect(refineEdges(photoOf(first, 5), first).data).toHaveLength(width * height);
});

test('the same picture gives the same matte', () => {
  const first = matteFrom(WIDTH, HEIGHT, ramp(61, 7));
  const pixels = photoOf(matteFrom(WIDTH, HEIGHT, ramp(59, 2)), 3);
  expect(refineEdges(pixels, first).data).toEqual(refineEdges(pixels, first).data);
});

test.each([
  { what: 'fewer pixels', most: { pixels: 4000, unknowns: 250_000 } },
  { what: 'fewer unknowns', most: { pixels: 2 ** 20, unknowns: 400 } },
])('solved on $what, an edge still is where the photo has it', ({ most }) => {
  const wanted = matteFrom(WIDTH, HEIGHT, ramp(60, 1));
  const first = matteFrom(WIDTH, HEIGHT, ramp(61.5, 6));
  const refined = refineEdges(photoOf(wanted), first, most);
  expect(meanError(refined, wanted)).toBeLessThan(0.35 * meanError(first, wanted));
});

/** Equations of a picture of grain alone, leaning a little towards one half. */
function grainyEquations() {
  const first = matteFrom(WIDTH, HEIGHT, ramp(60, 8));
  const band = unsureBand(first);
  const equations = mattingLaplacian(photoOf(first, 9), first, band);
  for (let n = 0; n < band.places.length; n++) equations.factors[STENCIL * n + MIDDLE]! += 1e-4;
  const start = new Float64Array(band.places.length);
  return { equations, unknowns: { places: band.places, width: WIDTH, height: HEIGHT }, start };
}

test('the solver ends when it is told to, and is near to the end when it says so', () => {
  const { equations, unknowns, start } = grainyEquations();
  expect(solve(equations, unknowns, start.slice(), { tolerance: 1e-12, mostSteps: 5 })).toBe(5);
  const solution = start.slice();
  const steps = solve(equations, unknowns, solution, { tolerance: 1e-8, mostSteps: 2000 });
  expect(steps).toBeLessThan(500);
  expect(solve(equations, unknowns, solution, { tolerance: 1e-6, mostSteps: 2000 })).toBe(0);
});

test('a row of the Laplacian sums to nothing with the known pixels it leans on', () => {
  const all = matteFrom(WIDTH, HEIGHT, ramp(60, 8));
  const band = unsureBand(all);
  const { factors, right } = mattingLaplacian(photoOf(all, 9), all, band);
  const deepInside = band.places.findIndex((place) =>
    [-2, 2].every((d) => band.numbers[place + d]! >= 0 && band.numbers[place + d * WIDTH]! >= 0),
  );
  const row = factors.subarray(STENCIL * deepInside, STENCIL * (deepInside + 1));
  expect(right[deepInside]).toBe(0);
  expect(row.reduce((sum, factor) => sum + factor, 0)).toBeCloseTo(0, 4);
  expect(row[MIDDLE]).toBeGreaterThan(0);
});
