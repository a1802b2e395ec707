import { closedForm, linearStep, type SolvingEffort } from './closed-form.ts';
import { newColourLine, readWindow, WINDOW, windowOffsets } from './colour-lines.ts';
import { downscaleColours, downscaleMatte, type MattedImage } from './downscale.ts';
import type { Levels, Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';
import { aroundBand, type Band, unsureBand } from './unsure-band.ts';

/** How thoroughly edges are refined. */
export interface Refinement extends SolvingEffort {
  limits: {
    /** Larger images, and images with longer edges, are downscaled before solving. */
    pixels: number;
    unknowns: number;
    /** Where more of the image is to be solved, 0..1, it is left as it is: that is no edge. */
    share: number;
  };
  /** The least length that is solved for, in cells of the network's output. */
  minCell: number;
}
/** Regularisation of the colour lines: keeps colour noise out of an upscaled alpha. */
const EPSILON = 3e-3;

/** An image downscaled just enough to be within the limits, and its band. */
interface Reduced extends MattedImage {
  factor: number;
  band: Band;
}

function reduce(
  image: MattedImage,
  { limits, minCell }: Refinement,
  cell: number,
): Reduced | undefined {
  const { width, height } = image.pixels;
  const fitting = Math.ceil(Math.sqrt((width * height) / limits.pixels));
  const first = Math.max(1, fitting, Math.floor(minCell * cell));
  for (let factor = first; ; factor++) {
    const matte = factor === 1 ? image.matte : downscaleMatte(image.matte, factor);
    const band = unsureBand(matte);
    if (band.indices.length > limits.share * matte.data.length) return undefined;
    if (band.indices.length > limits.unknowns) continue;
    const pixels =
      factor === 1 ? image.pixels : downscaleColours(image.pixels, factor, aroundBand(band, matte));
    return { pixels, matte, factor, band };
  }
}

/** Red, green, blue and constant coefficients of alpha as a linear function of colour. */
const LINE_LENGTH = 4;

/**
 * Fits alpha around each pixel of a band as a linear function of colour; of other pixels it is constant.
 * @see He, Sun & Tang, Guided Image Filtering, PAMI 35(6), 2013, eq. 5 and 6, for colours eq. 14
 */
function fitColourLines({ pixels, matte, band }: Reduced): Float32Array {
  const { width, height } = pixels;
  const lines = new Float32Array(LINE_LENGTH * matte.data.length);
  for (let i = 0; i < matte.data.length; i++) lines[LINE_LENGTH * i + 3] = matte.data[i]! / 255;
  const offsets = windowOffsets(width);
  const line = newColourLine();
  for (const pixel of band.indices) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue;
    readWindow(pixels, pixel, offsets, EPSILON, line);
    const at = LINE_LENGTH * pixel;
    let mean = 0;
    for (let k = 0; k < WINDOW; k++) {
      const alpha = matte.data[pixel + offsets[k]!]! / 255 / WINDOW;
      mean += alpha;
      for (let c = 0; c < 3; c++) lines[at + c]! += line.whitened[3 * k + c]! * alpha;
    }
    for (let c = 0; c < 3; c++) mean -= lines[at + c]! * line.mean[c]!;
    lines[at + 3] = mean;
  }
  return lines;
}

/** Writes the line between those of two cells. @param share of the second one */
function mixLines(
  lines: Float32Array,
  one: number,
  other: number,
  share: number,
  out: Float64Array,
): void {
  for (let c = 0; c < LINE_LENGTH; c++) {
    const from = lines[LINE_LENGTH * one + c]!;
    out[c] = from + (lines[LINE_LENGTH * other + c]! - from) * share;
  }
}

/** Writes the band's full-size pixels, each by the line between those of the four cells around it. */
function upscaleBand(small: Reduced, pixels: Pixels, data: Uint8Array): void {
  const { factor, band } = small;
  const { width: columns, height: rows } = small.matte;
  const { width, height } = pixels;
  const colours = pixels.data;
  const lines = fitColourLines(small);
  const [before, after] = [new Float64Array(LINE_LENGTH), new Float64Array(LINE_LENGTH)];
  const clamped = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  for (const cell of band.indices) {
    const [left, top] = [(cell % columns) * factor, Math.floor(cell / columns) * factor];
    const [right, bottom] = [Math.min(width, left + factor), Math.min(height, top + factor)];
    for (let y = top; y < bottom; y++) {
      const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / factor - 0.5));
      const above = Math.floor(v) * columns;
      const below = Math.min(rows - 1, Math.floor(v) + 1) * columns;
      let [red, green, blue, constant] = [0, 0, 0, 0];
      let [redRise, greenRise, blueRise, constantRise] = [0, 0, 0, 0];
      for (let x = left, mixed = -1, i = y * width + left, p = 3 * i; x < right; x++, i++, p += 3) {
        const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / factor - 0.5));
        const column = Math.floor(u);
        if (column !== mixed) {
          const next = Math.min(columns - 1, column + 1);
          mixLines(lines, above + column, below + column, v - Math.floor(v), before);
          mixLines(lines, above + next, below + next, v - Math.floor(v), after);
          red = before[0]!;
          green = before[1]!;
          blue = before[2]!;
          constant = before[3]!;
          redRise = after[0]! - red;
          greenRise = after[1]! - green;
          blueRise = after[2]! - blue;
          constantRise = after[3]! - constant;
          mixed = column;
        }
        const share = u - column;
        clamped[i] =
          colours[p]! * (red + redRise * share) +
          colours[p + 1]! * (green + greenRise * share) +
          colours[p + 2]! * (blue + blueRise * share) +
          255 * (constant + constantRise * share);
      }
    }
  }
}

/**
 * Returns a matte whose edges follow the photo: closed-form matting in a band around unsure alpha. Pixels off
 * the band keep their alpha. Time and memory beyond a copy of the matte are bounded by the limits; larger images are
 * upscaled by the colours around each pixel.
 * @param cell length of a cell of the network's output, pixels
 * @param levels alphas beyond them become 0 and 255
 * @see docs/adr/0019-quality.md, docs/adr/0046-edges-by-default.md
 */
export function refineEdges(
  pixels: Pixels,
  matte: Matte,
  refinement: Refinement,
  levels: Levels,
  cell: number,
): Matte {
  const small = reduce({ pixels, matte }, refinement, cell);
  if (!small) return matte;
  const data = Uint8Array.from(matte.data);
  const solved = Uint8Array.from(small.matte.data);
  closedForm(small.pixels, small.matte, small.band, refinement).forEach((alpha, n) => {
    solved[small.band.indices[n]!] = Math.round(255 * linearStep(alpha, levels));
  });
  if (small.factor === 1) return { ...matte, data: solved };
  upscaleBand({ ...small, matte: { ...small.matte, data: solved } }, pixels, data);
  return { ...matte, data };
}
