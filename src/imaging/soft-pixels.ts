import { type Matte, type MattedImage, type Pixels, wordsOf } from './picture.ts';
import { boxSums, dilate } from './regions.ts';

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
const BACKGROUND = 3;
const COLOUR_COUNT = 6;

/** Local foreground and background colours around soft edges. */
interface Surroundings extends Grid {
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
function estimateSurroundings(scene: Scene): Surroundings {
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

/**
 * Interpolates the colours around pixel column `x` from a line of cells, into `out`: r g b of the foreground and r g b of
 * the background.
 */
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

/** @param around valid until the next call */
type Visit = (scene: Scene, pixel: number, around: Float64Array) => void;

/** Visits the soft pixels of the columns `from` to `to` of pixel row `y`. */
function visitRow(
  scene: Scene,
  columns: Interpolation,
  line: Float32Array,
  y: number,
  from: number,
  to: number,
  around: Float64Array,
  visit: Visit,
): void {
  const { data, width } = scene.matte;
  for (let x = from, pixel = y * width + from; x < to; x++, pixel++) {
    if (data[pixel] === 0 || data[pixel] === 255) continue;
    interpolateColours(columns, line, x, around);
    visit(scene, pixel, around);
  }
}

/**
 * Calls `visit` with the index of each pixel whose alpha is neither 0 nor 255, and the colours around it. Pixels in cells
 * without soft pixels cost nothing.
 * @param visit a function of a module: V8 discards the machine code of closures that no longer exist
 */
function eachSoftPixel(scene: Scene, surroundings: Surroundings, visit: Visit): void {
  const { width, height } = scene.pixels;
  const { columns, rows, cell, soft } = surroundings;
  const horizontal = interpolationAlong(width, columns, cell);
  const vertical = interpolationAlong(height, rows, cell);
  const line = new Float32Array(columns * COLOUR_COUNT);
  const around = new Float64Array(COLOUR_COUNT);
  for (let row = 0; row < rows; row++) {
    const [start, end] = [row * columns, (row + 1) * columns];
    for (let first = soft.indexOf(1, start); first >= 0 && first < end; ) {
      let last = first + 1;
      while (last < end && soft[last] === 1) last++;
      const [from, to] = [first - start, last - start];
      for (let y = row * cell; y < Math.min(height, (row + 1) * cell); y++) {
        const [left, right] = [Math.max(0, from - 1), Math.min(columns, to + 1)];
        interpolateCellRows(surroundings, vertical, y, left, right, line);
        const end = Math.min(width, to * cell);
        visitRow(scene, horizontal, line, y, from * cell, end, around, visit);
      }
      first = soft.indexOf(1, last);
    }
  }
}

function recoverPixel({ pixels: { data }, matte }: Scene, pixel: number, around: Float64Array) {
  const alpha = matte.data[pixel]! / 255;
  for (let c = 0, p = 3 * pixel; c < 3; c++, p++) {
    const blend = alpha * around[c]! + (1 - alpha) * around[BACKGROUND + c]!;
    const own = around[c]! + alpha * (data[p]! - blend);
    data[p] = Math.min(255, Math.max(0, own)) + 0.5;
  }
}

/**
 * Replaces blended colours by the foreground's own, in place, where alpha is neither 0 nor 255: without them a cut-out
 * carries a halo of its old background. All other pixels stay unchanged, bit for bit.
 *
 * Blur fusion: the foreground and background of a wide window, corrected by the observed colour, then of a narrow one.
 * @see Forte & Pitie, Approximate Fast Foreground Colour Estimation, ICIP 2021
 */
export const recoverForeground = (
  scene: Scene,
  surroundings: Surroundings = estimateSurroundings(scene),
): void => eachSoftPixel(scene, surroundings, recoverPixel);

/**
 * What the network's alpha of .5 weighs beside the colours, as a colour distance, 0..255: where foreground and
 * background differ by so much, both weigh the same.
 */
const TRUST = 50;
/** By how much the network's weight grows, squared distances, with what no blend of the two colours explains. */
const UNEXPLAINED = 8;
/** The variance of the network's alpha where it is sure, relative to that at .5. */
const MIN_VARIANCE = 0.1;

/**
 * Returns the most probable alpha, 0..1, of a pixel that blends two colours: the blend that comes closest to the
 * observed colour, drawn towards the network's alpha. The latter decides where the two colours are alike, where the
 * observed colour lies off the line between them, and, the surer it is, elsewhere.
 * @param at offset of the pixel's colour in `data`
 * @param around r g b of the foreground and r g b of the background
 */
function mostProbable(data: Uint8Array, at: number, around: Float64Array, alpha: number): number {
  let along = 0;
  let contrast = 0;
  let distance = 0;
  for (let c = 0; c < 3; c++) {
    const span = around[c]! - around[BACKGROUND + c]!;
    const observed = data[at + c]! - around[BACKGROUND + c]!;
    along += observed * span;
    contrast += span * span;
    distance += observed * observed;
  }
  const unexplained = contrast > 0 ? Math.max(0, distance - (along * along) / contrast) : distance;
  const variance = MIN_VARIANCE + (1 - MIN_VARIANCE) * 4 * alpha * (1 - alpha);
  const trust = (TRUST * TRUST + UNEXPLAINED * unexplained) / variance;
  return Math.min(1, Math.max(0, (along + trust * alpha) / (contrast + trust)));
}

function correctPixel({ pixels, matte }: Scene, pixel: number, around: Float64Array): void {
  const alpha = mostProbable(pixels.data, 3 * pixel, around, matte.data[pixel]! / 255);
  matte.data[pixel] = Math.round(255 * alpha);
}

/**
 * Corrects alpha by the colours around, in place, where it is neither 0 nor 255.
 * @returns these colours
 * @see docs/adr/0035-alpha-by-colour.md
 */
export function correctAlpha(scene: Scene): Surroundings {
  const surroundings = estimateSurroundings(scene);
  eachSoftPixel(scene, surroundings, correctPixel);
  return surroundings;
}
