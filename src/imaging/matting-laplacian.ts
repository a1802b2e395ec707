import {
  type ColourLine,
  newColourLine,
  readWindow,
  WINDOW,
  windowOffsets,
} from './colour-lines.ts';
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

/** Where the pixels of a window lie in the stencil of its first one, less the centre. */
const STEPS = Int32Array.from(
  { length: WINDOW },
  (_, k) => STENCIL_SIDE * Math.floor(k / 3) + (k % 3),
);

/** Whether a window with this centre lies within the image, and was not visited; marks it as visited. */
function visit(visited: Uint8Array, centre: number, width: number): boolean {
  if (centre < width || centre >= visited.length - width || visited[centre] === 1) return false;
  visited[centre] = 1;
  const x = centre % width;
  return x > 0 && x < width - 1;
}

/** The pixels of one window; overwritten by the next. */
interface Window {
  line: ColourLine;
  /** Which equation is that of a pixel; less than 0 if its alpha is known. */
  equations: Int32Array;
  isKnownSubject: Uint8Array;
}

/** Adds the terms of a window to the equation of its pixel `i`. */
function addTerms({ coefficients, rhs }: Equations, window: Window, i: number): void {
  const { equations, isKnownSubject } = window;
  const { centred, whitened } = window.line;
  const equation = equations[i]!;
  const first = STENCIL * equation + STENCIL_CENTRE - STEPS[i]!;
  const [red, green, blue] = [whitened[3 * i]!, whitened[3 * i + 1]!, whitened[3 * i + 2]!];
  coefficients[first + STEPS[i]!]! += 1;
  for (let j = 0, c = 0; j < WINDOW; j++, c += 3) {
    const similarity = red * centred[c]! + green * centred[c + 1]! + blue * centred[c + 2]!;
    const term = (1 + similarity) / WINDOW;
    if (equations[j]! >= 0) coefficients[first + STEPS[j]!]! -= term;
    else rhs[equation]! += term * isKnownSubject[j]!;
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
  const sums: Equations = {
    coefficients: new Float32Array(STENCIL * indices.length),
    rhs: new Float64Array(indices.length),
  };
  const offsets = windowOffsets(width);
  const window: Window = {
    line: newColourLine(),
    equations: new Int32Array(WINDOW),
    isKnownSubject: new Uint8Array(WINDOW),
  };
  const { line, equations, isKnownSubject } = window;
  const visited = new Uint8Array(width * height);
  for (let n = 0; n < WINDOW * indices.length; n++) {
    const centre = indices[Math.floor(n / WINDOW)]! + offsets[n % WINDOW]!;
    if (!visit(visited, centre, width)) continue;
    readWindow(pixels, centre, offsets, EPSILON, line);
    for (let k = 0; k < WINDOW; k++) {
      equations[k] = ordinals[centre + offsets[k]!]!;
      isKnownSubject[k] = isSubject(matte.data[centre + offsets[k]!]!) ? 1 : 0;
    }
    for (let i = 0; i < WINDOW; i++) if (equations[i]! >= 0) addTerms(sums, window, i);
  }
  return sums;
}
