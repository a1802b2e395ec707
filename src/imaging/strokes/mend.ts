import type { Box, Matte, MattedImage, Pixels } from '../picture.ts';
import { eachNeighbour } from '../regions.ts';
import {
  OTHER_MODE,
  PAINT,
  type Painted,
  paintStrokes,
  reachBox,
  readCells,
  SAME_MODE,
  type Stroke,
  type StrokeCells,
} from './cells.ts';

/** Levels of each channel of a histogram. */
const LEVELS = 16;
const LEVEL_WIDTH = 256 / LEVELS;
/** What a colour that was not seen counts for, as a share of all. */
const UNSEEN = 1e-4;
/** Cells at least so much done belong to what the stroke asks for, below the other level to the contrary; of 255. */
const DONE = { min: 200, max: 128 };
/** Of what is done already, cells nearer than this share of the reach tell what the stroke means. */
const NEAR = 0.5;
/** How many cells one under a stroke of the other mode counts for. */
const OTHER_MODE_WEIGHT = 2;

/** Returns each cell's place in a histogram. */
function binsOf({ colours, distance }: StrokeCells): Uint16Array {
  const bins = new Uint16Array(distance.length);
  for (let i = 0; i < bins.length; i++)
    for (let c = 0; c < 3; c++)
      bins[i] = bins[i]! * LEVELS + Math.floor(colours[3 * i + c]! / LEVEL_WIDTH);
  return bins;
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Blurs a histogram of colours and divides it by `total`. */
function toHistogram(sums: Float64Array, total: number): Float64Array {
  let blurred = sums.map((value) => value / total);
  for (let stride = 1; stride < sums.length; stride *= LEVELS) {
    const sharp = blurred;
    blurred = sharp.map((value, bin) => {
      const level = Math.floor(bin / stride) % LEVELS;
      const below = level > 0 ? sharp[bin - stride]! : 0;
      const above = level < LEVELS - 1 ? sharp[bin + stride]! : 0;
      return value / 2 + (below + above) / 4;
    });
  }
  return blurred;
}

/**
 * Returns for each cell how probable its colour makes it that the stroke means it too, 0..1: the colours under the
 * stroke, and of what is near and as asked for already, against those that are not; the farther, the surer.
 * @param open one byte a cell, 1 if the stroke may change it
 */
function colourProbabilities(cells: StrokeCells, open: Uint8Array): Float32Array {
  const { painted, done, distance } = cells;
  const bins = binsOf(cells);
  const meant = new Float64Array(LEVELS ** 3);
  const contrary = new Float64Array(LEVELS ** 3);
  for (let i = 0; i < bins.length; i++) {
    const bin = bins[i]!;
    if (painted[i] === SAME_MODE) meant[bin]!++;
    else if (painted[i] === OTHER_MODE) contrary[bin]! += OTHER_MODE_WEIGHT;
    else if (done[i]! > DONE.min && distance[i]! < NEAR) meant[bin]!++;
    else if (done[i]! < DONE.max) contrary[bin]! += open[i] ? Math.min(1, distance[i]!) ** 2 : 1;
  }
  // Little that is contrary says little: it must not count as much as all that is meant.
  const total = Math.max(1, sumOf(meant));
  const own = toHistogram(meant, total);
  const other = toHistogram(contrary, Math.max(total, sumOf(contrary)));
  return Float32Array.from(bins, (bin) => {
    const likelihood = own[bin]! + UNSEEN;
    return likelihood / (likelihood + other[bin]! + UNSEEN);
  });
}

/** Equations over the open cells of a grid, one a cell: its value, linked to those of its four neighbours. */
interface GridEquations {
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
function solveGrid(equations: GridEquations, values: Float64Array): void {
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

/** From this level on, 0..255, a cell is as asked for and needs no change. */
const WHOLLY_DONE = 250;
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
      if (visited[j] || painted[j] !== 0 || done[j]! > WHOLLY_DONE || distance[j]! > 1) return;
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
    const isContrary = painted[outer] === OTHER_MODE || done[outer]! <= WHOLLY_DONE;
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
function spreadStroke(cells: StrokeCells): Float64Array {
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

/** How steeply alpha rises where a stroke's spread is undecided: from 0 to 255 within a quarter of its range. */
const STEEPNESS = 4;

/** Interpolates cell rows at a row of the box's pixels, into `line`. */
function interpolateRows(
  values: Float64Array,
  { columns, rows, side }: StrokeCells,
  y: number,
  line: Float64Array,
): void {
  const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / side - 0.5));
  const above = Math.floor(v) * columns;
  const below = Math.min(rows - 1, Math.floor(v) + 1) * columns;
  const share = v - Math.floor(v);
  for (let column = 0; column < columns; column++)
    line[column] =
      values[above + column]! + (values[below + column]! - values[above + column]!) * share;
}

/** Below the first level of a spread alpha stays as it is, from the second on it is as the stroke asks for. */
const UNDECIDED = [0.5 - 0.5 / STEEPNESS, 0.5 + 0.5 / STEEPNESS] as const;

/** Applies one stroke in place. `add` lowers no alpha, and `erase` raises none. */
function applyStroke(image: MattedImage, painted: Painted, stroke: Stroke): void {
  const cells = readCells(image, painted, stroke);
  const spread = spreadStroke(cells);
  const { box, columns, side } = cells;
  const { data, width } = image.matte;
  const isAdding = stroke.mode === 'add';
  const line = new Float64Array(columns);
  for (let y = 0; y < box.height; y++) {
    interpolateRows(spread, cells, y, line);
    const row = (box.top + y) * width + box.left;
    // Pixels between the centres of two cells, of which most agree.
    for (let left = 0, x = 0; left < columns; left++) {
      const [from, to] = [line[left]!, line[Math.min(columns - 1, left + 1)]!];
      const next = left === columns - 1 ? box.width : Math.ceil((left + 1.5) * side - 0.5);
      const end = Math.min(box.width, next);
      const isDecided = Math.min(from, to) >= UNDECIDED[1];
      if (isDecided) data.fill(isAdding ? 255 : 0, row + x, row + end);
      if (isDecided || Math.max(from, to) <= UNDECIDED[0]) x = end;
      for (; x < end; x++) {
        const u = Math.max(0, (x + 0.5) / side - 0.5 - left);
        const share = STEEPNESS * (from + (to - from) * u - 0.5) + 0.5;
        const alpha = Math.round(255 * Math.min(1, Math.max(0, share)));
        const i = row + x;
        data[i] = isAdding ? Math.max(data[i]!, alpha) : Math.min(data[i]!, 255 - alpha);
      }
    }
  }
}

const isEmpty = ({ width, height }: Box): boolean => width * height === 0;

function boxAroundAll(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Returns a matte that is mended by strokes, one after the other. Pixels under a stroke become wholly subject or
 * wholly background, by the last one over them; around it, the colours decide how far it spreads. Pixels beyond
 * `reachOf` of all strokes keep their alpha, and cost nothing but a copy. Time and memory for each stroke are bounded
 * by the part of the image that it reaches.
 * @param strokes with finite coordinates; those outside the image mark nothing
 * @see docs/adr/0051-refinements.md
 */
export function mendMatte(pixels: Pixels, matte: Matte, strokes: readonly Stroke[]): Matte {
  const mended = { ...matte, data: matte.data.slice() };
  const reaching = strokes.filter((stroke) => !isEmpty(reachBox(stroke, matte)));
  if (reaching.length === 0) return mended;
  const box = boxAroundAll(reaching.map((stroke) => reachBox(stroke, matte)));
  const painted = paintStrokes(reaching, matte, box);
  for (const stroke of reaching) applyStroke({ pixels, matte: mended }, painted, stroke);
  for (let y = 0, p = 0; y < box.height; y++)
    for (let x = 0, i = (box.top + y) * matte.width + box.left; x < box.width; x++, i++, p++) {
      const paint = painted.data[p]!;
      if (paint !== 0) mended.data[i] = paint === PAINT.add ? 255 : 0;
    }
  return mended;
}
