import type { Box, Matte, Pixels } from '../picture.ts';
import { shareAlong } from '../views.ts';
import { isStep, VISIBLE_ALPHA } from './ground.ts';

/** A frame is looked for within this share of the shorter side. */
const MAX_DEPTH = 0.08;
/** At a frame's edge a channel differs by more than this, 0..255, from what lies evenly between both sides. */
const MIN_STEP = 8;
/** So much of a line must be such an edge, and so much of the side must be free of the subject to tell. */
const MIN_EDGE_SHARE = 0.9;
const MIN_FREE_SHARE = 0.2;

/** The pixels of a picture, counted from one of its sides: `depth` lines from it, `along` the line. */
interface Side {
  length: number;
  at(depth: number, along: number): number;
}

function sidesOf({ width, height }: Pixels): Side[] {
  return [
    { length: width, at: (depth, along) => depth * width + along },
    { length: width, at: (depth, along) => (height - 1 - depth) * width + along },
    { length: height, at: (depth, along) => along * width + depth },
    { length: height, at: (depth, along) => along * width + width - 1 - depth },
  ];
}

/** Returns whether the colours change across a line, almost all along it, and not evenly as in a shadow. */
function isEdge({ data }: Pixels, subject: Matte, { length, at }: Side, depth: number): boolean {
  let free = 0;
  let steps = 0;
  for (let along = depth; along < length - depth; along++) {
    const [outer, line, inner] = [at(depth - 2, along), at(depth, along), at(depth + 2, along)];
    if ([outer, line, inner].some((pixel) => subject.data[pixel]! >= VISIBLE_ALPHA)) continue;
    free++;
    if (isStep(data, outer, line, inner, MIN_STEP)) steps++;
  }
  return free >= MIN_FREE_SHARE * length && steps >= MIN_EDGE_SHARE * free;
}

/**
 * Returns on how many sides, 0 to 4, a picture has a frame: a line parallel to the side across which the colours change.
 * @param subject its alpha in the picture; a frame behind it cannot be seen
 */
export function framedSides(pixels: Pixels, subject: Matte): number {
  const shorter = Math.min(pixels.width, pixels.height);
  const deepest = Math.min(Math.floor(MAX_DEPTH * shorter), shorter - 3);
  return sidesOf(pixels).filter((side) => {
    for (let depth = 2; depth <= deepest; depth++)
      if (isEdge(pixels, subject, side, depth)) return true;
    return false;
  }).length;
}

/** From this alpha on a pixel counts as subject. */
const SOLID = 128;

/**
 * Returns how much of a side of a photo is subject, 0..1, on the side with the most.
 * @param region of the photo that was searched for the subject; its sides count
 */
export function largestCutShare(matte: Matte, { left, top, width, height }: Box): number {
  const first = top * matte.width + left;
  const row = (y: number) => shareAlong(matte, first + y * matte.width, 1, width, SOLID);
  const column = (x: number) => shareAlong(matte, first + x, matte.width, height, SOLID);
  return Math.max(row(0), row(height - 1), column(0), column(width - 1));
}
