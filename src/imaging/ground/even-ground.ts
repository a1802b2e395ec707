import { type Box, cropPlane, type MattedImage, type Pixels, type Size } from '../picture.ts';

/** Terms of a quadratic surface: 1, x, y, x², xy, y². */
export const TERMS = 6;
const CHANNELS = 3;

/** A quadratic surface for each channel: the coefficients of red, then of green, then of blue. */
export type Surface = Float64Array;

/** Writes the terms at the centre of a cell; coordinates are -1..1. */
export function writeTerms(cell: number, { width, height }: Size, terms: Float64Array): void {
  const x = (2 * (cell % width) + 1) / width - 1;
  const y = (2 * Math.floor(cell / width) + 1) / height - 1;
  terms[0] = 1;
  terms[1] = x;
  terms[2] = y;
  terms[3] = x * x;
  terms[4] = x * y;
  terms[5] = y * y;
}

/** Returns a channel of the surface where the terms were written. */
export function valueAt(surface: Surface, channel: number, terms: Float64Array): number {
  let value = 0;
  for (let i = 0; i < TERMS; i++) value += surface[TERMS * channel + i]! * terms[i]!;
  return value;
}

/** Solves `rows`, a square matrix beside three right sides, by Gauss-Jordan elimination, in place. */
function solve(rows: Float64Array[]): Surface | undefined {
  for (const [pivot, row] of rows.entries()) {
    const scale = row[pivot]!;
    if (Math.abs(scale) < 1e-6) return undefined; // too few cells, or all in one line
    for (let i = 0; i < row.length; i++) row[i]! /= scale;
    for (const other of rows) {
      const factor = other === row ? 0 : other[pivot]!;
      for (let i = 0; i < row.length; i++) other[i]! -= factor * row[i]!;
    }
  }
  return Float64Array.from({ length: CHANNELS * TERMS }, (_, i) => {
    const channel = Math.floor(i / TERMS);
    return rows[i % TERMS]![TERMS + channel]!;
  });
}

/** Fits a surface to the colours of cells by least squares; undefined if there are too few. */
export function fitSurface(pixels: Pixels, cells: Int32Array): Surface | undefined {
  const rows = Array.from({ length: TERMS }, () => new Float64Array(TERMS + CHANNELS));
  const values = new Float64Array(TERMS + CHANNELS);
  for (const cell of cells) {
    writeTerms(cell, pixels, values);
    for (let c = 0; c < CHANNELS; c++) values[TERMS + c] = pixels.data[CHANNELS * cell + c]!;
    for (let i = 0; i < TERMS; i++) {
      const row = rows[i]!;
      const value = values[i]!;
      for (let j = i; j < row.length; j++) row[j]! += value * values[j]!;
    }
  }
  for (const [i, row] of rows.entries()) for (let j = 0; j < i; j++) row[j] = rows[j]![i]!;
  return solve(rows);
}

/** Pixels that are fitted, about. */
const SAMPLES = 6000;
/** So far from the subject the ground is certain, as a share of the longer side. */
const CLEARANCE = 1 / 170;
/** Less of the image is no ground that can be measured, share. */
const MIN_SHARE = 0.03;
const FITS = 3;
/** All fits but the last use one of so many samples. */
const SKIP = 3;
/** A fit that deviates by so much does not get better, levels. */
const UNEVEN = 25;
/** A fit leaves out what is further away than so many deviations, or than so many levels. */
const OUTLIER = { deviations: 2.5, levels: 3 };
/** Of the samples, at least, the fit must keep. */
const MIN_FITTED_SHARE = 0.3;
/** Of a normal distribution, the standard deviation over the median one. */
const DEVIATION = 1.48;
/**
 * An even ground deviates by less, levels, a plain one, which light does not reach evenly, by up to `maxPlainNoise`; and so much
 * of it lies within twice the tolerance, share.
 */
const EVEN = { maxNoise: 5, maxPlainNoise: 12, minShare: 0.85 };
const TOLERANCE = { deviations: 3, levels: 6 };
const EDGE = { tolerances: 2.2, levels: 18 };
/** The light that a soft shadow leaves, at least, and that a reflection has, at most. */
const LIGHT = { min: 0.7, max: 1.02 };

/** Returns the value at a rank of a histogram. */
export function quantileOf(histogram: Uint32Array, rank: number): number {
  let sum = 0;
  return histogram.findIndex((count) => {
    sum += count;
    return sum >= rank;
  });
}

