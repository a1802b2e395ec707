import { newColourLine, readWindow, WINDOW, windowOffsets } from './colour-lines.ts';
import type { Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';
import { type Band, isSubject } from './unsure-band.ts';

/** A pixel shares windows with pixels up to two away: a stencil of 5 x 5 around it. */
export const STENCIL = 25;
export const STENCIL_CENTRE = 12;
export const STENCIL_SIDE = 5;

/**
 * Regularisation of the linear model of alpha in a window: Levin's epsilon times the nine pixels of a window. Has
 * the smallest edge error of 1e-7 to 1e-3 on the composites of the evaluation set.
 */
const EPSILON = 1e-6;

/** One linear equation for each pixel of a band: coefficients and right-hand side. */
export interface Equations {
  /** `STENCIL` coefficients an equation, rows from the top; zero for pixels outside the band. */
  coefficients: Float32Array;
  rhs: Float64Array;
}

/** For each pair of a window's pixels: the second's position in the first's stencil. */
const PAIRS = Int32Array.from({ length: WINDOW * WINDOW }, (_, pair) => {
  const [i, j] = [Math.floor(pair / WINDOW), pair % WINDOW];
  const down = Math.floor(j / 3) - Math.floor(i / 3);
  return STENCIL_CENTRE + STENCIL_SIDE * down + (j % 3) - (i % 3);
});

/** Yields the centres of all windows that hold a pixel of the band and lie within the image. */
function* windowCentres({ indices }: Band, width: number, height: number): Generator<number> {
  const visited = new Uint8Array(width * height);
  const offsets = windowOffsets(width);
  for (const pixel of indices)
    for (const offset of offsets) {
      const centre = pixel + offset;
      if (centre < width || centre >= width * (height - 1) || visited[centre] === 1) continue;
      visited[centre] = 1;
      const x = centre % width;
      if (x > 0 && x < width - 1) yield centre;
    }
}

/**
 * Builds the matting Laplacian over a band; pixels around it count as known, wholly subject or wholly background.
 *
 * Over all windows k that hold both i and j, with n pixels a window, mean m and covariance C of its
 * colours I: L(i,j) = sum of [i = j] - (1 + (I_i - m)' (C + eps / n)^-1 (I_j - m)) / n.
 * @see Levin, Lischinski & Weiss, A Closed-Form Solution to Natural Image Matting, PAMI 30(2), 2008, eq. 12
 */
export function mattingLaplacian(pixels: Pixels, matte: Matte, band: Band): Equations {
  const { width, height } = pixels;
  const { ordinals, indices } = band;
  const coefficients = new Float32Array(STENCIL * indices.length);
  const rhs = new Float64Array(indices.length);
  const offsets = windowOffsets(width);
  const line = newColourLine();
  const { centred, whitened } = line;
  for (const centre of windowCentres(band, width, height)) {
    readWindow(pixels, centre, offsets, EPSILON, line);
    for (let pair = 0; pair < PAIRS.length; pair++) {
      const i = Math.floor(pair / WINDOW);
      const equation = ordinals[centre + offsets[i]!]!;
      if (equation < 0) continue;
      const j = pair % WINDOW;
      const [p, q] = [3 * i, 3 * j];
      const similarity =
        whitened[p]! * centred[q]! +
        whitened[p + 1]! * centred[q + 1]! +
        whitened[p + 2]! * centred[q + 2]!;
      const coefficient = (i === j ? 1 : 0) - (1 + similarity) / WINDOW;
      const neighbour = centre + offsets[j]!;
      if (ordinals[neighbour]! >= 0)
        coefficients[STENCIL * equation + PAIRS[pair]!]! += coefficient;
      else if (isSubject(matte.data[neighbour]!)) rhs[equation]! -= coefficient;
    }
  }
  return { coefficients, rhs };
}
