import type { Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';

/**
 * The subject's own colours under a soft edge, where a photo shows subject and backdrop mixed. Without
 * this a cut-out carries a rim of its old backdrop.
 *
 * Blur fusion: guess foreground and backdrop from their wide surroundings, correct the guess by what the
 * photo shows, then once more with a narrow window.
 * @see Forte & Pitie, Approximate Fast Foreground Colour Estimation, ICIP 2021
 */

/** The estimate lives on a coarse grid of at most this many cells a side: constant memory and time. */
const GRID = 320;
/** Windows as a share of the longer side: 61 and 7 pixels wide in a photo of 533. */
const WIDE = 30 / 533;
const NARROW = 3 / 533;
/** Samples across a cell: the windows average hundreds of cells, so few are enough. */
const SAMPLES = 3;

/** Per cell: foreground r g b and its weight, backdrop r g b and its weight; sums, not means. */
const CHANNELS = 8;

interface Grid {
  cells: Float32Array;
  columns: number;
  rows: number;
  /** Pixels along a cell's side. */
  cell: number;
}

function gridOf({ data, width, height }: Pixels, matte: Matte, opacity?: Uint8Array): Grid {
  const cell = Math.ceil(Math.max(width, height) / GRID);
  const step = Math.ceil(cell / SAMPLES);
  const columns = Math.ceil(width / cell);
  const rows = Math.ceil(height / cell);
  const cells = new Float32Array(columns * rows * CHANNELS);
  for (let y = 0; y < height; y += step) {
    const row = Math.floor(y / cell) * columns;
    for (let x = 0; x < width; x += step) {
      const g = (row + Math.floor(x / cell)) * CHANNELS;
      const i = y * width + x;
      const seen = opacity ? opacity[i]! / 255 : 1; // colours under transparency count for nothing
      const front = (matte.data[i]! / 255) * seen;
      const back = seen - front;
      for (let c = 0; c < 3; c++) {
        const colour = data[3 * i + c]!;
        cells[g + c]! += colour * front;
        cells[g + 4 + c]! += colour * back;
      }
      cells[g + 3]! += front;
      cells[g + 7]! += back;
    }
  }
  return { cells, columns, rows, cell };
}

interface Lines {
  lines: number;
  length: number;
  /** From one line to the next, and from one place of a line to the next, in cells. */
  lineStride: number;
  stride: number;
}

/** Sums over a window of `2 * radius + 1` places that slides along every line. */
function slide(source: Float32Array, along: Lines, radius: number): Float32Array {
  const { lines, length } = along;
  const [stride, lineStride] = [along.stride * CHANNELS, along.lineStride * CHANNELS];
  const out = new Float32Array(source.length);
  const sum = new Float64Array(CHANNELS);
  for (let line = 0; line < lines; line++) {
    sum.fill(0);
    for (let place = -radius; place < length; place++) {
      const at = line * lineStride + place * stride;
      const enters = at + radius * stride;
      const leaves = at - (radius + 1) * stride;
      if (place + radius < length)
        for (let c = 0; c < CHANNELS; c++) sum[c]! += source[enters + c]!;
      if (place > radius) for (let c = 0; c < CHANNELS; c++) sum[c]! -= source[leaves + c]!;
      if (place >= 0) for (let c = 0; c < CHANNELS; c++) out[at + c] = sum[c]!;
    }
  }
  return out;
}

/** Box sums in linear time, whatever the radius. */
const boxSums = (cells: Float32Array, columns: number, rows: number, radius: number) =>
  slide(
    slide(cells, { lines: rows, length: columns, lineStride: columns, stride: 1 }, radius),
    { lines: columns, length: rows, lineStride: 1, stride: columns },
    radius,
  );

const clampByte = (value: number) => Math.min(255, Math.max(0, value));
/** Weights this small are the rounding of a sliding sum. */
const NOTHING = 1e-3;

/** Replaces each cell's colours by its neighbourhood's, the foreground corrected by what is seen there. */
function fuse(cells: Float32Array, around: Float32Array): void {
  for (let g = 0; g < cells.length; g += CHANNELS) {
    const front = cells[g + 3]!;
    const back = cells[g + 7]!;
    if (front + back < NOTHING) continue;
    const alpha = front / (front + back);
    for (let c = 0; c < 3; c++) {
      const seen = (cells[g + c]! + cells[g + 4 + c]!) / (front + back);
      const f = around[g + 3]! > NOTHING ? around[g + c]! / around[g + 3]! : seen;
      const b = around[g + 7]! > NOTHING ? around[g + 4 + c]! / around[g + 7]! : seen;
      cells[g + c] = clampByte(f + alpha * (seen - alpha * f - (1 - alpha) * b)) * front;
      cells[g + 4 + c] = b * back;
    }
  }
}

/** Colours and weights summed over each cell's narrow surroundings, the foreground freed of backdrop. */
function surroundings({ cells, columns, rows, cell }: Grid, longer: number): Float32Array {
  const radius = (share: number) => Math.max(1, Math.round((share * longer) / cell));
  fuse(cells, boxSums(cells, columns, rows, radius(WIDE)));
  return boxSums(cells, columns, rows, radius(NARROW));
}

/** The sums at a pixel, mixed from the four cells around it, into `out`. */
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
    const under = sums[belowLeft + c]! * (1 - u) + sums[belowRight + c]! * u;
    out[c] = above * (1 - v) + under * v;
  }
}

/**
 * Puts the subject's own colours in place of the mixed ones, in place, where alpha is neither 0 nor 255.
 * All other pixels stay as they are, bit for bit. Memory beyond the arguments is constant.
 * @param opacity the picture's own transparency, one byte a pixel: what is hidden is not learnt from
 */
export function recoverForeground(pixels: Pixels, matte: Matte, opacity?: Uint8Array): void {
  const { data, width, height } = pixels;
  const grid = gridOf(pixels, matte, opacity);
  const sums = surroundings(grid, Math.max(width, height));
  const here = new Float64Array(CHANNELS);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const alpha = matte.data[i]! / 255;
      if (alpha === 0 || alpha === 1) continue;
      sumsAt(sums, grid, x, y, here);
      for (let c = 0; c < 3; c++) {
        const seen = data[3 * i + c]!;
        const front = here[3]! > NOTHING ? here[c]! / here[3]! : seen;
        const back = here[7]! > NOTHING ? here[4 + c]! / here[7]! : seen;
        const own = front + alpha * (seen - alpha * front - (1 - alpha) * back);
        data[3 * i + c] = Math.round(clampByte(own));
      }
    }
  }
}
