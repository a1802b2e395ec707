import { CATEGORY_IDS, categories, dictionary, REGIONS, type Region } from './dictionary/schema.ts';
import { average, type Belief, indexOfMax, normalised } from './odds.ts';
import type { GroupEvidence } from './outfit/parse-groups.ts';
import {
  IMAGE_CLASSES,
  type ImageClass,
  type ImageLikelihoods,
  imageLikelihoods,
  PRIOR,
  type SeenClasses,
  supportOf,
} from './photo/image-classes.ts';

type Status = 'classified' | 'uncertain' | 'unknown';

export interface Candidate {
  id: string;
  confidence: number;
}

/** The combined evidence of photo and text. */
export interface FusionResult {
  status: Status;
  /** The ten most likely categories, in descending order. */
  ranked: readonly Candidate[];
  /** The most likely group and the summed confidence of its categories. */
  group: Candidate;
  /** False if photo and text contradict each other; undefined if only one of them has evidence. */
  agreement: boolean | undefined;
  /** The text names two articles of different regions with similar weight: a set. */
  multipleGarments: boolean;
  /** Probability that the article is no garment. */
  notGarment: number;
}

/** The part of `classifyText`'s result that is fused. */
interface TextBelief extends Belief {
  hasEvidence: boolean;
  /** Columns that contradict each other. */
  contradictions: readonly string[];
  /** The categories that a title names side by side; absent or empty for one article. */
  pieces?: readonly string[];
}

/** A contradiction: the photo is so sure of a region, and the text that it is another one. */
const MIN_CONFLICT = { text: 0.8, photo: 0.7 };
/** A photo contradicts a text of which it supports less than this; see `supportOf`. */
const MIN_SUPPORT = 0.25;
/** Without text, a photo whose likeliest region is below this probability shows no known garment. */
const MIN_REGION_PROBABILITY = 0.4;
/** Prior probability of an article outside all categories. */
const NOT_GARMENT_PRIOR = 0.05;
/** A second candidate of this confidence, from another region, makes the article a set. */
const MIN_SET_CONFIDENCE = 0.3;

const regionOf = (id: string) => categories.get(id)?.region;

/** Returns the most probable class of a photo. */
export function topClass(probabilities: readonly number[]): {
  name: ImageClass;
  probability: number;
} {
  const k = indexOfMax(probabilities);
  return { name: IMAGE_CLASSES[k] ?? 'dress', probability: probabilities[k] ?? 0 };
}

const REGION_OF = dictionary.categories.map(({ region }) => region);

/** Returns the sum of the categories of a region. */
const sumOf = (odds: readonly number[], region: Region): number =>
  odds.reduce((sum, one, i) => sum + (REGION_OF[i] === region ? one : 0), 0);

/** Returns the likeliest region, and the sum of its categories. */
function likeliestRegion(odds: readonly number[]): { region: Region; probability: number } {
  const sums = REGIONS.map((region) => sumOf(odds, region));
  const i = indexOfMax(sums);
  return { region: REGIONS[i] ?? 'top', probability: sums[i] ?? 0 };
}

/** Whether a photo is confident in an article that the text excludes, or shows none where the text names one. */
function contradicts(text: TextBelief, image: ImageLikelihoods): boolean {
  const { categories, notGarment } = text;
  const photo = posterior(undefined, image);
  const shown = likeliestRegion(photo.categories);
  const showsAnother =
    shown.probability >= MIN_CONFLICT.photo &&
    sumOf(categories, shown.region) <= 1 - MIN_CONFLICT.text &&
    // A belt or a bag is often shown with what it is worn with.
    sumOf(categories, 'accessory') < 0.5;
  const showsNone = photo.notGarment >= MIN_CONFLICT.photo && notGarment <= 1 - MIN_CONFLICT.text;
  const hasSupport = notGarment <= 0.5 && supportOf(categories, image) >= MIN_SUPPORT;
  return (showsAnother || showsNone) && !hasSupport;
}

const NO_EVIDENCE: ImageLikelihoods = { categories: CATEGORY_IDS.map(() => 1), notGarment: 1 };

/** Bayes' rule: prior times likelihoods of the text, of the photo and of the garment's group. */
function posterior(
  text: TextBelief | undefined,
  image: ImageLikelihoods | undefined,
  group?: GroupEvidence,
): Belief {
  if (text && !image && !group) return text;
  const { categories, notGarment } = image ?? NO_EVIDENCE;
  return normalised({
    categories: PRIOR.map(
      (prior, i) =>
        prior *
        (categories[i] ?? 0) *
        (text ? (text.categories[i] ?? 0) : 1) *
        (group ? (group.categories[i] ?? 0) : 1),
    ),
    notGarment: (group?.notGarment ?? NOT_GARMENT_PRIOR) * notGarment * (text?.notGarment ?? 1),
  });
}

