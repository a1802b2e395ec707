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

/**
 * The matrix A = L + D + U, with the values of the unknowns laid out like the image. Its functions belong to the module:
 * V8 discards the machine code of closures that no longer exist, and would compile those of a matrix again for most
 * images.
 */
interface Matrix {
  coefficients: Float32Array;
  diagonal: Float64Array;
  indices: Int32Array;
  width: number;
  /** Before the first value and after the last: neighbours may lie beyond the first and the last row. */
  margin: number;
  values: Float64Array;
}

function matrixOf(coefficients: Float32Array, { indices, width, height }: Unknowns): Matrix {
  const margin = 2 * width + 2;
  const values = new Float64Array(width * height + 2 * margin);
  const diagonal = new Float64Array(indices.length);
  for (let n = 0; n < indices.length; n++)
    diagonal[n] = coefficients[n * STENCIL + STENCIL_CENTRE]!;
  return { coefficients, diagonal, indices, width, margin, values };
}

/** Terms of the two rows above and of the pixels to the left. */
const lowerTerms = ({ coefficients, values, width }: Matrix, n: number, position: number) => {
  const [f, v] = [n * STENCIL, position - 2];
  return (
    rowTerm(coefficients, f, values, v - 2 * width) +
    rowTerm(coefficients, f + STENCIL_SIDE, values, v - width) +
    coefficients[f + STENCIL_CENTRE - 2]! * values[v]! +
    coefficients[f + STENCIL_CENTRE - 1]! * values[v + 1]!
  );
};

/** Terms of the pixels to the right and of the two rows below. */
const upperTerms = ({ coefficients, values, width }: Matrix, n: number, position: number) => {
  const [f, v] = [n * STENCIL + STENCIL_CENTRE, position];
  return (
    coefficients[f + 1]! * values[v + 1]! +
    coefficients[f + 2]! * values[v + 2]! +
    rowTerm(coefficients, f + 3, values, v + width - 2) +
    rowTerm(coefficients, f + 3 + STENCIL_SIDE, values, v + 2 * width - 2)
  );
};

/** Writes the matrix times `vector`. */
function multiply(matrix: Matrix, vector: Float64Array, out: Float64Array): void {
  const { diagonal, indices, margin, values } = matrix;
  for (let n = 0; n < indices.length; n++) values[indices[n]! + margin] = vector[n]!;
  for (let n = 0; n < indices.length; n++) {
    const position = indices[n]! + margin;
    const lower = lowerTerms(matrix, n, position);
    out[n] = lower + diagonal[n]! * vector[n]! + upperTerms(matrix, n, position);
  }
}

/** Writes the solution of (L + D) out = rhs. */
function solveLower(matrix: Matrix, rhs: Float64Array, out: Float64Array): void {
  const { diagonal, indices, margin, values } = matrix;
  for (let n = 0; n < indices.length; n++) {
    const position = indices[n]! + margin;
    out[n] = values[position] = (rhs[n]! - lowerTerms(matrix, n, position)) / diagonal[n]!;
  }
}

/** Writes the solution of (D + U) out = rhs. */
function solveUpper(matrix: Matrix, rhs: Float64Array, out: Float64Array): void {
  const { diagonal, indices, margin, values } = matrix;
  for (let n = indices.length - 1; n >= 0; n--) {
    const position = indices[n]! + margin;
    out[n] = values[position] = (rhs[n]! - upperTerms(matrix, n, position)) / diagonal[n]!;
  }
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** Returns the sum of `weight * value * value`. */
const weightedSquares = (weight: Float64Array, value: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < value.length; i++) sum += weight[i]! * value[i]! * value[i]!;
  return sum;
};

/**
 * Solves symmetric positive definite equations by conjugate gradients, preconditioned by one symmetric Gauss-Seidel
 * sweep, (L + D) D^-1 (D + U). Each iteration solves both triangles once and needs no product with the matrix: with
 * d = (D + U)^-1 p, (L + D)^-1 A d = d + (L + D)^-1 (p - D d).
 * @param solution the initial guess, replaced by the solution
 * @returns the number of iterations
 * @see Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, sections 9.2.1 and 9.2.2 (Eisenstat, Efficient
 *   Implementation of a Class of Preconditioned Conjugate Gradient Methods, 1981)
 */
export function solve(
  { coefficients, rhs }: Equations,
  unknowns: Unknowns,
  solution: Float64Array,
  { tolerance, maxIterations }: SolverLimits,
): number {
  const matrix = matrixOf(coefficients, unknowns);
  const { diagonal } = matrix;
  const count = rhs.length;
  /** (L + D)^-1 times the residual. */
  const residual = new Float64Array(count);
  const product = new Float64Array(count);
  const remainder = new Float64Array(count);
  solveLower(matrix, rhs, residual);
  const target = weightedSquares(diagonal, residual) * tolerance ** 2;
  multiply(matrix, solution, product);
  for (let n = 0; n < count; n++) remainder[n] = rhs[n]! - product[n]!;
  solveLower(matrix, remainder, residual);
  const direction = new Float64Array(count);
  for (let n = 0; n < count; n++) direction[n] = diagonal[n]! * residual[n]!;
  /** The direction, of the solution itself. */
  const change = new Float64Array(count);
  let residualNorm = weightedSquares(diagonal, residual);
  let iterations = 0;
  for (; iterations < maxIterations && residualNorm > target; iterations++) {
    solveUpper(matrix, direction, change);
    for (let n = 0; n < count; n++) remainder[n] = direction[n]! - diagonal[n]! * change[n]!;
    solveLower(matrix, remainder, product);
    for (let n = 0; n < count; n++) product[n]! += change[n]!;
    const stepLength = residualNorm / dot(direction, product);
    for (let n = 0; n < count; n++) {
      solution[n]! += stepLength * change[n]!;
      residual[n]! -= stepLength * product[n]!;
    }
    const previousNorm = residualNorm;
    residualNorm = weightedSquares(diagonal, residual);
    const share = residualNorm / previousNorm;
    for (let n = 0; n < count; n++)
      direction[n] = diagonal[n]! * residual[n]! + share * direction[n]!;
  }
  return iterations;
}
