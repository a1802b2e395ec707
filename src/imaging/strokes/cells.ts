import type { Box, MattedImage, Size } from '../picture.ts';

/** What a stroke says about the pixels under it: they are subject, or they are not. */
export const STROKE_MODES = ['add', 'erase'] as const;
type StrokeMode = (typeof STROKE_MODES)[number];

type Point = readonly [x: number, y: number];

/** One stroke of a round brush, in pixels of the upright image; the centre of its first pixel is 0, 0. */
export interface Stroke {
  mode: StrokeMode;
  radius: number;
  /** The corners of its path; one alone is a dot. */
  points: readonly Point[];
}

/** What the strokes say about a pixel: nothing, or the mode of the last one over it. */
export const PAINT = { add: 1, erase: 2 } as const satisfies Record<StrokeMode, number>;

/** A distance that no two pixels of an image have. */
const FAR = 0xffff;

/** Calls `visit` with the pixels of a path, in order; some more than once. */
export function eachPathPixel(
  { points }: Pick<Stroke, 'points'>,
  visit: (x: number, y: number) => void,
): void {
  let [fromX, fromY] = points[0]!;
  for (const [x, y] of points) {
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY))));
    for (let step = 0; step <= steps; step++) {
      const share = step / steps;
      visit(Math.round(fromX + (x - fromX) * share), Math.round(fromY + (y - fromY) * share));
    }
    [fromX, fromY] = [x, y];
  }
}

/** Returns the least and the greatest coordinates of some points. */
function extentOf(points: readonly Point[]) {
  let [left, top, right, bottom] = [...points[0]!, ...points[0]!];
  for (const [x, y] of points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { left, top, right, bottom };
}

/** Returns the part of an image within a distance of a stroke's path, as a box; empty if there is none. */
function boxAround({ points }: Pick<Stroke, 'points'>, distance: number, size: Size): Box {
  const path = extentOf(points);
  const left = Math.max(0, Math.floor(path.left - distance));
  const top = Math.max(0, Math.floor(path.top - distance));
  const right = Math.min(size.width, Math.ceil(path.right + distance) + 1);
  const bottom = Math.min(size.height, Math.ceil(path.bottom + distance) + 1);
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** Returns for each pixel of a box how many rows away the next pixel of the path in its column is. */
function rowsToPath(stroke: Stroke, { left, top, width, height }: Box): Uint16Array {
  const rows = new Uint16Array(width * height).fill(FAR);
  eachPathPixel(stroke, (x, y) => {
    const [column, row] = [x - left, y - top];
    if (column < 0 || row < 0 || column >= width || row >= height) return;
    rows[row * width + column] = 0;
  });
  for (let i = width; i < rows.length; i++)
    if (rows[i]! > rows[i - width]!) rows[i] = rows[i - width]! + 1;
  for (let i = rows.length - width - 1; i >= 0; i--)
    if (rows[i]! > rows[i + width]!) rows[i] = rows[i + width]! + 1;
  return rows;
}

/** Returns half the width of a disc in each row, by its distance from the centre. */
const halfWidths = (radius: number): Int32Array =>
  Int32Array.from({ length: Math.floor(radius) + 1 }, (_, away) =>
    Math.floor(Math.sqrt(radius * radius - away * away)),
  );

/** Paints one stroke. Takes time for the pixels of its box and of its path, whatever its radius. */
function paintStroke(stroke: Stroke, size: Size, painted: Painted): void {
  const box = boxAround(stroke, stroke.radius, size);
  const { left, top, width, height } = box;
  const rows = rowsToPath(stroke, box);
  const halves = halfWidths(stroke.radius);
  const value = PAINT[stroke.mode];
  /** For each column of a row: how many discs begin there, less those that have ended. */
  const changes = new Int32Array(width + 1);
  for (let y = 0; y < height; y++) {
    changes.fill(0);
    for (let x = 0, i = y * width; x < width; x++, i++) {
      const away = rows[i]!;
      if (away >= halves.length) continue;
      const half = halves[away]!;
      changes[Math.max(0, x - half)]!++;
      changes[Math.min(width, x + half + 1)]!--;
    }
    const start = painted.indexOf(left, top + y);
    for (let x = 0, open = 0; x < width; x++) {
      open += changes[x]!;
      if (open > 0) painted.data[start + x] = value;
    }
  }
}

/** The part of an image that strokes may change, and what they say about its pixels. */
export interface Painted {
  box: Box;
  /** One value of `PAINT` for each pixel of the box, 0 where there is no stroke. */
  data: Uint8Array;
  /** Returns the place in `data` of a pixel of the image. */
  indexOf(x: number, y: number): number;
}

/** Paints strokes, later ones over earlier ones. @param box of the image, around all of them */
export function paintStrokes(strokes: readonly Stroke[], size: Size, box: Box): Painted {
  const painted = {
    box,
    data: new Uint8Array(box.width * box.height),
    indexOf: (x: number, y: number) => (y - box.top) * box.width + x - box.left,
  };
  for (const stroke of strokes) paintStroke(stroke, size, painted);
  return painted;
}

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
