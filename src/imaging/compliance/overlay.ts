import { quantileOf } from '../ground/even-ground.ts';
import type { MattedImage } from '../picture.ts';
import { eachGroundRun, type Ground, isStep } from './ground.ts';

/** Where a channel differs by more than this, 0..255, from what lies evenly between two pixels, something is drawn. */
const MIN_STEP = 6;
/** A ground is plain if so much of it differs by at most `plainSpread` from its median, 0..255. */
const PLAIN = { minShare: 0.5, spread: 12 };
/** Of those two pixels from the one between them. */
const DISTANCE = 2;

/** Green of each pixel of the ground, counted. */
function greenCounts({ pixels: { data } }: MattedImage, ground: Ground): Uint32Array {
  const counts = new Uint32Array(256);
  eachGroundRun(ground, (start, end) => {
    for (let i = start; i < end; i++) counts[data[3 * i + 1]!]!++;
  });
  return counts;
}

const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0);

/** Returns whether most of a ground has about one brightness. Of what is not plain, nothing can be said. */
function isPlain(counts: Uint32Array, total: number): boolean {
  const median = quantileOf(counts, total / 2);
  const near = counts.subarray(Math.max(0, median - PLAIN.spread), median + PLAIN.spread + 1);
  return sum(near) >= PLAIN.minShare * total;
}

/**
 * Returns the share of the ground, 0..1, that is an edge of something drawn on it: text, a logo, a watermark. Soft
 * shadows have no edges.
 * @returns undefined if the ground is not plain: in a photographed one nothing can be told apart
 */
export function drawnShare(picture: MattedImage, ground: Ground): number | undefined {
  const { data } = picture.pixels;
  const counts = greenCounts(picture, ground);
  const total = sum(counts);
  if (total === 0) return 0;
  if (!isPlain(counts, total)) return undefined;
  const { width, height } = ground;
  const below = DISTANCE * width;
  const last = (height - DISTANCE) * width;
  const isEdge = (pixel: number, distance: number): boolean =>
    isStep(data, pixel - distance, pixel, pixel + distance, MIN_STEP);
  let drawn = 0;
  eachGroundRun(ground, (start, end) => {
    for (let i = start; i < end; i++) {
      const isAcross = i - DISTANCE >= start && i + DISTANCE < end && isEdge(i, DISTANCE);
      if (isAcross || (i >= below && i < last && isEdge(i, below))) drawn++;
    }
  });
  return drawn / total;
}
