import {
  evenMatte,
  type Matte,
  type MattedImage,
  paste,
  subjectBox,
} from '../../../src/imaging/picture.ts';
import type { PartialSubject } from '../../../src/output/option-table.ts';
import { Problem } from '../../../src/platform/problem.ts';
import type { Refinement } from '../assembly.ts';
import type { Session } from '../session.ts';
import { matteOfMask, placeGarment, refineGarment } from './cut-out.ts';
import { BACKGROUND, type GarmentRegion, GROUPS, IS_WORN, PARTS } from './groups.ts';
import { parseGarments } from './parse.ts';
import { maskOfParts } from './pieces.ts';
import { prepareSubject } from './separate.ts';
import { labelParts, type Subject } from './subject.ts';

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