/** The highest confidence: photos and words mislead, and two of them may mislead together. */
const MAX_CONFIDENCE = 0.989;
/** The same if the text's columns contradict each other, whatever the photo shows. */
const MAX_CONTRADICTED = 0.89;

/** Takes what is above a maximum from the likeliest category, and shares it among the rest. */
function capped({ categories, notGarment }: Belief, max: number): Belief {
  const first = indexOfMax(categories);
  const top = categories[first] ?? 0;
  if (top <= max) return { categories, notGarment };
  const share = top < 1 ? (1 - max) / (1 - top) : 0;
  return {
    categories: categories.map((odds, i) => (i === first ? max : odds * share)),
    notGarment: notGarment * share,
  };
}

const MAX_RANKED = 10;

/** Returns the most likely categories; ties are in dictionary order. */
function likeliest(odds: readonly number[]): Candidate[] {
  const ranked: number[] = [];
  for (let i = 0; i < odds.length; i++) {
    let at = ranked.length;
    while (at > 0 && (odds[i] ?? 0) > (odds[ranked[at - 1] ?? 0] ?? 0)) at--;
    if (at === MAX_RANKED) continue;
    ranked.splice(at, 0, i);
    if (ranked.length > MAX_RANKED) ranked.pop();
  }
  return ranked.map((i) => ({ id: CATEGORY_IDS[i] ?? '', confidence: odds[i] ?? 0 }));
}

const GROUP_IDS = dictionary.categoryGroups.map(({ id }) => id);
const GROUP_OF = dictionary.categories.map(({ parentId }) => GROUP_IDS.indexOf(parentId));

function likeliestGroup(odds: readonly number[]): Candidate {
  const sums = GROUP_IDS.map(() => 0);
  for (let i = 0; i < odds.length; i++) {
    const group = GROUP_OF[i] ?? 0;
    sums[group] = (sums[group] ?? 0) + (odds[i] ?? 0);
  }
  const i = indexOfMax(sums);
  return { id: GROUP_IDS[i] ?? '', confidence: sums[i] ?? 0 };
}

/**
 * Fuses the evidence of a photo and a text about one article.
 * @param text undefined without text
 * @param image calibrated probabilities of the image classes; undefined without a photo
 * @param minConfidence minimum confidence for a classification
 * @param group what the parse network says, if the photo is a garment cut out of an outfit
 */
export function fuse(
  text: TextBelief | undefined,
  image: SeenClasses | undefined,
  minConfidence: number,
  group?: GroupEvidence,
): FusionResult {
  const usableText = text?.hasEvidence || (text && text.notGarment > 0.5) ? text : undefined;
  const shown = image && imageLikelihoods(image);
  const disagree =
    usableText !== undefined && shown !== undefined && contradicts(usableText, shown);
  const isContradicted = (usableText?.contradictions.length ?? 0) > 0;
  const fused = disagree
    ? average(posterior(usableText, undefined), posterior(undefined, shown, group))
    : posterior(usableText, shown, group);
  const { categories: odds, notGarment } = capped(
    fused,
    isContradicted ? MAX_CONTRADICTED : MAX_CONFIDENCE,
  );
  const ranked = likeliest(odds);
  const [first, second] = ranked;
  const top = first?.confidence ?? 0;
  const showsNothing =
    image !== undefined &&
    !usableText &&
    !group &&
    likeliestRegion(odds).probability < MIN_REGION_PROBABILITY;
  const isUnknown = (!usableText && !image) || showsNothing || notGarment > 0.5;
  const isCertain = top >= minConfidence && !disagree;
  return {
    status: isUnknown ? 'unknown' : isCertain ? 'classified' : 'uncertain',
    ranked,
    group: likeliestGroup(odds),
    agreement: usableText && image && (disagree || usableText.hasEvidence) ? !disagree : undefined,
    multipleGarments:
      !image &&
      (new Set(text?.pieces?.map(regionOf)).size > 1 ||
        ((second?.confidence ?? 0) >= MIN_SET_CONFIDENCE &&
          regionOf(first?.id ?? '') !== regionOf(second?.id ?? ''))),
    notGarment,
  };
}
