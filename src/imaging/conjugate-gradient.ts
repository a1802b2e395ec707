import { type Equations, STENCIL, STENCIL_CENTRE, STENCIL_SIDE } from './matting-laplacian.ts';

/** Stops at a residual of `tolerance` relative to the right-hand side, or after `maxIterations`. */
export interface SolverLimits {
  tolerance: number;
  maxIterations: number;
}

/** The pixels of an image that are solved for. */
interface Unknowns {
  /** Pixel indices, ascending. */
  indices: Int32Array;
  width: number;
  height: number;
}

/** The terms of an equation that belong to one row of its neighbours. */
const rowTerm = (coefficients: Float32Array, f: number, values: Float64Array, v: number): number =>
  coefficients[f]! * values[v]! +
  coefficients[f + 1]! * values[v + 1]! +
  coefficients[f + 2]! * values[v + 2]! +
  coefficients[f + 3]! * values[v + 3]! +
  coefficients[f + 4]! * values[v + 4]!;

/** Applies the matrix, with the values of the unknowns laid out like the image. */
function operator(coefficients: Float32Array, { indices, width, height }: Unknowns) {
  const margin = 2 * width + 2; // neighbours may lie beyond the first and the last row
  const values = new Float64Array(width * height + 2 * margin);
  const count = indices.length;
  /** Terms of the two rows above and of the pixels to the left. */
  const lowerTerms = (n: number, position: number): number => {
    const [f, v] = [n * STENCIL, position - 2];
    return (
      rowTerm(coefficients, f, values, v - 2 * width) +
      rowTerm(coefficients, f + STENCIL_SIDE, values, v - width) +
      coefficients[f + STENCIL_CENTRE - 2]! * values[v]! +
      coefficients[f + STENCIL_CENTRE - 1]! * values[v + 1]!
    );
  };
  /** Terms of the pixels to the right and of the two rows below. */
  const upperTerms = (n: number, position: number): number => {
    const [f, v] = [n * STENCIL + STENCIL_CENTRE, position];
    return (
      coefficients[f + 1]! * values[v + 1]! +
      coefficients[f + 2]! * values[v + 2]! +
      rowTerm(coefficients, f + 3, values, v + width - 2) +
      rowTerm(coefficients, f + 3 + STENCIL_SIDE, values, v + 2 * width - 2)
    );
  };
  return {
    multiply(vector: Float64Array, out: Float64Array): void {
      for (let n = 0; n < count; n++) values[indices[n]! + margin] = vector[n]!;
      for (let n = 0; n < count; n++) {
        const position = indices[n]! + margin;
        out[n] =
          lowerTerms(n, position) +
          coefficients[n * STENCIL + STENCIL_CENTRE]! * vector[n]! +
          upperTerms(n, position);
      }
    },
    /** One symmetric Gauss-Seidel sweep: forward over the lower triangle, backward over the upper. */
    sweep(residual: Float64Array, out: Float64Array): void {
      for (let n = 0; n < count; n++) {
        const position = indices[n]! + margin;
        values[position] =
          (residual[n]! - lowerTerms(n, position)) / coefficients[n * STENCIL + STENCIL_CENTRE]!;
      }
      for (let n = count - 1; n >= 0; n--) {
        const position = indices[n]! + margin;
        out[n] = values[position]! -=
          upperTerms(n, position) / coefficients[n * STENCIL + STENCIL_CENTRE]!;
      }
    },
  };
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** `target += factor * source` */
function addScaled(target: Float64Array, factor: number, source: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i]! += factor * source[i]!;
}

/**
 * Solves symmetric positive definite equations by conjugate gradients, preconditioned by one symmetric
 * Gauss-Seidel sweep.
 * @param solution the initial guess, replaced by the solution
 * @returns the number of iterations
 * @see Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, algorithm 9.1 and section 10.2
 */
export function solve(
  { coefficients, rhs }: Equations,
  unknowns: Unknowns,
  solution: Float64Array,
  { tolerance, maxIterations }: SolverLimits,
): number {
  const { multiply, sweep } = operator(coefficients, unknowns);
  const residual = rhs.slice();
  const preconditioned = new Float64Array(rhs.length);
  const product = new Float64Array(rhs.length);
  sweep(rhs, preconditioned);
  const target = dot(rhs, preconditioned) * tolerance ** 2;
  multiply(solution, product);
  addScaled(residual, -1, product);
  sweep(residual, preconditioned);
  const direction = preconditioned.slice();
  let residualNorm = dot(residual, preconditioned);
  let iterations = 0;
  for (; iterations < maxIterations && residualNorm > target; iterations++) {
    multiply(direction, product);
    const stepLength = residualNorm / dot(direction, product);
    addScaled(solution, stepLength, direction);
    addScaled(residual, -stepLength, product);
    sweep(residual, preconditioned);
    const previousNorm = residualNorm;
    residualNorm = dot(residual, preconditioned);
    for (let n = 0; n < direction.length; n++)
      direction[n] = preconditioned[n]! + (residualNorm / previousNorm) * direction[n]!;
  }
  return iterations;
}
