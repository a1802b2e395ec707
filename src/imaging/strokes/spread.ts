import { eachNeighbour } from '../regions.ts';
import { OTHER_MODE, SAME_MODE, type StrokeCells } from './cells.ts';
import { colourProbabilities } from './colour-probabilities.ts';
import { type GridEquations, solveGrid } from './grid-solver.ts';

/** From this level on, 0..255, a cell is as asked for and needs no change. */
const DONE = 250;
/** What a cell's own colour weighs, beside its likeness to a neighbour. */
const COLOUR_WEIGHT = 0.02;
/** How much more the present weighs at the end of the reach. */
const DISTANCE_WEIGHT = 0.3;
/** The least likeness of neighbours, whatever their colours. */
const MIN_LIKENESS = 0.005;

/**
 * Returns one byte a cell: 1 if the stroke may change it. From the stroke on those are the connected cells that are
 * not yet as asked for, are under no stroke of the other mode, and lie within its reach.
 */
function findOpen(cells: StrokeCells): Uint8Array {
  const { painted, done, distance, columns } = cells;
  const open = new Uint8Array(distance.length);
  const visited = new Uint8Array(distance.length);
  const queue: number[] = [];
  for (let i = 0; i < distance.length; i++) if (painted[i] === SAME_MODE) queue.push(i);
  for (let i = queue.pop(); i !== undefined; i = queue.pop())
    eachNeighbour(i, columns, distance.length, (j) => {
      if (visited[j] || painted[j] !== 0 || done[j]! > DONE || distance[j]! > 1) return;
      visited[j] = 1;
      open[j] = 1;
      queue.push(j);
    });
  return open;
}

/** Returns the squared distance of two cells' colours. */
function contrastOf({ colours }: StrokeCells, i: number, j: number): number {
  let sum = 0;
  for (let c = 0; c < 3; c++) sum += (colours[3 * i + c]! - colours[3 * j + c]!) ** 2;
  return sum;
}

/** Calls `visit` with each pair of neighbours of which at least one is open, and their contrast. */
function eachPair(
  cells: StrokeCells,
  open: Uint8Array,
  visit: (i: number, j: number, contrast: number) => void,
): void {
  const { columns } = cells;
  for (let i = 0; i < open.length; i++) {
    const [right, below] = [i + 1, i + columns];
    if (right % columns > 0 && (open[i] || open[right]))
      visit(i, right, contrastOf(cells, i, right));
    if (below < open.length && (open[i] || open[below]))
      visit(i, below, contrastOf(cells, i, below));
  }
}

/** Returns the mean contrast of neighbours. */
function meanContrast(cells: StrokeCells, open: Uint8Array): number {
  let [sum, count] = [0, 0];
  eachPair(cells, open, (_i, _j, contrast) => {
    sum += contrast;
    count++;
  });
  return sum / Math.max(1, count);
}

/** Adds the likeness of neighbours. What is done already, and no stroke's, says nothing about its neighbours. */
function addLinks(cells: StrokeCells, open: Uint8Array, equations: GridEquations): void {
  const { painted, done } = cells;
  const scale = 1 / (2 * meanContrast(cells, open) + 1);
  eachPair(cells, open, (i, j, contrast) => {
    const likeness = Math.exp(-scale * contrast) + MIN_LIKENESS;
    if (open[i] && open[j]) {
      equations.diagonal[i]! += likeness;
      equations.diagonal[j]! += likeness;
      (j === i + 1 ? equations.right : equations.below)[i] = likeness;
      return;
    }
    const [inner, outer] = open[i] ? [i, j] : [j, i];
    const isStroke = painted[outer] === SAME_MODE;
    const isContrary = painted[outer] === OTHER_MODE || done[outer]! <= DONE;
    if (isStroke || isContrary) equations.diagonal[inner]! += likeness;
    if (isStroke) equations.rhs[inner]! += likeness;
  });
}

/** Adds what each cell's own colour says, and that the present holds the more the farther away it is. */
function addColours(
  { distance }: StrokeCells,
  probabilities: Float32Array,
  equations: GridEquations,
): void {
  for (const i of equations.open) {
    equations.diagonal[i]! += COLOUR_WEIGHT * (1 + DISTANCE_WEIGHT * distance[i]!);
    equations.rhs[i]! += COLOUR_WEIGHT * probabilities[i]!;
  }
}

const indicesOf = (open: Uint8Array): Int32Array => {
  const indices: number[] = [];
  for (let i = 0; i < open.length; i++) if (open[i]) indices.push(i);
  return Int32Array.from(indices);
};

/**
 * Spreads a stroke over the cells it reaches: the probability that a walker that prefers alike neighbours comes to
 * the stroke before it comes to what stays as it is, drawn towards what each cell's colour says.
 * @returns for each cell 0..1: 1 under the stroke, 0 beyond its reach
 * @see Grady, Multilabel Random Walker Image Segmentation Using Prior Models, CVPR 2005
 */
export function spreadStroke(cells: StrokeCells): Float64Array {
  const open = findOpen(cells);
  const count = open.length;
  const probabilities = colourProbabilities(cells, open);
  const equations = {
    columns: cells.columns,
    open: indicesOf(open),
    right: new Float64Array(count),
    below: new Float64Array(count),
    diagonal: new Float64Array(count),
    rhs: new Float64Array(count),
  };
  addLinks(cells, open, equations);
  addColours(cells, probabilities, equations);
  const values = new Float64Array(count);
  for (const i of equations.open) values[i] = probabilities[i]!;
  solveGrid(equations, values);
  for (let i = 0; i < count; i++) if (cells.painted[i] === SAME_MODE) values[i] = 1;
  return values;
}
