import { boxSums } from './box-sums.ts';
import type { MattedImage } from './downscale.ts';
import type { Matte } from './matte.ts';
import { wordsOf } from './subject-box.ts';
import type { Pixels } from './tensor.ts';

/**
 * Maximum cells a side: bounds memory and time, and makes the narrow window three cells wide. A grid half as
 * fine loses a twentieth of the colours' accuracy; a finer one gains nothing.
 */
const GRID = 200;

/** Per cell: foreground r g b and weight, background r g b and weight; sums, not means. */
const CHANNELS = 8;

/** A grid of cells over an image. */
interface Grid {
  columns: number;
  rows: number;
  /** Pixels along a cell's side. */
  cell: number;
}

/** An image whose foreground colours are to be recovered. */
export interface Scene extends MattedImage {
  /** The image's own alpha channel: hidden colours are not learnt from. */
  opacity: Uint8Array | undefined;
}

export const gridOver = ({ width, height }: Pixels): Grid => {
  const cell = Math.ceil(Math.max(width, height) / GRID);
  return { columns: Math.ceil(width / cell), rows: Math.ceil(height / cell), cell };
};

/** Adds one pixel to the sums of a cell. */
function addSample({ pixels, matte, opacity }: Scene, i: number, sums: Float32Array, at: number) {
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
function centrePixel({ cell }: Grid, { width, height }: Pixels, column: number, row: number) {
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

/** Samples across a cell; the windows average hundreds of them, so a few are enough. */
const SAMPLES = 3;
/** Window radii as a share of the longer side: windows of 61 and 7 pixels in a photo of 533. */
const WIDE = 30 / 533;
const NARROW = 3 / 533;
/** The wide window is summed over blocks of cells, about this many to its radius. */
const BLOCKS = 5;
/** Smaller weights are rounding errors of a sliding sum. */
const MIN_WEIGHT = 1e-3;

/** Returns the wide windows' sums, one set a block of cells, from one sample a cell. */
function wideSums(scene: Scene, fine: Grid) {
  const { columns, rows, cell } = fine;
  const { width, height } = scene.pixels;
  const radius = (WIDE * Math.max(width, height)) / cell;
  const block = Math.max(1, Math.round(radius / BLOCKS));
  const grid = { columns: Math.ceil(columns / block), rows: Math.ceil(rows / block), cell: block };
  const sums = new Float32Array(grid.columns * grid.rows * CHANNELS);
  for (let row = 0; row < rows; row++) {
    const blockRow = Math.floor(row / block) * grid.columns;
    for (let column = 0; column < columns; column++) {
      const at = (blockRow + Math.floor(column / block)) * CHANNELS;
      addSample(scene, centrePixel(fine, scene.pixels, column, row), sums, at);
    }
  }
  const blocks = Math.max(1, Math.round((radius - (block - 1) / 2) / block));
  const size = { width: grid.columns, height: grid.rows };
  return { grid, sums: boxSums(sums, size, CHANNELS, blocks) };
}

/** Interpolates the sums at a position, in cells, from the four cells around it, into `out`. */
function sumsAt(
  sums: Float32Array,
  { columns, rows, cell }: Grid,
  x: number,
  y: number,
  out: Float64Array,
): void {
  const gx = Math.min(columns - 1, Math.max(0, (x + 0.5) / cell - 0.5));
  const gy = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
  const left = Math.floor(gx);
  const top = Math.floor(gy);
  const right = Math.min(left + 1, columns - 1);
  const below = Math.min(top + 1, rows - 1);
  const u = gx - left;
  const v = gy - top;
  const topLeft = (top * columns + left) * CHANNELS;
  const topRight = (top * columns + right) * CHANNELS;
  const belowLeft = (below * columns + left) * CHANNELS;
  const belowRight = (below * columns + right) * CHANNELS;
  for (let c = 0; c < CHANNELS; c++) {
    const above = sums[topLeft + c]! * (1 - u) + sums[topRight + c]! * u;
    const below = sums[belowLeft + c]! * (1 - u) + sums[belowRight + c]! * u;
    out[c] = above * (1 - v) + below * v;
  }
}

const clampByte = (value: number) => Math.min(255, Math.max(0, value));

/** Replaces a cell's colours by those of its window, the foreground corrected by the observed colour. */
function fuse(cells: Float32Array, g: number, around: Float64Array): void {
  const foreground = cells[g + 3]!;
  const background = cells[g + 7]!;
  if (foreground + background < MIN_WEIGHT) return;
  const alpha = foreground / (foreground + background);
  for (let c = 0; c < 3; c++) {
    const observed = (cells[g + c]! + cells[g + 4 + c]!) / (foreground + background);
    const f = around[3]! > MIN_WEIGHT ? around[c]! / around[3]! : observed;
    const b = around[7]! > MIN_WEIGHT ? around[4 + c]! / around[7]! : observed;
    cells[g + c] = clampByte(f + alpha * (observed - alpha * f - (1 - alpha) * b)) * foreground;
    cells[g + 4 + c] = b * background;
  }
}

/** Returns the separated colours of the marked cells, by their wide windows; zero elsewhere. */
function fusedCells(scene: Scene, grid: Grid, marks: Uint8Array): Float32Array {
  const { columns, cell } = grid;
  const { width, height } = scene.pixels;
  const step = Math.ceil(cell / SAMPLES);
  const wide = wideSums(scene, grid);
  const cells = new Float32Array(marks.length * CHANNELS);
  const around = new Float64Array(CHANNELS);
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === 0) continue;
    const column = i % columns;
    const row = Math.floor(i / columns);
    const [right, bottom] = [
      Math.min(width, (column + 1) * cell),
      Math.min(height, (row + 1) * cell),
    ];
    for (let y = row * cell; y < bottom; y += step)
      for (let x = column * cell; x < right; x += step)
        addSample(scene, y * width + x, cells, i * CHANNELS);
    sumsAt(wide.sums, wide.grid, column, row, around);
    fuse(cells, i * CHANNELS, around);
  }
  return cells;
}

