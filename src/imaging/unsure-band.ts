import { boxSums } from './box-sums.ts';
import type { Matte } from './matte.ts';

/** Alphas between these are unsure; what is nearer to either end is taken for what it seems. */
const UNSURE = { above: 40, below: 215 };
/** How far the band reaches beyond, as a share of the longer side: 3 pixels in a photo of 533. */
const REACH = 3 / 533;
const HALF = 127;

/** Pixels to be decided anew. */
export interface Band {
  /** Their places in the picture, rising. */
  places: Int32Array;
  /** For each pixel of the picture its number in `places`, or -1. */
  numbers: Int32Array;
}

/** Half or more of a pixel is subject. */
export const isSubject = (alpha: number): boolean => alpha > HALF;

/** One a pixel that is unsure itself or parts subject from backdrop, else zero. */
function seedsOf({ data, width }: Matte): Float32Array {
  const seeds = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const alpha = data[i]!;
    const right = (i + 1) % width === 0 ? alpha : data[i + 1]!;
    const below = data[i + width] ?? alpha;
    const parts = isSubject(alpha) !== isSubject(right) || isSubject(alpha) !== isSubject(below);
    if (parts || (alpha > UNSURE.above && alpha < UNSURE.below)) seeds[i] = 1;
  }
  return seeds;
}

/** The pixels within a few of an edge, or of anything unsure. */
export function unsureBand(matte: Matte): Band {
  const { width, height } = matte;
  const radius = Math.max(1, Math.round(REACH * Math.max(width, height)));
  const cells = { data: seedsOf(matte), columns: width, rows: height, channels: 1 };
  const near = boxSums(cells, radius);
  const numbers = new Int32Array(near.length).fill(-1);
  let count = 0;
  for (let i = 0; i < near.length; i++) if (near[i]! > 0.5) numbers[i] = count++;
  const places = new Int32Array(count);
  for (let i = 0; i < near.length; i++) if (numbers[i]! >= 0) places[numbers[i]!] = i;
  return { places, numbers };
}
