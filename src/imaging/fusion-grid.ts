import type { Matte } from './matte.ts';
import { wordsOf } from './subject-box.ts';
import type { Pixels } from './tensor.ts';

/**
 * Maximum cells a side: bounds memory and time, and makes the narrow window three cells wide. A grid half as
 * fine loses a twentieth of the colours' accuracy; a finer one gains nothing.
 */
const GRID = 200;

/** Per cell: foreground r g b and weight, background r g b and weight; sums, not means. */
export const CHANNELS = 8;

/** A grid of cells over an image. */
export interface Grid {
  columns: number;
  rows: number;
  /** Pixels along a cell's side. */
  cell: number;
}

/** An image whose foreground colours are to be recovered. */
export interface Scene {
  pixels: Pixels;
  matte: Matte;
  /** The image's own alpha channel: hidden colours are not learnt from. */
  opacity: Uint8Array | undefined;
}

export const gridOver = ({ width, height }: Pixels): Grid => {
  const cell = Math.ceil(Math.max(width, height) / GRID);
  return { columns: Math.ceil(width / cell), rows: Math.ceil(height / cell), cell };
};

/** Adds one pixel to the sums of a cell. */
export function addSample(
  { pixels, matte, opacity }: Scene,
  i: number,
  sums: Float32Array,
  at: number,
) {
  const visible = opacity ? opacity[i]! / 255 : 1; // hidden colours have no weight
  const foreground = (matte.data[i]! / 255) * visible;
  const background = visible - foreground;
  for (let c = 0; c < 3; c++) {
    const colour = pixels.data[3 * i + c]!;
    sums[at + c]! += colour * foreground;
    sums[at + 4 + c]! += colour * background;
  }
  sums[at + 3]! += foreground;
  sums[at + 7]! += background;
}

/** Returns the index of the pixel at a cell's centre. */
export function centrePixel(
  { cell }: Grid,
  width: number,
  height: number,
  column: number,
  row: number,
): number {
  const y = Math.min(height - 1, row * cell + (cell >> 1));
  return y * width + Math.min(width - 1, column * cell + (cell >> 1));
}

/** Maps each pixel along a side to its cell. */
function cellsAlong(length: number, cell: number): Int32Array {
  const cells = new Int32Array(length);
  for (let i = 0; i < length; i++) cells[i] = Math.floor(i / cell);
  return cells;
}

/** Returns one byte a cell: 1 if any of its pixels is neither wholly subject nor wholly background. */
export function softCells(
  { data, width, height }: Matte,
  { columns, rows, cell }: Grid,
): Uint8Array {
  const soft = new Uint8Array(columns * rows);
  const across = cellsAlong(width, cell);
  const words = wordsOf(data);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / cell) * columns;
    const end = (y + 1) * width;
    const start = end - width;
    let i = start;
    while (i < end) {
      if ((i & 3) === 0) {
        let word = i >> 2;
        while (word < end >> 2 && (words[word] === 0 || words[word] === -1)) word++;
        i = word << 2;
        if (i >= end) break;
      }
      if (data[i] !== 0 && data[i] !== 255) soft[row + across[i - start]!] = 1;
      i++;
    }
  }
  return soft;
}

/** Marks every cell within `radius` cells of a marked one (morphological dilation). */
export function dilate(
  marks: Uint8Array,
  { columns, rows }: Pick<Grid, 'columns' | 'rows'>,
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
