import { FAINT, type ProbabilityMap } from './matte.ts';
import type { Size } from './picture.ts';

/** Runs of marked cells in rows, and the region each belongs to. */
interface Runs {
  count: number;
  /** First cell, and the one after the last. */
  from: Int32Array;
  to: Int32Array;
  /** An earlier run of the same region, or itself (union-find). */
  parent: Int32Array;
}

/** Returns the first run of the region that a run belongs to. */
function rootOf(parent: Int32Array, run: number): number {
  let root = run;
  while (parent[root] !== root) root = parent[root] = parent[parent[root]!]!;
  return root;
}

const doubled = (values: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(2 * values.length);
  larger.set(values);
  return larger;
};

/** Finds the runs, and joins those that touch from row to row. */
function findRuns(marks: Uint8Array, width: number): Runs {
  let [from, to, parent] = [new Int32Array(4096), new Int32Array(4096), new Int32Array(4096)];
  let count = 0;
  for (let row = 0, above = 0; row < marks.length; row += width) {
    const first = count;
    const end = row + width;
    for (let cell = row; cell < end; cell++) {
      if (marks[cell] !== 1) continue;
      const start = cell;
      while (cell < end && marks[cell] === 1) cell++;
      if (count === from.length) [from, to, parent] = [doubled(from), doubled(to), doubled(parent)];
      [from[count], to[count], parent[count]] = [start, cell, count];
      while (above < first && to[above]! + width <= start) above++;
      for (let other = above; other < first && from[other]! + width < cell; other++) {
        const [one, two] = [rootOf(parent, other), rootOf(parent, count)];
        parent[Math.max(one, two)] = Math.min(one, two);
      }
      count++;
    }
    above = first;
  }
  return { count, from, to, parent };
}

/**
 * Returns the connected regions of marked cells (4-connectivity), each as the indices of its cells, in the order of
 * their first cells.
 * @param marks 1 where a cell is marked, rows from the top
 * @param minCells smaller regions are left out
 */
export function regionsOf(marks: Uint8Array, width: number, minCells = 1): Int32Array[] {
  const { count, from, to, parent } = findRuns(marks, width);
  const sizes = new Int32Array(count);
  for (let run = 0; run < count; run++) sizes[rootOf(parent, run)]! += to[run]! - from[run]!;
  const regions: Int32Array[] = [];
  const ends = new Int32Array(count);
  let total = 0;
  for (const size of sizes) if (size >= minCells) total += size;
  const cells = new Int32Array(total);
  for (let run = 0, end = 0; run < count; run++) {
    const root = rootOf(parent, run);
    const size = sizes[root]!;
    if (size < minCells) continue;
    if (root === run) {
      regions.push(cells.subarray(end, end + size));
      ends[run] = end;
      end += size;
    }
    let at = ends[root]!;
    for (let cell = from[run]!; cell < to[run]!; cell++) cells[at++] = cell;
    ends[root] = at;
  }
  return regions;
}

/**
 * Calls `visit` with each side of a region's cells on which no marked cell is: the cell, the step to what is beside it,
 * and how many cells there are that way, 0 at the rim.
 * @param marks of this region and all others; see `regionsOf`
 */
export function eachBorderSide(
  cells: Int32Array,
  marks: Uint8Array,
  width: number,
  visit: (cell: number, step: number, room: number) => void,
): void {
  const lastRow = marks.length / width - 1;
  for (const cell of cells) {
    const x = cell % width;
    const y = (cell - x) / width;
    if (x === 0 || marks[cell - 1] !== 1) visit(cell, -1, x);
    if (x === width - 1 || marks[cell + 1] !== 1) visit(cell, 1, width - 1 - x);
    if (y === 0 || marks[cell - width] !== 1) visit(cell, -width, y);
    if (y === lastRow || marks[cell + width] !== 1) visit(cell, width, lastRow - y);
  }
}

