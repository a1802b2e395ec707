import { classify, type ImageEvidence } from '../classify.ts';
import { dictionary, type Region } from '../dictionary/schema.ts';
import { round3 } from '../odds.ts';
import { ofImageClasses } from '../photo/image-classes.ts';
import type { ClassifySettings } from '../request-schema.ts';
import {
  type GarmentCutOut,
  OUTFIT_REVIEW_REASONS,
  type OutfitDescription,
} from './outfit-schema.ts';
import { amongWorn, type GroupCandidate, groupEvidence, type ParseGroup } from './parse-groups.ts';

/** A garment of a photo, as a worker sees it. */
interface GarmentEvidence {
  group: ParseGroup;
  /** Of the group. */
  region: Region;
  /** The likeliest first. */
  alternatives: readonly GroupCandidate[];
  box: { left: number; top: number; width: number; height: number };
  areaShare: number;
  confidence: number;
  occludedBy: readonly (ParseGroup | 'frame')[];
  probabilities: ImageEvidence['probabilities'];
  colors: ImageEvidence['colors'];
  fingerprint?: string | undefined;
}

/** A worker's analysis of the photo of an outfit. */
export interface OutfitEvidence {
  /** Of the upright photo, pixels. */
  width: number;
  height: number;
  /** Names and versions of the weights. */
  model: string;
  classifier: string;
  person: boolean;
  severalPeople: boolean;
  confidence: number;
  /** Of the cut-out of the whole subject. */
  review: { needed: boolean; reasons: readonly string[] };
  garments: readonly GarmentEvidence[];
  /** Of the whole subject. */
  fingerprint?: string | undefined;
}

type DescribedGarment = OutfitDescription['garments'][number];

interface DescribeOptions {
  settings: ClassifySettings;
  /** Starts the ids of the wardrobe items; the garment's index follows. */
  id: string;
  /** Returns the cut-out of a garment; without it there are none. */
  cutOutOf?: (
    index: number,
  ) => Pick<GarmentCutOut, 'file' | 'url' | 'bytes' | 'sha256'> | undefined;
}

/** Photos whose shorter side has fewer pixels show too little of each garment. */
const MIN_SIDE_PIXELS = 200;
/**
 * Below this mean confidence in the garments, by area, the photo is hardly an outfit: of a shop's goods that nobody
 * wears 6 in 10 are below it, of its models 6 in 100. Goods without a person are of another kind up to .7: 5 of 5 of the
 * evaluation's that are between. See docs/adr/0063-honest-names.md.
 */
const MIN_GARMENT_CONFIDENCE = { worn: 0.6, laidOut: 0.7 };
/**
 * A garment of this confidence whose group is this likely has a wardrobe item though its category is a guess: an outfit
 * needs to know that there is a pair of shoes more than which. From a group of .5 on, two of six such items of 23
 * labelled street photos were of another kind; from .7 on one of four, and all are worn where they are said to be.
 */
const MIN_GUESSED = { garment: 0.6, group: 0.7 };
/** The outfit engine accepts ids of 128 characters. */
const MAX_ID_CHARS = 120;

const itemId = (id: string, index: number): string => `${id.slice(0, MAX_ID_CHARS)}-${index}`;

/** Returns the mean confidence in the garments, by their areas. */
function garmentConfidence(garments: OutfitEvidence['garments']): number {
  const total = (read: (garment: GarmentEvidence) => number) =>
    garments.reduce((sum, garment) => sum + garment.areaShare * read(garment), 0);
  return total(({ confidence }) => confidence) / total(() => 1);
}

/** Whether the category of a garment's wardrobe item is a guess. */
const isGuessed = ({ classification: { status, wardrobeItem } }: DescribedGarment): boolean =>
  status === 'uncertain' && wardrobeItem !== null;

function reviewOf(
  { width, height, garments, person, severalPeople, review }: OutfitEvidence,
  described: readonly DescribedGarment[],
) {
  const minConfidence = MIN_GARMENT_CONFIDENCE[person ? 'worn' : 'laidOut'];
  const holds: Readonly<Record<(typeof OUTFIT_REVIEW_REASONS)[number], boolean>> = {
    'no-garment': garments.length === 0,
    'several-people': severalPeople,
    'too-small': Math.min(width, height) < MIN_SIDE_PIXELS,
    'garments-unsure': garmentConfidence(garments) < minConfidence,
    'category-guessed': described.some(isGuessed),
  };
  const own = OUTFIT_REVIEW_REASONS.filter((reason) => holds[reason]);
  return { needed: review.needed || own.length > 0, reasons: [...own, ...review.reasons] };
}

/** Names the garments of a photo: each by its own pixels and by its place on the person. Pure. */
export function describeOutfit(
  outfit: OutfitEvidence,
  { settings, id, cutOutOf }: DescribeOptions,
): OutfitDescription {
  const { width, height, classifier: model, person, confidence } = outfit;
  const groups = outfit.garments.map(({ group }) => group);
  const garments = outfit.garments.map((garment, index) => {
    const { group, region, alternatives, areaShare, box, occludedBy } = garment;
    const { colors, fingerprint } = garment;
    const probabilities = amongWorn(ofImageClasses(garment.probabilities), group, groups);
    const evidence = groupEvidence(alternatives, areaShare);
    const classification = classify({
      image: { probabilities, colors, width, height, hasAlpha: true, model, fingerprint },
      group: evidence,
      guessesFrom: garment.confidence >= MIN_GUESSED.garment ? MIN_GUESSED.group : undefined,
      options: settings,
      fallbackId: itemId(id, index),
    });
    const file = cutOutOf?.(index);
    return {
      index,
      group,
      alternatives: alternatives.map((each) => ({
        group: each.group,
        confidence: round3(each.probability),
      })),
      region,
      confidence: round3(garment.confidence),
      box,
      areaShare: round3(areaShare),
      occluded: occludedBy.length > 0,
      occludedBy: [...occludedBy],
      classification,
      ...(file && {
        cutout: {
          ...file,
          mediaType: 'image/png' as const,
          width: box.width,
          height: box.height,
        },
      }),
    };
  });
  return {
    person,
    image: { width, height },
    dictionaryVersion: dictionary.dictionaryVersion,
    modelVersion: outfit.model,
    confidence: round3(confidence),
    garments,
    review: reviewOf(outfit, garments),
    ...(outfit.fingerprint && { fingerprint: outfit.fingerprint }),
  };
}
