import { type GroundEvidence, NO_GROUND_EVIDENCE } from './ground/correct.ts';
import type { Size } from './layout.ts';
import { blendedShareOf } from './outline-colours.ts';
import { measurePieces } from './pieces.ts';
import { type ProbabilityMap, SUBJECT } from './probability-map.ts';
import { sharpnessOf } from './sharpness.ts';
import type { Box } from './subject-box.ts';
import type { Pixels } from './tensor.ts';
import { unsureGapShareOf } from './unsure-gaps.ts';

/** A network's output for an image or a region of it, and what it saw. */
export interface View {
  map: ProbabilityMap;
  /** In the size of the map. */
  pixels: Pixels;
  /** The part of the image that both cover, pixels of the image. */
  region: Box;
  image: Size;
}

/** What speaks for and against a cut-out, in numbers. */
export interface Evidence extends GroundEvidence {
  /** See `estimateConfidence`. */
  confidence: number;
  /** Area that is neither subject nor background and lies within the subject, as a share of the subject. */
  unsureGapShare: number;
  /** Area of the largest separate piece but the main one and its twin, as a share of the main one. */
  otherShare: number;
  /** Area of the subject, as a share of the image. */
  subjectShare: number;
  /** How fine the detail is: about .25 in a blurred photo, .4 in a sharp one; 1 if that cannot be told. */
  sharpness: number;
  /** Share of the outline with nearly the same colour on both sides, 0..1. */
  blendedShare: number;
  /** Share of one side of the image that is subject, 0..1; of the side with the most. */
  cutShare: number;
}

const areaOf = ({ width, height }: Size): number => width * height;

/** A view that is enlarged by more than this is soft whatever the photo is. */
const MAX_ENLARGEMENT = 1.25;

/** Whether a view is enlarged so much that it does not show how sharp the photo is. */
export const isEnlarged = ({ map, region }: Pick<View, 'map' | 'region'>): boolean =>
  Math.max(map.width / region.width, map.height / region.height) > MAX_ENLARGEMENT;

/** Returns the share of a line of cells that is subject. */
function shareAlong({ data }: ProbabilityMap, first: number, step: number, count: number): number {
  let cells = 0;
  for (let n = 0; n < count; n++) if (data[first + n * step]! >= SUBJECT) cells++;
  return cells / count;
}

function cutShareOf({ map, region, image }: View): number {
  const { left, top, width, height } = region;
  const [across, down] = [width / image.width, height / image.height];
  const row = (first: number) => across * shareAlong(map, first, 1, map.width);
  const column = (first: number) => down * shareAlong(map, first, map.width, map.height);
  return Math.max(
    top === 0 ? row(0) : 0,
    top + height === image.height ? row((map.height - 1) * map.width) : 0,
    left === 0 ? column(0) : 0,
    left + width === image.width ? column(map.width - 1) : 0,
  );
}

/**
 * Measures what speaks for and against a cut-out. Time depends on the size of the map alone: two milliseconds for
 * 352 x 352 cells.
 * @param view the last one that the network had
 * @param ground what the matte was found to be by it
 * @see docs/adr/0045-review-reasons.md
 */
export function measureEvidence(
  view: View,
  confidence: number,
  ground = NO_GROUND_EVIDENCE,
): Evidence {
  const { map, pixels, region, image } = view;
  const { share, otherShare } = measurePieces(map, pixels);
  return {
    confidence,
    unsureGapShare: unsureGapShareOf(map),
    otherShare,
    subjectShare: (share * areaOf(region)) / areaOf(image),
    sharpness: isEnlarged(view) ? 1 : sharpnessOf(map, pixels),
    blendedShare: blendedShareOf(map, pixels),
    cutShare: cutShareOf(view),
    ...ground,
  };
}
