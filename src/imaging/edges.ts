import { closedForm, linearStep, type SolvingEffort } from './closed-form.ts';
import { newColourLine, readWindow, WINDOW, windowOffsets } from './colour-lines.ts';
import { downscale, type MattedImage } from './downscale.ts';
import type { Levels, Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';
import { type Band, unsureBand } from './unsure-band.ts';

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
    const small = factor === 1 ? image : downscale(image, factor);
    const band = unsureBand(small.matte);
    if (band.indices.length > limits.share * small.matte.data.length) return undefined;
    if (band.indices.length <= limits.unknowns) return { ...small, factor, band };
  }
}

/** Red, green, blue and constant coefficients of alpha as a linear function of colour. */
const LINE_LENGTH = 4;

/**
 * Fits alpha around each pixel of a band as a linear function of colour.
 * @see He, Sun & Tang, Guided Image Filtering, PAMI 35(6), 2013, eq. 5 and 6, for colours eq. 14
 */
function fitColourLines({ pixels, matte }: MattedImage, { indices }: Band): Float32Array {
  const { width, height } = pixels;
  const lines = new Float32Array(LINE_LENGTH * indices.length);
  const offsets = windowOffsets(width);
  const line = newColourLine();
  for (let n = 0; n < indices.length; n++) {
    const pixel = indices[n]!;
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    lines[LINE_LENGTH * n + 3] = matte.data[pixel]! / 255;
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue;
    readWindow(pixels, pixel, offsets, EPSILON, line);
    let mean = 0;
    for (let k = 0; k < WINDOW; k++) {
      const alpha = matte.data[pixel + offsets[k]!]! / 255 / WINDOW;
      mean += alpha;
      for (let c = 0; c < 3; c++) lines[LINE_LENGTH * n + c]! += line.whitened[3 * k + c]! * alpha;
    }
    for (let c = 0; c < 3; c++) mean -= lines[LINE_LENGTH * n + c]! * line.mean[c]!;
    lines[LINE_LENGTH * n + 3] = mean;
  }
  return lines;
}

/** Returns alpha, 0..255, of a full-size pixel by the colour line of a downscaled cell. */
const alphaSampler =
  (small: Reduced, lines: Float32Array, { data }: Pixels) =>
  (cell: number, pixel: number): number => {
    const ordinal = small.band.ordinals[cell]!;
    if (ordinal < 0) return small.matte.data[cell]!;
    const [at, p] = [LINE_LENGTH * ordinal, 3 * pixel];
    return (
      data[p]! * lines[at]! +
      data[p + 1]! * lines[at + 1]! +
      data[p + 2]! * lines[at + 2]! +
      255 * lines[at + 3]!
    );
  };

/** Writes the band's full-size pixels, each interpolated from the colour lines of the four cells around it. */
function upscaleBand(small: Reduced, pixels: Pixels, data: Uint8Array): void {
  const { factor, band } = small;
  const { width: columns, height: rows } = small.matte;
  const { width, height } = pixels;
  const sample = alphaSampler(small, fitColourLines(small, band), pixels);
  const clamped = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  for (const cell of band.indices) {
    const [left, top] = [(cell % columns) * factor, Math.floor(cell / columns) * factor];
    for (let y = top; y < Math.min(height, top + factor); y++) {
      const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / factor - 0.5));
      const above = Math.floor(v) * columns;
      const below = Math.min(rows - 1, Math.floor(v) + 1) * columns;
      for (let x = left; x < Math.min(width, left + factor); x++) {
        const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / factor - 0.5));
        const [a, b] = [Math.floor(u), Math.min(columns - 1, Math.floor(u) + 1)];
        const i = y * width + x;
        const over = sample(above + a, i) + (sample(above + b, i) - sample(above + a, i)) * (u - a);
        const under =
          sample(below + a, i) + (sample(below + b, i) - sample(below + a, i)) * (u - a);
        clamped[i] = over + (under - over) * (v - Math.floor(v));
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
