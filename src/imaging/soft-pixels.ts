import { BACKGROUND, COLOUR_COUNT, type Scene, type Surroundings } from './surroundings.ts';

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
 * @param surroundings of the same scene
 * @see Forte & Pitie, Approximate Fast Foreground Colour Estimation, ICIP 2021
 */
export const recoverForeground = (scene: Scene, surroundings: Surroundings): void =>
  eachSoftPixel(scene, surroundings, recoverPixel);

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
 * @param surroundings of the same scene
 * @see docs/adr/0035-alpha-by-colour.md
 */
export const correctAlpha = (scene: Scene, surroundings: Surroundings): void =>
  eachSoftPixel(scene, surroundings, correctPixel);
