import type { Pixels } from './tensor.ts';

/** Windows are three pixels a side. */
export const WINDOW = 9;
const CHANNELS = 3;

/** The colours of one window, prepared for fitting alpha as a linear function of colour. */
export interface ColourLine {
  /** Mean colour, 0..1. */
  mean: Float64Array;
  /** Each pixel's colour minus the mean: nine times red, green, blue. */
  centred: Float64Array;
  /** The centred colours times the inverse of the window's covariance. */
  whitened: Float64Array;
}

export const newColourLine = (): ColourLine => ({
  mean: new Float64Array(CHANNELS),
  centred: new Float64Array(WINDOW * CHANNELS),
  whitened: new Float64Array(WINDOW * CHANNELS),
});

/** Index offsets from a window's centre to its pixels, rows from the top. */
export const windowOffsets = (width: number): Int32Array =>
  Int32Array.from({ length: WINDOW }, (_, k) => (Math.floor(k / 3) - 1) * width + (k % 3) - 1);

function centreColours(
  { data }: Pixels,
  centre: number,
  offsets: Int32Array,
  line: ColourLine,
): void {
  const { mean, centred } = line;
  mean.fill(0);
  for (let k = 0; k < WINDOW; k++)
    for (let c = 0, p = CHANNELS * (centre + offsets[k]!); c < CHANNELS; c++, p++) {
      const colour = data[p]! / 255;
      centred[CHANNELS * k + c] = colour;
      mean[c]! += colour / WINDOW;
    }
  for (let k = 0; k < centred.length; k++) centred[k]! -= mean[k % CHANNELS]!;
}

/**
 * Reads the window around a pixel into `line`.
 * @param epsilon regularisation, in squared colours of 0..1: keeps the covariance of a flat window invertible
 */
export function readWindow(
  pixels: Pixels,
  centre: number,
  offsets: Int32Array,
  epsilon: number,
  line: ColourLine,
): void {
  centreColours(pixels, centre, offsets, line);
  const { centred, whitened } = line;
  let [rr, rg, rb, gg, gb, bb] = [epsilon, 0, 0, epsilon, 0, epsilon];
  for (let k = 0; k < centred.length; k += CHANNELS) {
    const [r, g, b] = [centred[k]!, centred[k + 1]!, centred[k + 2]!];
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
  for (let k = 0; k < centred.length; k += CHANNELS) {
    const [red, green, blue] = [centred[k]!, centred[k + 1]!, centred[k + 2]!];
    whitened[k] = (a * red + b * green + c * blue) * scale;
    whitened[k + 1] = (b * red + d * green + e * blue) * scale;
    whitened[k + 2] = (c * red + e * green + f * blue) * scale;
  }
}
