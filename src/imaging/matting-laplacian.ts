import { newColourLine, readWindow, WINDOW, windowOffsets } from './colour-lines.ts';
import type { Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';
import { type Band, isSubject } from './unsure-band.ts';

/** A pixel shares windows with those up to two away: five times five, itself in the middle. */
export const STENCIL = 25;
export const MIDDLE = 12;
export const SIDE = 5;

/**
 * Within a window alpha is a linear function of colour, up to this much; Levin's epsilon times the nine pixels
 * of a window. Least edge error of 1e-7 to 1e-3 on the composites of the evaluation set.
 */
const EPSILON = 1e-6;

/** One linear equation for each pixel of a band. */
export interface Equations {
  /** `STENCIL` factors an equation, rows from the top; those of pixels outside the band are zero. */
  factors: Float32Array;
  right: Float64Array;
}

/** For each pair of a window's pixels: which factor of the first the second is. */
const PAIRS = Int32Array.from({ length: WINDOW * WINDOW }, (_, pair) => {
  const [i, j] = [Math.floor(pair / WINDOW), pair % WINDOW];
  const down = Math.floor(j / 3) - Math.floor(i / 3);
  return MIDDLE + SIDE * down + (j % 3) - (i % 3);
});

/** The middles of all windows that hold a pixel of the band and lie in the picture. */
function* windowsOf({ places }: Band, width: number, height: number): Generator<number> {
  const taken = new Uint8Array(width * height);
  const offsets = windowOffsets(width);
  for (const place of places)
    for (const offset of offsets) {
      const middle = place + offset;
      if (middle < width || middle >= width * (height - 1) || taken[middle] === 1) continue;
      taken[middle] = 1;
      const x = middle % width;
      if (x > 0 && x < width - 1) yield middle;
    }
}

/**
 * The matting Laplacian over a band; pixels around it are taken as known, wholly subject or wholly backdrop.
 *
 * Over all windows k that hold both i and j, with n the pixels of a window, mean m and covariance C of its
 * colours I: L(i,j) = sum of [i = j] - (1 + (I_i - m)' (C + eps / n)^-1 (I_j - m)) / n.
 * @see Levin, Lischinski & Weiss, A Closed-Form Solution to Natural Image Matting, PAMI 30(2), 2008, eq. 12
 */
export function mattingLaplacian(pixels: Pixels, matte: Matte, band: Band): Equations {
  const { width, height } = pixels;
  const { numbers, places } = band;
  const factors = new Float32Array(STENCIL * places.length);
  const right = new Float64Array(places.length);
  const offsets = windowOffsets(width);
  const line = newColourLine();
  const { apart, white } = line;
  for (const middle of windowsOf(band, width, height)) {
    readWindow(pixels, middle, offsets, EPSILON, line);
    for (let pair = 0; pair < PAIRS.length; pair++) {
      const i = Math.floor(pair / WINDOW);
      const number = numbers[middle + offsets[i]!]!;
      if (number < 0) continue;
      const j = pair % WINDOW;
      const [p, q] = [3 * i, 3 * j];
      const alike =
        white[p]! * apart[q]! + white[p + 1]! * apart[q + 1]! + white[p + 2]! * apart[q + 2]!;
      const factor = (i === j ? 1 : 0) - (1 + alike) / WINDOW;
      const other = middle + offsets[j]!;
      if (numbers[other]! >= 0) factors[STENCIL * number + PAIRS[pair]!]! += factor;
      else if (isSubject(matte.data[other]!)) right[number]! -= factor;
    }
  }
  return { factors, right };
}
