import type { Scene } from './fusion-grid.ts';
import type { Matte } from './matte.ts';
import {
  BACKGROUND,
  COLOUR_COUNT,
  estimateSurroundings,
  type Surroundings,
} from './surroundings.ts';
import type { Pixels } from './tensor.ts';

/**
 * Foreground colours under a soft edge, where a photo shows subject and background blended. Without them a
 * cut-out carries a halo of its old background.
 *
 * Blur fusion: estimate foreground and background from a wide window, correct the estimate by the observed
 * colour, then repeat with a narrow window.
 * @see Forte & Pitie, Approximate Fast Foreground Colour Estimation, ICIP 2021
 */

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

/** Recovers the soft pixels of a row between two columns. @param row index of the row's first pixel */
function recoverSpan(
  { pixels: { data }, matte }: Scene,
  row: number,
  from: number,
  to: number,
  interpolation: Interpolation,
  line: Float32Array,
): void {
  const last = line.length - COLOUR_COUNT;
  for (let x = from; x < to; x++) {
    const alpha = matte.data[row + x]! / 255;
    if (alpha === 0 || alpha === 1) continue;
    const left = interpolation.lower[x]! * COLOUR_COUNT;
    const right = Math.min(left + COLOUR_COUNT, last);
    const u = interpolation.fraction[x]!;
    for (let c = 0, p = 3 * (row + x); c < 3; c++, p++) {
      const foregroundLeft = line[left + c]!;
      const foreground = foregroundLeft + (line[right + c]! - foregroundLeft) * u;
      const backgroundLeft = line[left + BACKGROUND + c]!;
      const background = backgroundLeft + (line[right + BACKGROUND + c]! - backgroundLeft) * u;
      const own = foreground + alpha * (data[p]! - alpha * foreground - (1 - alpha) * background);
      data[p] = Math.min(255, Math.max(0, own)) + 0.5;
    }
  }
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

/**
 * Replaces blended colours by the foreground's own, in place, where alpha is neither 0 nor 255. All other
 * pixels stay unchanged, bit for bit. Memory beyond the arguments is bounded.
 * @param opacity the image's own alpha channel, one byte a pixel: hidden colours are not learnt from
 */
export function recoverForeground(pixels: Pixels, matte: Matte, opacity?: Uint8Array): void {
  const scene = { pixels, matte, opacity };
  const { width, height } = pixels;
  const surroundings = estimateSurroundings(scene);
  const { columns, rows, cell, soft } = surroundings;
  const horizontal = interpolationAlong(width, columns, cell);
  const vertical = interpolationAlong(height, rows, cell);
  const line = new Float32Array(columns * COLOUR_COUNT);
  for (let row = 0; row < rows; row++)
    eachRun(soft, row * columns, (row + 1) * columns, (from, to) => {
      for (let y = row * cell; y < Math.min(height, (row + 1) * cell); y++) {
        interpolateCellRows(
          surroundings,
          vertical,
          y,
          Math.max(0, from - 1),
          Math.min(columns, to + 1),
          line,
        );
        recoverSpan(scene, y * width, from * cell, Math.min(width, to * cell), horizontal, line);
      }
    });
}
