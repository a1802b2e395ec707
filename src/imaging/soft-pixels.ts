import type { Scene } from './fusion-grid.ts';
import { COLOUR_COUNT, type Surroundings } from './surroundings.ts';

/** For each pixel along a side: the cell before it, and its distance to that cell's centre, 0..1 of a cell. */
function interpolationAlong(length: number, cells: number, cell: number) {
  const lower = new Int32Array(length);
  const fraction = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    const position = Math.min(cells - 1, Math.max(0, (i + 0.5) / cell - 0.5));
    lower[i] = Math.floor(position);
    fraction[i] = position - lower[i]!;
  }
  return { lower, fraction };
}

type Interpolation = ReturnType<typeof interpolationAlong>;

/** Interpolates the grid's columns `from` to `to` at pixel row `y`, into `line`. */
function interpolateCellRows(
  { colours, columns, rows }: Surroundings,
  { lower, fraction }: Interpolation,
  y: number,
  from: number,
  to: number,
  line: Float32Array,
): void {
  const above = lower[y]! * columns * COLOUR_COUNT;
  const below = Math.min(lower[y]! + 1, rows - 1) * columns * COLOUR_COUNT;
  const v = fraction[y]!;
  for (let g = from * COLOUR_COUNT; g < to * COLOUR_COUNT; g++)
    line[g] = colours[above + g]! + (colours[below + g]! - colours[above + g]!) * v;
}

/** Calls `visit` with each run of marked cells in one grid row. */
function eachRun(
  marks: Uint8Array,
  from: number,
  to: number,
  visit: (from: number, to: number) => void,
): void {
  for (let start = marks.indexOf(1, from); start >= 0 && start < to; ) {
    let end = start + 1;
    while (end < to && marks[end] === 1) end++;
    visit(start - from, end - from);
    start = marks.indexOf(1, end);
  }
}

/** Interpolates the colours around pixel column `x` from a line of cells, into `out`. */
function interpolateColours(
  { lower, fraction }: Interpolation,
  line: Float32Array,
  x: number,
  out: Float64Array,
): void {
  const left = lower[x]! * COLOUR_COUNT;
  const right = Math.min(left + COLOUR_COUNT, line.length - COLOUR_COUNT);
  const u = fraction[x]!;
  for (let c = 0; c < COLOUR_COUNT; c++)
    out[c] = line[left + c]! + (line[right + c]! - line[left + c]!) * u;
}

/**
 * Calls `visit` with the index of each pixel whose alpha is neither 0 nor 255, and the colours around it: r g b of the
 * foreground and r g b of the background, valid until the next call. Pixels in cells without soft pixels cost nothing.
 */
export function eachSoftPixel(
  { pixels: { width, height }, matte }: Scene,
  surroundings: Surroundings,
  visit: (pixel: number, around: Float64Array) => void,
): void {
  const { columns, rows, cell, soft } = surroundings;
  const horizontal = interpolationAlong(width, columns, cell);
  const vertical = interpolationAlong(height, rows, cell);
  const line = new Float32Array(columns * COLOUR_COUNT);
  const around = new Float64Array(COLOUR_COUNT);
  for (let row = 0; row < rows; row++)
    eachRun(soft, row * columns, (row + 1) * columns, (from, to) => {
      const last = Math.min(width, to * cell);
      for (let y = row * cell; y < Math.min(height, (row + 1) * cell); y++) {
        const [left, right] = [Math.max(0, from - 1), Math.min(columns, to + 1)];
        interpolateCellRows(surroundings, vertical, y, left, right, line);
        for (let x = from * cell; x < last; x++) {
          const alpha = matte.data[y * width + x]!;
          if (alpha === 0 || alpha === 255) continue;
          interpolateColours(horizontal, line, x, around);
          visit(y * width + x, around);
        }
      }
    });
}
