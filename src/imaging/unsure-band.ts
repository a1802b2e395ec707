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
function findSeeds({ data, width, height }: Matte): Uint8Array {
  const seeds = new Uint8Array(data.length);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      const alpha = data[i]!;
      const right = x + 1 < width ? data[i + 1]! : alpha;
      const below = y + 1 < height ? data[i + width]! : alpha;
      const isEdge = isSubject(alpha) !== isSubject(right) || isSubject(alpha) !== isSubject(below);
      if (isEdge || (alpha > UNSURE.above && alpha < UNSURE.below)) seeds[i] = 1;
    }
  return seeds;
}

/** Marks in `out` what lies within `radius` of a mark, along one line of `length` pixels that are `step` apart. */
function spreadLine(
  marks: Uint8Array,
  out: Uint8Array,
  first: number,
  length: number,
  step: number,
  radius: number,
): void {
  for (let ahead = 0, end = 0; ahead < length + radius; ahead++) {
    if (ahead < length && marks[first + ahead * step] === 1) end = ahead + 2 * radius + 1;
    if (ahead >= radius && ahead < end) out[first + (ahead - radius) * step] = 1;
  }
}

/** Marks the squares of `2 * radius + 1` pixels a side around all marks. */
function spread(marks: Uint8Array, { width, height }: Matte, radius: number): Uint8Array {
  const across = new Uint8Array(marks.length);
  for (let y = 0; y < height; y++) spreadLine(marks, across, y * width, width, 1, radius);
  const around = new Uint8Array(marks.length);
  for (let x = 0; x < width; x++) spreadLine(across, around, x, height, width, radius);
  return around;
}

/** Returns the pixels close to a boundary or to an unsure pixel. */
export function unsureBand(matte: Matte): Band {
  const { width, height } = matte;
  const radius = Math.max(1, Math.round(REACH * Math.max(width, height)));
  const near = spread(findSeeds(matte), matte, radius);
  const ordinals = new Int32Array(near.length).fill(-1);
  let count = 0;
  for (let i = 0; i < near.length; i++) if (near[i] === 1) ordinals[i] = count++;
  const indices = new Int32Array(count);
  for (let i = 0; i < near.length; i++) if (ordinals[i]! >= 0) indices[ordinals[i]!] = i;
  return { indices: indices, ordinals: ordinals };
}

/** A pixel shares windows of 3 x 3 with pixels so far away. */
const WINDOW_REACH = 2;

/** Marks, by 1, the pixels of which the solution in a band depends. */
export function aroundBand({ indices }: Band, matte: Matte): Uint8Array {
  const marks = new Uint8Array(matte.data.length);
  for (const pixel of indices) marks[pixel] = 1;
  return spread(marks, matte, WINDOW_REACH);
}