/** Sums the window around a cell, clipped to the grid, into `out`. */
function sumWindow(
  cells: Float32Array,
  { columns, rows }: Grid,
  i: number,
  radius: number,
  out: Float64Array,
): void {
  const x = i % columns;
  const y = Math.floor(i / columns);
  const left = Math.max(0, x - radius);
  const right = Math.min(columns - 1, x + radius);
  const bottom = Math.min(rows - 1, y + radius);
  out.fill(0);
  for (let row = Math.max(0, y - radius); row <= bottom; row++)
    for (let column = left; column <= right; column++)
      for (let c = 0, g = (row * columns + column) * CHANNELS; c < CHANNELS; c++, g++)
        out[c]! += cells[g]!;
}

/** Offset of the background among the six numbers of a cell in `Surroundings.colours`. */
export const BACKGROUND = 3;
export const COLOUR_COUNT = 6;

/** Local foreground and background colours around soft edges. */
export interface Surroundings extends Grid {
  /** Per cell, r g b of the foreground and r g b of the background, 0..255; zero far from soft pixels. */
  colours: Float32Array;
  /** One byte a cell: 1 if it has soft pixels. */
  soft: Uint8Array;
}

/** Writes the mean colours of a cell's window, or the colour of its centre if the window has no weight. */
function setColours(out: Float32Array, at: number, sums: Float64Array, centre: ArrayLike<number>) {
  for (let c = 0; c < 3; c++) {
    out[at + c] = sums[3]! > MIN_WEIGHT ? sums[c]! / sums[3]! : centre[c]!;
    out[at + BACKGROUND + c] = sums[7]! > MIN_WEIGHT ? sums[4 + c]! / sums[7]! : centre[c]!;
  }
}

/** Estimates the colours around the soft pixels of a scene; other pixels cost next to nothing. */
export function estimateSurroundings(scene: Scene): Surroundings {
  const { data, width, height } = scene.pixels;
  const grid = gridOver(scene.pixels);
  const soft = softCells(scene.matte, grid);
  const radius = Math.max(1, Math.round((NARROW * Math.max(width, height)) / grid.cell));
  const needed = dilate(soft, grid, 1); // a pixel is interpolated from the four cells around it
  const cells = fusedCells(scene, grid, dilate(needed, grid, radius));
  const colours = new Float32Array(soft.length * COLOUR_COUNT);
  const sums = new Float64Array(CHANNELS);
  for (let i = 0; i < needed.length; i++) {
    if (needed[i] === 0) continue;
    sumWindow(cells, grid, i, radius, sums);
    const centre =
      3 * centrePixel(grid, scene.pixels, i % grid.columns, Math.floor(i / grid.columns));
    setColours(colours, i * COLOUR_COUNT, sums, data.subarray(centre, centre + 3));
  }
  return { ...grid, colours, soft };
}
