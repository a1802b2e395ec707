import { type Equations, MIDDLE, SIDE, STENCIL } from './matting-laplacian.ts';

/** When to stop: at this share of the right side, or after so many steps. */
export interface Patience {
  tolerance: number;
  mostSteps: number;
}

/** Pixels of a picture that are solved for. */
export interface Unknowns {
  /** Rising. */
  places: Int32Array;
  width: number;
  height: number;
}

/** The part of an equation that belongs to one row of its neighbours. */
const ofRow = (factors: Float32Array, f: number, values: Float64Array, v: number): number =>
  factors[f]! * values[v]! +
  factors[f + 1]! * values[v + 1]! +
  factors[f + 2]! * values[v + 2]! +
  factors[f + 3]! * values[v + 3]! +
  factors[f + 4]! * values[v + 4]!;

/** What equations are applied with: values of the unknowns laid out as the picture is. */
function operator(factors: Float32Array, { places, width, height }: Unknowns) {
  const margin = 2 * width + 2; // neighbours may lie beyond the first and the last row
  const values = new Float64Array(width * height + 2 * margin);
  const count = places.length;
  /** The two rows above and what is left in the row. */
  const before = (n: number, place: number): number => {
    const [f, v] = [n * STENCIL, place - 2];
    return (
      ofRow(factors, f, values, v - 2 * width) +
      ofRow(factors, f + SIDE, values, v - width) +
      factors[f + MIDDLE - 2]! * values[v]! +
      factors[f + MIDDLE - 1]! * values[v + 1]!
    );
  };
  /** What is right in the row and the two rows below. */
  const behind = (n: number, place: number): number => {
    const [f, v] = [n * STENCIL + MIDDLE, place];
    return (
      factors[f + 1]! * values[v + 1]! +
      factors[f + 2]! * values[v + 2]! +
      ofRow(factors, f + 3, values, v + width - 2) +
      ofRow(factors, f + 3 + SIDE, values, v + 2 * width - 2)
    );
  };
  return {
    multiply(vector: Float64Array, out: Float64Array): void {
      for (let n = 0; n < count; n++) values[places[n]! + margin] = vector[n]!;
      for (let n = 0; n < count; n++) {
        const place = places[n]! + margin;
        out[n] = before(n, place) + factors[n * STENCIL + MIDDLE]! * vector[n]! + behind(n, place);
      }
    },
    /** Gauss and Seidel: those before a pixel are done on the way forth, those behind it on the way back. */
    sweep(residual: Float64Array, out: Float64Array): void {
      for (let n = 0; n < count; n++) {
        const place = places[n]! + margin;
        values[place] = (residual[n]! - before(n, place)) / factors[n * STENCIL + MIDDLE]!;
      }
      for (let n = count - 1; n >= 0; n--) {
        const place = places[n]! + margin;
        out[n] = values[place]! -= behind(n, place) / factors[n * STENCIL + MIDDLE]!;
      }
    },
  };
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
 * @param start a guess; becomes the solution
 * @returns how many steps it took
 * @see Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, algorithm 9.1 and section 10.2
 */
export function solve(
  { factors, right }: Equations,
  unknowns: Unknowns,
  start: Float64Array,
  { tolerance, mostSteps }: Patience,
): number {
  const { multiply, sweep } = operator(factors, unknowns);
  const [residual, swept] = [right.slice(), new Float64Array(right.length)];
  const product = new Float64Array(right.length);
  sweep(right, swept);
  const enough = dot(right, swept) * tolerance ** 2;
  multiply(start, product);
  addTo(residual, -1, product);
  sweep(residual, swept);
  const direction = swept.slice();
  let left = dot(residual, swept);
  let steps = 0;
  for (; steps < mostSteps && left > enough; steps++) {
    multiply(direction, product);
    const length = left / dot(direction, product);
    addTo(start, length, direction);
    addTo(residual, -length, product);
    sweep(residual, swept);
    const before = left;
    left = dot(residual, swept);
    for (let n = 0; n < direction.length; n++)
      direction[n] = swept[n]! + (left / before) * direction[n]!;
  }
  return steps;
}
