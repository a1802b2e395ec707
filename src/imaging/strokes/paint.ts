import type { Box, Size } from '../picture.ts';

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
export function extentOf(points: readonly Point[]) {
  let [left, top, right, bottom] = [...points[0]!, ...points[0]!];
  for (const [x, y] of points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { left, top, right, bottom };
}

/** Returns the part of an image within a distance of a stroke's path, as a box; empty if there is none. */
export function boxAround({ points }: Pick<Stroke, 'points'>, distance: number, size: Size): Box {
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