/** Returns the median of values, which it sorts. */
export const middleOf = (values: number[]): number =>
  values.sort((a, b) => a - b)[values.length >> 1]!;

/** Returns some pixels that are ground for certain. */
function sampleGround({ matte: { data, width, height } }: MattedImage): Int32Array {
  const step = Math.max(1, Math.floor(Math.sqrt((width * height) / SAMPLES)));
  const reach = Math.max(2, Math.round(CLEARANCE * Math.max(width, height)));
  const samples: number[] = [];
  for (let y = step >> 1; y < height; y += step)
    for (let x = step >> 1; x < width; x += step) {
      const [left, right] = [Math.max(0, x - reach), Math.min(width - 1, x + reach)];
      const [top, bottom] = [Math.max(0, y - reach), Math.min(height - 1, y + reach)];
      const alpha =
        data[y * width + x]! |
        data[y * width + left]! |
        data[y * width + right]! |
        data[top * width + x]! |
        data[bottom * width + x]!;
      if (alpha === 0) samples.push(y * width + x);
    }
  const all = Math.floor(width / step) * Math.floor(height / step);
  return Int32Array.from(samples.length < MIN_SHARE * all ? [] : samples);
}

/** Returns how far pixels are from a surface, levels. */
function deviationsFrom(
  { pixels }: MattedImage,
  surface: Surface,
  cells: Int32Array,
): Float64Array {
  const terms = new Float64Array(TERMS);
  const deviations = new Float64Array(cells.length);
  for (let n = 0; n < cells.length; n++) {
    const cell = cells[n]!;
    writeTerms(cell, pixels, terms);
    for (let c = 0; c < 3; c++) {
      const light = Math.min(255, valueAt(surface, c, terms));
      const deviation = Math.abs(pixels.data[3 * cell + c]! - light);
      if (deviation > deviations[n]!) deviations[n] = deviation;
    }
  }
  return deviations;
}

const deviationOf = (values: Float64Array): number =>
  DEVIATION * (Float64Array.from(values).sort()[values.length >> 1] ?? 0);

/** Returns the cells that are so far from a surface at most. */
function nearOf(cells: Int32Array, far: Float64Array, limit: number): Int32Array {
  const near = new Int32Array(cells.length);
  let count = 0;
  for (let n = 0; n < cells.length; n++) if (far[n]! <= limit) near[count++] = cells[n]!;
  return near.subarray(0, count);
}

/** Fits a surface to the ground, and leaves out what is not on it: shadows, props, missed parts of the subject. */
function fitGround(image: MattedImage, samples: Int32Array): Surface | undefined {
  const some = new Int32Array(Math.ceil(samples.length / SKIP));
  for (let n = 0; n < some.length; n++) some[n] = samples[n * SKIP]!;
  let surface = fitSurface(image.pixels, some);
  for (let i = 0; surface && i < FITS; i++) {
    const used = i < FITS - 1 ? some : samples;
    const far = deviationsFrom(image, surface, used);
    const deviation = deviationOf(far);
    if (deviation > UNEVEN) return undefined;
    const limit = Math.max(OUTLIER.levels, OUTLIER.deviations * deviation);
    const fitted = nearOf(used, far, limit);
    if (fitted.length < MIN_FITTED_SHARE * used.length) return undefined;
    surface = fitSurface(image.pixels, fitted);
  }
  return surface;
}

/** The ground has one colour within a square of so many pixels a side. */
export const BLOCK = 8;

/** Returns the blocks that cover a part of the image which begins with one. */
const blocksOf = ({ left, top, width, height }: Box): Box => ({
  left: left / BLOCK,
  top: top / BLOCK,
  width: Math.ceil(width / BLOCK),
  height: Math.ceil(height / BLOCK),
});

/** Draws the ground, a colour a block, rows from the top. */
function drawGround(surface: Surface, size: Size): Uint8Array {
  const terms = new Float64Array(TERMS);
  const colours = new Uint8ClampedArray(3 * size.width * size.height);
  for (let block = 0; block < size.width * size.height; block++) {
    writeTerms(block, size, terms);
    for (let c = 0; c < 3; c++) colours[3 * block + c] = valueAt(surface, c, terms);
  }
  return new Uint8Array(colours.buffer);
}

