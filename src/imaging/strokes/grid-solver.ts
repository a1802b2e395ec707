/** Equations over the open cells of a grid, one a cell: its value, linked to those of its four neighbours. */
export interface GridEquations {
  columns: number;
  /** The cells that are solved for, ascending. */
  open: Int32Array;
  /** Weight of the link between each cell and the one on its right, 0 unless both are open. */
  right: Float64Array;
  /** The same with the cell below. */
  below: Float64Array;
  /** Coefficient of each cell's own value; larger than the sum of its links. */
  diagonal: Float64Array;
  rhs: Float64Array;
}

/** Stops at this residual, relative to the right-hand side, or after so many iterations. */
const LIMITS = { tolerance: 1e-3, maxIterations: 60 };

/** Applies the matrix; values of cells that are not open do not count. */
function multiply(equations: GridEquations, values: Float64Array, out: Float64Array): void {
  const { columns, open, right, below, diagonal } = equations;
  for (let n = 0; n < open.length; n++) {
    const i = open[n]!;
    let sum = diagonal[i]! * values[i]!;
    if (right[i]! > 0) sum -= right[i]! * values[i + 1]!;
    if (below[i]! > 0) sum -= below[i]! * values[i + columns]!;
    if (i > 0 && right[i - 1]! > 0) sum -= right[i - 1]! * values[i - 1]!;
    if (i >= columns && below[i - columns]! > 0) sum -= below[i - columns]! * values[i - columns]!;
    out[i] = sum;
  }
}

/**
 * Solves the equations by conjugate gradients, preconditioned by the diagonal.
 * @param values the initial guess, replaced by the solution
 * @see Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. 2003, algorithm 9.1
 */
export function solveGrid(equations: GridEquations, values: Float64Array): void {
  const { open, diagonal, rhs } = equations;
  const residual = new Float64Array(values.length);
  const direction = new Float64Array(values.length);
  const product = new Float64Array(values.length);
  multiply(equations, values, product);
  let [norm, target] = [0, 0];
  for (const i of open) {
    residual[i] = rhs[i]! - product[i]!;
    direction[i] = residual[i]! / diagonal[i]!;
    norm += residual[i]! * direction[i]!;
    target += (LIMITS.tolerance * rhs[i]!) ** 2 / diagonal[i]!;
  }
  for (let round = 0; round < LIMITS.maxIterations && norm > target; round++) {
    multiply(equations, direction, product);
    let curvature = 0;
    for (const i of open) curvature += direction[i]! * product[i]!;
    const step = norm / curvature;
    const previous = norm;
    norm = 0;
    for (const i of open) {
      values[i]! += step * direction[i]!;
      residual[i]! -= step * product[i]!;
      norm += residual[i]! ** 2 / diagonal[i]!;
    }
    for (const i of open)
      direction[i] = residual[i]! / diagonal[i]! + (norm / previous) * direction[i]!;
  }
}
