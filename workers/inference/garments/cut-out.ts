import {
  type Levels,
  type ProbabilityMap,
  toMatte,
  withOpacity,
} from '../../../src/imaging/matte.ts';
import {
  type Box,
  cropMatte,
  cropPixels,
  type Matte,
  type MattedImage,
  type Pixels,
  subjectBox,
} from '../../../src/imaging/picture.ts';
import { correctAlpha, recoverForeground } from '../../../src/imaging/soft-pixels.ts';
import { type Refinement, refineEdges } from '../assembly.ts';

/** Half a pixel or more is garment. */
const MIN_SOLID_ALPHA = 128;
/** Fainter pixels do not count for the box of a garment; as for that of a subject. */
const MIN_VISIBLE_ALPHA = 26;

/** A garment's matte is hardened when it is made; what is solved stays as it is. */
const ALL_LEVELS: Levels = [0, 1];

/**
 * Symmetric, so that two garments that meet add up to what is there. Narrow, because where the network is torn between
 * two garments of one cloth, one of them is right: with wider levels both would be translucent.
 */
const MASK_LEVELS: Levels = [0.42, 0.58];

/**
 * Returns the matte of a part of the subject, of the size of a box.
 * @param region of the image that the mask covers; contains the box
 * @param matte of the whole subject, of the image's size: nothing becomes more opaque than there
 */
export function matteOfMask(mask: ProbabilityMap, region: Box, box: Box, matte: Matte): Matte {
  const within = { ...box, left: box.left - region.left, top: box.top - region.top };
  const own = cropMatte(toMatte(mask, region, MASK_LEVELS), within);
  return withOpacity(own, cropMatte(matte, box).data);
}

/** A garment with what is around it. */
export interface PlacedGarment extends MattedImage {
  /** Which part of the photo this is. */
  area: Box;
  /** The smallest box that contains all that is visible of it, within the area. */
  visible: Box;
  /** The same in the photo. */
  box: Box;
}

/**
 * Returns a garment with its matte and the photo around it.
 * @param pixels of the photo; stay as they are
 * @param matte of the garment, of the size of the area
 * @param area of the photo that contains the garment
 * @returns undefined if no pixel of it is solid
 */
export function placeGarment(pixels: Pixels, matte: Matte, area: Box): PlacedGarment | undefined {
  const isSolid = subjectBox(matte.data, matte.width, MIN_SOLID_ALPHA) !== undefined;
  const visible = subjectBox(matte.data, matte.width, MIN_VISIBLE_ALPHA);
  if (!isSolid || !visible) return undefined;
  const box = { ...visible, left: area.left + visible.left, top: area.top + visible.top };
  return { pixels: cropPixels(pixels, area), matte, area, visible, box };
}

/** Limits a matte to that of the whole subject: a refined edge must not bring the background back. */
function limitTo({ data }: Matte, whole: Matte, area: Box): void {
  const limits = cropMatte(whole, area).data;
  for (let i = 0; i < data.length; i++) data[i] = Math.min(data[i]!, limits[i]!);
}

/**
 * Makes the edges of a garment follow the photo, and frees its soft pixels of the colours beside them. Opaque pixels
 * stay the photo's, bit for bit.
 * @param garment its colours and matte are overwritten
 * @param whole matte of the whole subject
 * @param edges how thoroughly edges are solved for; without it only by the colours around, at a twentieth of the time
 */
export function refineGarment(
  { pixels, matte, area }: PlacedGarment,
  whole: Matte,
  edges: Refinement | undefined,
): MattedImage {
  const scene = { pixels, matte, opacity: undefined };
  const surroundings = edges ? undefined : correctAlpha(scene);
  if (edges) refineEdges(pixels, matte, edges, ALL_LEVELS, 1);
  limitTo(matte, whole, area);
  recoverForeground(scene, surroundings);
  return { pixels, matte };
}