/** Returns how far the pixels of a part of an image are from the ground. @param colours of the ground, a colour a block */
function distancesFrom({ data, width }: Pixels, colours: Uint8Array, box: Box): Uint8Array {
  const columns = blocksOf(box).width;
  const distance = new Uint8Array(box.width * box.height);
  for (let y = 0, i = 0; y < box.height; y++) {
    let block = 3 * Math.floor(y / BLOCK) * columns;
    for (let x = 0; x < box.width; x += BLOCK, block += 3) {
      const [r, g, b] = [colours[block]!, colours[block + 1]!, colours[block + 2]!];
      const end = i + Math.min(BLOCK, box.width - x);
      for (let p = 3 * ((box.top + y) * width + box.left + x); i < end; i++, p += 3) {
        const red = Math.abs(data[p]! - r);
        const green = Math.abs(data[p + 1]! - g);
        const blue = Math.abs(data[p + 2]! - b);
        distance[i] = red > green ? (red > blue ? red : blue) : green > blue ? green : blue;
      }
    }
  }
  return distance;
}

/** An even ground, and how far from it each pixel of a part of the image is. */
export class EvenGround {
  /** The image, every `step`th pixel of every `step`th row: all else is in these pixels. */
  readonly step: number;
  readonly size: Size;
  readonly longerSide: number;
  /** The part, which begins with a block. */
  readonly box: Box;
  /** Levels, 0..255, in the channel that differs most. */
  readonly distance: Uint8Array;
  /** Its colour, r g b for each block of the part, rows from the top; and the blocks of a row. */
  readonly colours: Uint8Array;
  readonly columns: number;
  /** The deviation of the ground's own pixels, levels. */
  readonly noise: number;
  /** A pixel so far from the ground or less may be ground, levels. */
  readonly tolerance: number;
  /** What is further away than this, levels, is on the other side of an edge, or in a shadow. */
  readonly minEdge: number;
  readonly #pixels: Pixels;

  constructor(
    pixels: Pixels,
    surface: Surface,
    part: { box: Box; step: number },
    levels: { noise: number; tolerance: number },
  ) {
    const { width, height } = pixels;
    const blocks = { width: Math.ceil(width / BLOCK), height: Math.ceil(height / BLOCK) };
    const shown = blocksOf(part.box);
    this.step = part.step;
    this.size = { width, height };
    this.longerSide = Math.max(width, height);
    this.box = part.box;
    this.colours = cropPlane(drawGround(surface, blocks), blocks.width, shown, 3);
    this.columns = shown.width;
    this.distance = distancesFrom(pixels, this.colours, part.box);
    this.noise = levels.noise;
    this.tolerance = levels.tolerance;
    this.minEdge = Math.max(EDGE.levels, EDGE.tolerances * levels.tolerance);
    this.#pixels = pixels;
  }

  /** Whether it is so even that it tells gaps; else only what is far from any light or shade of it is no ground. */
  get isEven(): boolean {
    return this.noise <= EVEN.maxNoise;
  }

  /** Returns the distance of a pixel if a soft shadow may be on the ground. */
  shadedDistance(pixel: number): number {
    const { data, width } = this.#pixels;
    const { left, top, width: stride } = this.box;
    const colours = this.colours;
    const x = pixel % stride;
    const y = Math.floor(pixel / stride);
    const at = 3 * (Math.floor(y / BLOCK) * this.columns + Math.floor(x / BLOCK));
    const from = 3 * ((top + y) * width + left + x);
    let [along, square, most] = [0, 0, 0];
    for (let c = 0; c < 3; c++) {
      along += colours[at + c]! * data[from + c]!;
      square += colours[at + c]! * colours[at + c]!;
    }
    const light = Math.min(LIGHT.max, Math.max(LIGHT.min, along / Math.max(1, square)));
    for (let c = 0; c < 3; c++)
      most = Math.max(most, Math.abs(data[from + c]! - light * colours[at + c]!));
    return most;
  }
}

/**
 * Measures the ground of an image, every `step`th pixel of another one.
 * @param box the part whose distances are measured; begins with a block of the ground
 * @returns undefined if it is not even, nor plain: no backdrop, however lit
 */
export function measureEvenGround(
  image: MattedImage,
  box: Box,
  step: number,
): EvenGround | undefined {
  const samples = sampleGround(image);
  const surface = samples.length > 0 ? fitGround(image, samples) : undefined;
  if (!surface) return undefined;
  const far = deviationsFrom(image, surface, samples);
  const noise = deviationOf(far);
  const tolerance = Math.max(TOLERANCE.levels, TOLERANCE.deviations * noise);
  const within = nearOf(samples, far, 2 * tolerance).length;
  if (noise > EVEN.maxPlainNoise || within < EVEN.minShare * samples.length) return undefined;
  return new EvenGround(image.pixels, surface, { box, step }, { noise, tolerance });
}
