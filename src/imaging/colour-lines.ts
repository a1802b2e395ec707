import type { Pixels } from './tensor.ts';

/** Windows are three pixels a side. */
export const WINDOW = 9;
const COLOURS = 3;

/** Colours of one window, and what a linear model of alpha in them is fitted with. */
export interface ColourLine {
  /** Mean colour, 0..1. */
  mean: Float64Array;
  /** Each pixel's colour less the mean: nine times red, green, blue. */
  apart: Float64Array;
  /** The same times the inverse of the window's covariance. */
  white: Float64Array;
}

export const newColourLine = (): ColourLine => ({
  mean: new Float64Array(COLOURS),
  apart: new Float64Array(WINDOW * COLOURS),
  white: new Float64Array(WINDOW * COLOURS),
});

/** From the middle of a window to its pixels, rows from the top. */
export const windowOffsets = (width: number): Int32Array =>
  Int32Array.from({ length: WINDOW }, (_, k) => (Math.floor(k / 3) - 1) * width + (k % 3) - 1);

function centre({ data }: Pixels, middle: number, offsets: Int32Array, line: ColourLine): void {
  const { mean, apart } = line;
  mean.fill(0);
  for (let k = 0; k < WINDOW; k++)
    for (let c = 0, p = COLOURS * (middle + offsets[k]!); c < COLOURS; c++, p++) {
      const colour = data[p]! / 255;
      apart[COLOURS * k + c] = colour;
      mean[c]! += colour / WINDOW;
    }
  for (let k = 0; k < apart.length; k++) apart[k]! -= mean[k % COLOURS]!;
}

/**
 * Reads the window around a pixel.
 * @param epsilon keeps windows of one colour from dividing by nothing; colours 0..1, squared
 */
export function readWindow(
  pixels: Pixels,
  middle: number,
  offsets: Int32Array,
  epsilon: number,
  line: ColourLine,
): void {
  centre(pixels, middle, offsets, line);
  const { apart, white } = line;
  let [rr, rg, rb, gg, gb, bb] = [epsilon, 0, 0, epsilon, 0, epsilon];
  for (let k = 0; k < apart.length; k += COLOURS) {
    const [r, g, b] = [apart[k]!, apart[k + 1]!, apart[k + 2]!];
    rr += r * r;
    rg += r * g;
    rb += r * b;
    gg += g * g;
    gb += g * b;
    bb += b * b;
  }
  const [a, b, c] = [gg * bb - gb * gb, rb * gb - rg * bb, rg * gb - rb * gg];
  const [d, e, f] = [rr * bb - rb * rb, rg * rb - rr * gb, rr * gg - rg * rg];
  const scale = WINDOW / (rr * a + rg * b + rb * c); // sums to means
  for (let k = 0; k < apart.length; k += COLOURS) {
    const [red, green, blue] = [apart[k]!, apart[k + 1]!, apart[k + 2]!];
    white[k] = (a * red + b * green + c * blue) * scale;
    white[k + 1] = (b * red + d * green + e * blue) * scale;
    white[k + 2] = (c * red + e * green + f * blue) * scale;
  }
}
