import type { Box, MattedImage, Size } from '../picture.ts';
import { boxAround, eachPathPixel, extentOf, PAINT, type Painted, type Stroke } from './paint.ts';

/** A squared distance that no two cells of a grid have; marks cells that nothing is at. */
export const UNREACHED = 1e20;

/** The parabolas of one line that are lowest somewhere, from left to right. */
interface Envelope {
  line: Float64Array;
  /** Where each parabola has its lowest point. */
  lowest: Int32Array;
  /** From where on it is the lowest of all. */
  start: Float64Array;
}

/** Finds the lower envelope of the parabolas on a line's values; returns their number. */
function findEnvelope({ line, lowest, start }: Envelope, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) {
    if (line[i]! >= UNREACHED) continue;
    let crossing = Number.NEGATIVE_INFINITY;
    for (; count > 0; count--) {
      const j = lowest[count - 1]!;
      crossing = (line[i]! + i * i - line[j]! - j * j) / (2 * (i - j));
      if (crossing > start[count - 1]!) break;
      crossing = Number.NEGATIVE_INFINITY;
    }
    lowest[count] = i;
    start[count++] = crossing;
  }
  return count;
}

function transformLine(
  values: Float64Array,
  first: number,
  stride: number,
  length: number,
  envelope: Envelope,
): void {
  const { line, lowest, start } = envelope;
  for (let i = 0; i < length; i++) line[i] = values[first + i * stride]!;
  const count = findEnvelope(envelope, length);
  if (count === 0) return;
  for (let i = 0, k = 0; i < length; i++) {
    while (k < count - 1 && start[k + 1]! < i) k++;
    const away = i - lowest[k]!;
    values[first + i * stride] = away * away + line[lowest[k]!]!;
  }
}

/**
 * Replaces each value, in place, by the squared distance, in cells, to the next cell whose value is 0; the other
 * values must be `UNREACHED`. Takes time linear in the number of cells.
 * @see Felzenszwalb & Huttenlocher, Distance Transforms of Sampled Functions, Theory of Computing 8, 2012
 */
export function squaredDistances(values: Float64Array, { width, height }: Size): void {
  const side = Math.max(width, height);
  const envelope = {
    line: new Float64Array(side),
    lowest: new Int32Array(side),
    start: new Float64Array(side),
  };
  for (let x = 0; x < width; x++) transformLine(values, x, width, height, envelope);
  for (let y = 0; y < height; y++) transformLine(values, y * width, 1, width, envelope);
}

/** How far a stroke reaches beyond its path: so many radii, and this share of the longer side of its bounding box. */
const REACH = { radii: 4, extent: 0.5 };

/** Larger parts of an image are solved on cells of several pixels. */
const MAX_CELLS = 40_000;

/**
 * Cells of several pixels end so many cells before the reach does: distances between them are only known to within a
 * cell, and pixels are interpolated from the cells around them.
 */
const COARSE_MARGIN = 2.5;

/** The part of an image that a stroke may change, in square cells, rows from the top. */
export interface StrokeCells {
  columns: number;
  rows: number;
  /** Pixels along a cell's side. */
  side: number;
  /** The pixels that the cells cover. */
  box: Box;
  /** Mean colour: red, green, blue, 0..255. */
  colours: Float32Array;
  /** Mean of what the stroke asks for that is there already, 0..255: alpha, or what it lacks of 255 for `erase`. */
  done: Float32Array;
  /** 1 where a stroke of this mode is, 2 where one of the other mode is. */
  painted: Uint8Array;
  /** Distance from the stroke, as a share of its reach: 0 under it, above 1 beyond its reach. */
  distance: Float32Array;
}

export const [SAME_MODE, OTHER_MODE] = [1, 2];

/** Returns how far from its path a stroke may change pixels, in pixels. */
export function reachOf({ radius, points }: Stroke): number {
  const { left, top, right, bottom } = extentOf(points);
  return REACH.radii * radius + REACH.extent * Math.max(right - left, bottom - top);
}

export const reachBox = (stroke: Stroke, size: Size): Box =>
  boxAround(stroke, reachOf(stroke), size);

/** Adds the pixels of the box to the sums of their cells; `counts` gets the number of pixels of each. */
function addPixels(
  { pixels: { data, width }, matte }: MattedImage,
  painted: Painted,
  mode: number,
  cells: StrokeCells,
  counts: Uint32Array,
): void {
  const { box, side, columns, colours, done } = cells;
  for (let y = 0; y < box.height; y++) {
    const row = Math.floor(y / side) * columns;
    let i = (box.top + y) * width + box.left;
    let p = painted.indexOf(box.left, box.top + y);
    for (let cell = row, x = 0; x < box.width; cell++) {
      const end = Math.min(box.width, x + side);
      counts[cell]! += end - x;
      let [red, green, blue, alpha, paint] = [0, 0, 0, 0, 0];
      for (; x < end; x++, i++, p++) {
        red += data[3 * i]!;
        green += data[3 * i + 1]!;
        blue += data[3 * i + 2]!;
        alpha += matte.data[i]!;
        paint = painted.data[p]! || paint;
      }
      colours[3 * cell]! += red;
      colours[3 * cell + 1]! += green;
      colours[3 * cell + 2]! += blue;
      done[cell]! += alpha;
      if (paint !== 0) cells.painted[cell] = paint === mode ? SAME_MODE : OTHER_MODE;
    }
  }
}

function toMeans({ colours, done }: StrokeCells, counts: Uint32Array, isErasing: boolean): void {
  for (let i = 0; i < counts.length; i++) {
    for (let c = 0; c < 3; c++) colours[3 * i + c]! /= counts[i]!;
    done[i]! /= counts[i]!;
    if (isErasing) done[i] = 255 - done[i]!;
  }
}

function measureDistances(cells: StrokeCells, stroke: Stroke, reach: number): void {
  const { box, side, columns, rows } = cells;
  const squared = new Float64Array(columns * rows).fill(UNREACHED);
  eachPathPixel(stroke, (x, y) => {
    const [column, row] = [Math.floor((x - box.left) / side), Math.floor((y - box.top) / side)];
    if (column < 0 || row < 0 || column >= columns || row >= rows) return;
    squared[row * columns + column] = 0;
  });
  squaredDistances(squared, { width: columns, height: rows });
  const radius = stroke.radius / side;
  const span = (reach - stroke.radius) / side - (side > 1 ? COARSE_MARGIN : 0);
  for (let i = 0; i < squared.length; i++)
    cells.distance[i] = Math.max(0, Math.sqrt(squared[i]!) - radius) / span;
}

/** Reads the part of an image that a stroke may change. @param painted of all strokes, see `paintStrokes` */
export function readCells(image: MattedImage, painted: Painted, stroke: Stroke): StrokeCells {
  const reach = reachOf(stroke);
  const box = reachBox(stroke, image.pixels);
  const side = Math.max(1, Math.ceil(Math.sqrt((box.width * box.height) / MAX_CELLS)));
  const [columns, rows] = [Math.ceil(box.width / side), Math.ceil(box.height / side)];
  const count = columns * rows;
  const cells = {
    columns,
    rows,
    side,
    box,
    colours: new Float32Array(3 * count),
    done: new Float32Array(count),
    painted: new Uint8Array(count),
    distance: new Float32Array(count),
  };
  const counts = new Uint32Array(count);
  addPixels(image, painted, PAINT[stroke.mode], cells, counts);
  toMeans(cells, counts, stroke.mode === 'erase');
  measureDistances(cells, stroke, reach);
  return cells;
}
