import type { Scene } from './fusion-grid.ts';
import type { Matte } from './matte.ts';
import { BACK, COLOURS, type Surroundings, surroundingsOf } from './surroundings.ts';
import type { Pixels } from './tensor.ts';

/**
 * The subject's own colours under a soft edge, where a photo shows subject and backdrop mixed. Without
 * this a cut-out carries a rim of its old backdrop.
 *
 * Blur fusion: guess foreground and backdrop from their wide surroundings, correct the guess by what the
 * photo shows, then once more with a narrow window.
 * @see Forte & Pitie, Approximate Fast Foreground Colour Estimation, ICIP 2021
 */

/** For each place along a side: the cell before it, and how far it is on the way to the next, 0..1. */
function waysAlong(length: number, cells: number, cell: number) {
  const before = new Int32Array(length);
  const share = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    const place = Math.min(cells - 1, Math.max(0, (i + 0.5) / cell - 0.5));
    before[i] = Math.floor(place);
    share[i] = place - before[i]!;
  }
  return { before, share };
}

type Ways = ReturnType<typeof waysAlong>;

/** The colours around the columns `from` to `to` of the grid at the height of pixel row `y`, into `line`. */
function mixCellRows(
  { colours, columns, rows }: Surroundings,
  { before, share }: Ways,
  y: number,
  from: number,
  to: number,
  line: Float32Array,
): void {
  const above = before[y]! * columns * COLOURS;
  const below = Math.min(before[y]! + 1, rows - 1) * columns * COLOURS;
  const v = share[y]!;
  for (let g = from * COLOURS; g < to * COLOURS; g++)
    line[g] = colours[above + g]! + (colours[below + g]! - colours[above + g]!) * v;
}

/** Frees the soft pixels of a part of a row. `row` is its first pixel. */
function recoverPart(
  { pixels: { data }, matte }: Scene,
  row: number,
  from: number,
  to: number,
  ways: Ways,
  line: Float32Array,
): void {
  const last = line.length - COLOURS;
  for (let x = from; x < to; x++) {
    const alpha = matte.data[row + x]! / 255;
    if (alpha === 0 || alpha === 1) continue;
    const left = ways.before[x]! * COLOURS;
    const right = Math.min(left + COLOURS, last);
    const u = ways.share[x]!;
    for (let c = 0, p = 3 * (row + x); c < 3; c++, p++) {
      const before = line[left + c]!;
      const front = before + (line[right + c]! - before) * u;
      const behind = line[left + BACK + c]!;
      const back = behind + (line[right + BACK + c]! - behind) * u;
      const own = front + alpha * (data[p]! - alpha * front - (1 - alpha) * back);
      data[p] = Math.min(255, Math.max(0, own)) + 0.5;
    }
  }
}

/** Calls `visit` for each run of marked cells of one row of the grid. */
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
 * Puts the subject's own colours in place of the mixed ones, in place, where alpha is neither 0 nor 255.
 * All other pixels stay as they are, bit for bit. Memory beyond the arguments is bounded.
 * @param opacity the picture's own transparency, one byte a pixel: what is hidden is not learnt from
 */
export function recoverForeground(pixels: Pixels, matte: Matte, opacity?: Uint8Array): void {
  const scene = { pixels, matte, opacity };
  const { width, height } = pixels;
  const around = surroundingsOf(scene);
  const { columns, rows, cell, soft } = around;
  const across = waysAlong(width, columns, cell);
  const down = waysAlong(height, rows, cell);
  const line = new Float32Array(columns * COLOURS);
  for (let row = 0; row < rows; row++)
    eachRun(soft, row * columns, (row + 1) * columns, (from, to) => {
      for (let y = row * cell; y < Math.min(height, (row + 1) * cell); y++) {
        mixCellRows(around, down, y, Math.max(0, from - 1), Math.min(columns, to + 1), line);
        recoverPart(scene, y * width, from * cell, Math.min(width, to * cell), across, line);
      }
    });
}
