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
  evenMatte,
  type Matte,
  type MattedImage,
  type Pixels,
  paste,
  subjectBox,
} from '../../../src/imaging/picture.ts';
import { correctAlpha, recoverForeground } from '../../../src/imaging/soft-pixels.ts';
import type { PartialSubject } from '../../../src/output/option-table.ts';
import { Problem } from '../../../src/platform/problem.ts';
import { type Refinement, refineEdges } from '../assembly.ts';
import type { Session } from '../session.ts';
import { BACKGROUND, type GarmentRegion, GROUPS, IS_WORN, PARTS } from './groups.ts';
import { parseGarments } from './parse.ts';
import { maskOfParts } from './pieces.ts';
import { prepareSubject } from './separate.ts';
import { labelParts, type Subject } from './subject.ts';

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

/** For each part, the region in which it is worn; undefined for the background, skin and hair. */
const REGION_OF: readonly (GarmentRegion | undefined)[] = PARTS.map(
  (name) => GROUPS.find(({ part }) => part === name)?.region,
);

function partsOf(choice: PartialSubject): readonly boolean[] {
  if (choice === 'person') return PARTS.map((_, part) => part !== BACKGROUND);
  if (choice === 'garment') return IS_WORN;
  return REGION_OF.map((region) => region === choice);
}

/** Returns the regions of what is worn, but the one that was not found. */
function regionsOf(subject: Subject, choice: PartialSubject): string[] {
  const found = new Set<string>();
  for (const label of labelParts(subject)) {
    const region = REGION_OF[label];
    if (region && region !== choice) found.add(region);
  }
  return [...found];
}

/** Returns the problem of a photo that does not show the choice. @param regions that it shows */
function notFound(choice: PartialSubject, regions: readonly string[]): Problem {
  const shown = regions.length > 0 ? `; it shows: ${regions.join(', ')}` : '';
  const others = [...regions, ...(regions.length > 0 ? ['garment'] : []), 'all'];
  const detail =
    choice === 'person'
      ? 'No person was found in the image: neither skin nor hair shows. Send subject "all" or "garment", or another photo'
      : `No ${choice === 'garment' ? 'garment' : `garment of the region "${choice}"`} was found in the image${shown}. Send another subject (${others.join(', ')}) or another photo`;
  return new Problem('unprocessable-image', detail, {
    errors: [{ pointer: '/subject', detail: `"${choice}" is not in the image` }],
  });
}

export interface Selection {
  matte: Matte;
  /** Whether there are several people, of whom only the largest was taken. */
  severalPeople: boolean;
}

/**
 * Reduces the matte of a subject to a part of it: the people, what the largest of them wears, or one region of that.
 * Edges within the subject follow the photo.
 * @param subject the colours of its soft pixels are overwritten
 * @param edges see `refineGarment`
 * @param preferred region to take instead of all garments, if the photo shows one of its garments
 * @throws Problem unprocessable-image if the photo does not show that part
 */
export async function selectPart(
  parser: Session,
  { pixels, matte }: MattedImage,
  choice: PartialSubject,
  edges: Refinement | undefined,
  preferred?: GarmentRegion,
): Promise<Selection> {
  const box = subjectBox(matte.data, matte.width);
  if (!box) throw notFound(choice, []);
  const map = await parseGarments(parser, pixels, box);
  const keepsOthers = choice === 'person';
  const { subject, person, severalPeople } = prepareSubject(map, matte, keepsOthers);
  const candidates = [...(preferred ? [preferred] : []), choice];
  const mask =
    keepsOthers && !person
      ? undefined
      : candidates
          .map((candidate) => maskOfParts(subject, partsOf(candidate)))
          .find((found) => found !== undefined);
  const own = mask && matteOfMask(mask, map.region, map.region, matte);
  const placed = own && placeGarment(pixels, own, map.region);
  if (!placed) throw notFound(choice, regionsOf(subject, choice));
  const selected = evenMatte(matte, 0);
  paste(refineGarment(placed, matte, edges), placed.area, { pixels, matte: selected });
  return { matte: selected, severalPeople: severalPeople && !keepsOthers };
}
