import { type Equations, MIDDLE, STENCIL } from './matting-laplacian.ts';

/** When to stop: at this share of the first residual, or after so many steps. */
export interface Patience {
  tolerance: number;
  mostSteps: number;
}

/** Numbers of a band laid out as the picture is, so that a pixel's neighbours are at fixed distances. */
function onGrid(places: Int32Array, offsets: Int32Array, size: number) {
  const margin = offsets[STENCIL - 1]!; // neighbours may lie beyond the first and the last row
  return { values: new Float64Array(size + 2 * margin), at: places.map((place) => place + margin) };
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** `target += share * source` */
function addTo(target: Float64Array, share: number, source: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i]! += share * source[i]!;
}

/**
 * Solves symmetric, positive definite equations by conjugate gradients, preconditioned by one sweep of
 * Gauss and Seidel forth and back.
 * @param places where in a picture of `size` pixels the unknowns are
 * @param start a guess; becomes the solution
 * @returns how many steps it took
 * @see Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, algorithm 9.1 and section 10.2
 */
export function solve(
  { factors, right, offsets }: Equations,
  places: Int32Array,
  size: number,
  start: Float64Array,
  { tolerance, mostSteps }: Patience,
): number {
  const count = places.length;
  const { values, at } = onGrid(places, offsets, size);
  const rowSum = (n: number, from: number, to: number): number => {
    let sum = 0;
    for (let k = from, f = n * STENCIL + from, place = at[n]!; k < to; k++, f++)
      sum += factors[f]! * values[place + offsets[k]!]!;
    return sum;
  };
  const multiply = (vector: Float64Array, out: Float64Array) => {
    for (let n = 0; n < count; n++) values[at[n]!] = vector[n]!;
    for (let n = 0; n < count; n++) out[n] = rowSum(n, 0, STENCIL);
  };
  /** Those before a pixel are done on the way forth, those behind it on the way back. */
  const sweep = (residual: Float64Array, out: Float64Array) => {
    for (let n = 0; n < count; n++)
      values[at[n]!] = (residual[n]! - rowSum(n, 0, MIDDLE)) / factors[n * STENCIL + MIDDLE]!;
    for (let n = count - 1; n >= 0; n--) {
      const behind = rowSum(n, MIDDLE + 1, STENCIL) / factors[n * STENCIL + MIDDLE]!;
      out[n] = values[at[n]!]! -= behind;
    }
  };
  const residual = new Float64Array(count);
  const swept = new Float64Array(count);
  const product = new Float64Array(count);
  multiply(start, product);
  for (let n = 0; n < count; n++) residual[n] = right[n]! - product[n]!;
  sweep(residual, swept);
  const direction = swept.slice();
  let left = dot(residual, swept);
  const enough = left * tolerance ** 2;
  let steps = 0;
  for (; steps < mostSteps && left > enough && left > 0; steps++) {
    multiply(direction, product);
    const length = left / dot(direction, product);
    addTo(start, length, direction);
    addTo(residual, -length, product);
    sweep(residual, swept);
    const now = dot(residual, swept);
    for (let n = 0; n < count; n++) direction[n] = swept[n]! + (now / left) * direction[n]!;
    left = now;
  }
  return steps;
}
