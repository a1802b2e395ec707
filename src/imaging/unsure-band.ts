import { boxSums } from './box-sums.ts';
import type { Matte } from './matte.ts';

/** Alphas between these are unsure; the others count as known. */
const UNSURE = { above: 40, below: 215 };
/** Radius of the band, as a share of the longer side: 3 pixels in a photo of 533. */
const REACH = 3 / 533;
const HALF = 127;

/** The pixels whose alpha is to be solved for. */
export interface Band {
  /** Their indices in the image, ascending. */
  indices: Int32Array;
  /** For each pixel of the image its position in `indices`, or -1. */
  ordinals: Int32Array;
}

/** Whether half of a pixel or more is subject. */
export const isSubject = (alpha: number): boolean => alpha > HALF;

/** Returns 1 for each pixel that is unsure or at a boundary of subject and background, else 0. */
function findSeeds({ data, width }: Matte): Float32Array {
  const seeds = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const alpha = data[i]!;
    const right = (i + 1) % width === 0 ? alpha : data[i + 1]!;
    const below = data[i + width] ?? alpha;
    const isEdge = isSubject(alpha) !== isSubject(right) || isSubject(alpha) !== isSubject(below);
    if (isEdge || (alpha > UNSURE.above && alpha < UNSURE.below)) seeds[i] = 1;
  }
  return seeds;
}

/** Returns the pixels close to a boundary or to an unsure pixel. */
export function unsureBand(matte: Matte): Band {
  const { width, height } = matte;
  const radius = Math.max(1, Math.round(REACH * Math.max(width, height)));
  const cells = { data: findSeeds(matte), columns: width, rows: height, channels: 1 };
  const near = boxSums(cells, radius);
  const ordinals = new Int32Array(near.length).fill(-1);
  let count = 0;
  for (let i = 0; i < near.length; i++) if (near[i]! > 0.5) ordinals[i] = count++;
  const indices = new Int32Array(count);
  for (let i = 0; i < near.length; i++) if (ordinals[i]! >= 0) indices[ordinals[i]!] = i;
  return { indices: indices, ordinals: ordinals };
}
