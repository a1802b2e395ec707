/*
 * Solves for the alpha of soft edges, on a smaller picture if need be: closed-form matting. `../assembly.ts` says in which
 * order these are called; `npm run build:wasm` compiles them.
 *
 * AssemblyScript: TypeScript with the types of WebAssembly. Names of memory are addresses. `begin` clears all
 * memory, so that all else may begin with zeros.
 */

import { findBand as find, markNeighbours } from './band.ts';
import {
  APPLIED,
  PRIOR,
  SOLUTION,
  setUnknowns,
  solve,
  UNKNOWN_BYTES,
  unknowns,
  WEIGHT,
} from './conjugate-gradient.ts';
import { enlarge, enlarged, fitLines } from './enlarge.ts';
import { DIAGONAL, EQUATION_BYTES, equations, pixels, RHS, writeEquations } from './equations.ts';
import { allocate, alpha, band, colours, height, nearBand, setSize, width } from './picture.ts';
import { addRow, endAlpha, endColours, line, setLine } from './shrink.ts';

export { addRow, alpha, band, colours, endAlpha, endColours, enlarge, enlarged, fitLines, line };

/** The initial matte is stretched between these levels first: networks blur edges. */
const STRETCH_LOW: f64 = 0.2;
const STRETCH_HIGH: f64 = 0.8;
/** Weight of the initial matte against the photo where alpha is 0 or 1; it falls to zero at one half. */
const PRIOR_WEIGHT: f64 = 0.035;
/** Where solution and initial matte differ by this much, the matte's weight is halved. */
const DISAGREEMENT_SCALE: f64 = 0.2;

let count: i32 = 0;
/** A byte a pixel, not zero for those of whose colours the solution depends. */
export let needed: i32 = 0;

/** Begins a picture. @param columns of it, and of the photo */
export function begin(columns: i32, rows: i32, photoColumns: i32): void {
  setSize(columns, rows);
  setLine(photoColumns);
}

/** Finds what is to be solved for. @returns how many pixels */
export function findBand(): i32 {
  count = find();
  needed = allocate(width * height);
  markNeighbours(nearBand, needed);
  return count;
}

/** The end of the run that `findRun` found last. */
export let runEnd: i32 = 0;

/** Returns the first pixel from `x` on that is marked, in row `y`, or the width; sets `runEnd`. */
export function findRun(marks: i32, y: i32, x: i32): i32 {
  const row = marks + y * width;
  let from = x;
  while (from < width && load<u8>(row + from) === 0) from++;
  runEnd = from;
  while (runEnd < width && load<u8>(row + runEnd) !== 0) runEnd++;
  return from;
}

function linearStep(value: f64, low: f64, high: f64): f64 {
  return min(1.0, max(0.0, (value - low) / (high - low)));
}

/** Adds the equation "alpha is that of the initial matte", so much weightier than before. */
function addPrior(unknown: i32, equation: i32, weight: f64): void {
  const added = weight - load<f64>(unknown, APPLIED);
  store<f64>(unknown, weight, APPLIED);
  store<f64>(equation, load<f64>(equation, DIAGONAL) + added, DIAGONAL);
  store<f64>(equation, load<f64>(equation, RHS) + added * load<f64>(unknown, PRIOR), RHS);
}

function beginPrior(): void {
  for (let n = 1; n <= count; n++) {
    const unknown = unknowns + UNKNOWN_BYTES * n;
    const value = (load<u8>(alpha + load<i32>(pixels + 4 * n)) as f64) / 255;
    const weight = 1e-9 + PRIOR_WEIGHT * (2 * value - 1) * (2 * value - 1);
    store<f64>(unknown, value, SOLUTION);
    store<f64>(unknown, linearStep(value, STRETCH_LOW, STRETCH_HIGH), PRIOR);
    store<f64>(unknown, weight, WEIGHT);
    addPrior(unknown, equations + EQUATION_BYTES * n, weight);
  }
}

/** Weighs the prior anew, by how far the solution is from it. */
function reweigh(): void {
  for (let n = 1; n <= count; n++) {
    const unknown = unknowns + UNKNOWN_BYTES * n;
    const distance = load<f64>(unknown, SOLUTION) - load<f64>(unknown, PRIOR);
    const residual = distance / DISAGREEMENT_SCALE;
    const weight = load<f64>(unknown, WEIGHT) / (1 + residual * residual);
    addPrior(unknown, equations + EQUATION_BYTES * n, weight);
  }
}

/**
 * Replaces alpha in the band by the best agreement of photo and matte. Where they disagree, the matte's weight falls from
 * round to round.
 *
 * Levin, Lischinski & Weiss, A Closed-Form Solution to Natural Image Matting, PAMI 30(2), 2008. Holland & Welsch, Robust
 * Regression Using Iteratively Reweighted Least-Squares, 1977; the weights are those of Geman & McClure,
 * 1 / (1 + (distance / scale)^2) here.
 * @param low alphas beyond it and `high` become 0 and 255
 * @returns the number of iterations
 */
export function solveBand(
  tolerance: f64,
  maxIterations: i32,
  reweightings: i32,
  low: f64,
  high: f64,
): i32 {
  writeEquations(count);
  setUnknowns(count);
  beginPrior();
  let iterations = solve(tolerance, maxIterations);
  for (let round = 0; round < reweightings; round++) {
    reweigh();
    iterations += solve(tolerance, maxIterations);
  }
  for (let n = 1; n <= count; n++) {
    const level = linearStep(load<f64>(unknowns + UNKNOWN_BYTES * n, SOLUTION), low, high);
    store<u8>(alpha + load<i32>(pixels + 4 * n), (255 * level + 0.5) as u8);
  }
  return iterations;
}