/** Calls `visit` with the up to four neighbours of a cell. @param count of all cells */
export function eachNeighbour(
  cell: number,
  width: number,
  count: number,
  visit: (near: number) => void,
): void {
  const x = cell % width;
  if (x > 0) visit(cell - 1);
  if (x < width - 1) visit(cell + 1);
  if (cell >= width) visit(cell - width);
  if (cell + width < count) visit(cell + width);
}

/** Returns the connected regions of cells that have at least `min`. */
export function regionsFrom({ data, width }: ProbabilityMap, min: number): Int32Array[] {
  const marks = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i++) if (data[i]! >= min) marks[i] = 1;
  return regionsOf(marks, width);
}

function sumOf({ data }: ProbabilityMap, cells: Int32Array): number {
  let sum = 0;
  for (const cell of cells) sum += data[cell]!;
  return sum;
}

/** Returns the regions of cells of at least `min` whose sums are below a share of the largest region's. */
export function minorRegions(map: ProbabilityMap, min: number, share: number): Int32Array[] {
  const regions = regionsFrom(map, min);
  const sums = regions.map((cells) => sumOf(map, cells));
  const largest = sums.reduce((max, sum) => Math.max(max, sum), 0);
  return regions.filter((_, n) => sums[n]! < share * largest);
}

/** A component below this share of the largest one's sum is a speck. */
const MAX_SPECK_SHARE = 0.02;

/** Clears specks, in place: connected components of less than a fiftieth of the largest one. */
export function dropSpecks(map: ProbabilityMap): void {
  for (const cells of minorRegions(map, FAINT, MAX_SPECK_SHARE))
    for (const cell of cells) map.data[cell] = 0;
}

/** The cells of a picture as lines along one axis: how far lines, and neighbours on a line, are apart. */
export interface Lines {
  count: number;
  length: number;
  lineStep: number;
  step: number;
}

export const rowsOf = ({ width, height }: Size): Lines => ({
  count: height,
  length: width,
  lineStep: width,
  step: 1,
});
export const columnsOf = ({ width, height }: Size): Lines => ({
  count: width,
  length: height,
  lineStep: 1,
  step: width,
});

/** Slides a window of `2 * radius + 1` cells along every line and sums it. */
function slide(source: Float32Array, along: Lines, radius: number, channels: number): Float32Array {
  const { count, length } = along;
  const stride = along.step * channels;
  const lineStride = along.lineStep * channels;
  const out = new Float32Array(source.length);
  const sum = new Float64Array(channels);
  for (let line = 0; line < count; line++) {
    sum.fill(0);
    for (let position = -radius; position < length; position++) {
      const at = line * lineStride + position * stride;
      const enters = at + radius * stride;
      const leaves = at - (radius + 1) * stride;
      if (position + radius < length)
        for (let c = 0; c < channels; c++) sum[c]! += source[enters + c]!;
      if (position > radius) for (let c = 0; c < channels; c++) sum[c]! -= source[leaves + c]!;
      if (position >= 0) for (let c = 0; c < channels; c++) out[at + c] = sum[c]!;
    }
  }
  return out;
}

/**
 * Returns the sums over a square window of `2 * radius + 1` cells a side, in linear time for any radius.
 * @param data cells row by row, `channels` numbers each
 */
export function boxSums(
  data: Float32Array,
  size: Size,
  channels: number,
  radius: number,
): Float32Array {
  return slide(slide(data, rowsOf(size), radius, channels), columnsOf(size), radius, channels);
}

/** Marks every cell within `radius` cells of a marked one (morphological dilation). */
export function dilate(
  marks: Uint8Array,
  { columns, rows }: { columns: number; rows: number },
  radius: number,
): Uint8Array {
  const out = new Uint8Array(marks.length);
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === 0) continue;
    const x = i % columns;
    const y = Math.floor(i / columns);
    const [left, right] = [Math.max(0, x - radius), Math.min(columns, x + radius + 1)];
    const bottom = Math.min(rows, y + radius + 1);
    for (let row = Math.max(0, y - radius); row < bottom; row++)
      out.fill(1, row * columns + left, row * columns + right);
  }
  return out;
}
