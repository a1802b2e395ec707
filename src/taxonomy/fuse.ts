import { CATEGORY_IDS, categories, dictionary, REGIONS, type Region } from './dictionary/schema.ts';
import {
  CLASS_PROBABILITIES,
  IMAGE_CLASSES,
  type ImageClass,
  imageLikelihoods,
  PRIOR,
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
interface TextBelief {
  categories: readonly number[];
  notGarment: number;
  hasEvidence: boolean;
}

/** Both must have this confidence in different articles to count as a contradiction. */
const MIN_CONFLICT_CONFIDENCE = 0.8;
/** A class and a category contradict each other below this probability of the class given the category. */
const MIN_COMPATIBILITY = 0.1;
/** Without text, a photo whose top class is below this probability shows no known garment. */
const MIN_CLASS_PROBABILITY = 0.4;
/** Prior probability of an article outside all categories. */
const NOT_GARMENT_PRIOR = 0.05;
/** A second candidate of this confidence, from another region, makes the article a set. */
const MIN_SET_CONFIDENCE = 0.3;

const regionOf = (id: string) => categories.get(id)?.region;

const indexOfMax = (values: readonly number[]): number =>
  values.reduce((best, value, i) => (value > (values[best] ?? 0) ? i : best), 0);

/** Returns the most probable class of a photo. */
export function topClass(probabilities: readonly number[]): {
  name: ImageClass;
  probability: number;
} {
  const k = indexOfMax(probabilities);
  return { name: IMAGE_CLASSES[k] ?? 'dress', probability: probabilities[k] ?? 0 };
}

/** The most likely category of each class. */
const TYPICAL_CATEGORIES: readonly string[] = IMAGE_CLASSES.map((_, k) => {
  const fits = PRIOR.map((prior, i) => prior * (CLASS_PROBABILITIES[i]?.[k] ?? 0));
  return CATEGORY_IDS[indexOfMax(fits)] ?? '';
});

const REGION_OF = dictionary.categories.map(({ region }) => region);

/** Returns the text's most likely region, and its belief in it. */
function likeliestRegion({ categories }: TextBelief): { region: Region; belief: number } {
  const beliefs = REGIONS.map((region) =>
    categories.reduce((sum, belief, i) => sum + (REGION_OF[i] === region ? belief : 0), 0),
  );
  const i = indexOfMax(beliefs);
  return { region: REGIONS[i] ?? 'top', belief: beliefs[i] ?? 0 };
}

/** Categories the image model has a class for; for bags, belts and the like a photo is no evidence. */
const HAS_CLASS = CLASS_PROBABILITIES.map((classes) => Math.max(...classes) > 0.5);

/** The expected value of a property of categories under the text's belief. */
const expectation = ({ categories }: TextBelief, propertyOf: (i: number) => number): number =>
  categories.reduce((sum, belief, i) => sum + belief * propertyOf(i), 0);

/** Whether photo and text are both confident in articles that exclude each other. */
function contradicts(text: TextBelief, probabilities: readonly number[]): boolean {
  const k = indexOfMax(probabilities);
  const { region, belief } = likeliestRegion(text);
  const areBothCertain =
    belief >= MIN_CONFLICT_CONFIDENCE && (probabilities[k] ?? 0) >= MIN_CONFLICT_CONFIDENCE;
  const isCompatible =
    expectation(text, (i) => CLASS_PROBABILITIES[i]?.[k] ?? 0) >= MIN_COMPATIBILITY;
  const hasClass = expectation(text, (i) => (HAS_CLASS[i] ? 1 : 0)) > 0.5;
  return (
    areBothCertain && hasClass && !isCompatible && region !== regionOf(TYPICAL_CATEGORIES[k] ?? '')
  );
}

interface Odds {
  categories: readonly number[];
  notGarment: number;
}

const NO_EVIDENCE = CATEGORY_IDS.map(() => 1);

function normalised({ categories, notGarment }: Odds): Odds {
  const sum = categories.reduce((a, b) => a + b, notGarment);
  return { categories: categories.map((odds) => odds / sum), notGarment: notGarment / sum };
}

/** Bayes' rule: prior times likelihood of the text times likelihood of the photo. */
function posterior(text: TextBelief | undefined, image: readonly number[] | undefined): Odds {
  if (text && !image) return text;
  const likelihoods = image ? imageLikelihoods(image) : NO_EVIDENCE;
  return normalised({
    categories: PRIOR.map(
      (prior, i) => prior * (likelihoods[i] ?? 0) * (text ? (text.categories[i] ?? 0) : 1),
    ),
    notGarment: text ? NOT_GARMENT_PRIOR * text.notGarment : 0,
  });
}

const average = (a: Odds, b: Odds): Odds => ({
  categories: a.categories.map((odds, i) => (odds + (b.categories[i] ?? 0)) / 2),
  notGarment: (a.notGarment + b.notGarment) / 2,
});

const MAX_RANKED = 10;

/** Returns the most likely categories; ties are in dictionary order. */
function likeliest(odds: readonly number[]): Candidate[] {
  const ranked = new Set<number>();
  while (ranked.size < MAX_RANKED) {
    let best = -1;
    for (let i = 0; i < odds.length; i++) {
      if (!ranked.has(i) && (best < 0 || (odds[i] ?? 0) > (odds[best] ?? 0))) best = i;
    }
    ranked.add(best);
  }
  return [...ranked].map((i) => ({ id: CATEGORY_IDS[i] ?? '', confidence: odds[i] ?? 0 }));
}

const GROUP_IDS = dictionary.categoryGroups.map(({ id }) => id);
const GROUP_OF = dictionary.categories.map(({ parentId }) => GROUP_IDS.indexOf(parentId));

function likeliestGroup(odds: readonly number[]): Candidate {
  const sums = GROUP_IDS.map(() => 0);
  odds.forEach((odd, i) => {
    const group = GROUP_OF[i] ?? 0;
    sums[group] = (sums[group] ?? 0) + odd;
  });
  const i = indexOfMax(sums);
  return { id: GROUP_IDS[i] ?? '', confidence: sums[i] ?? 0 };
}

/**
 * Fuses the evidence of a photo and a text about one article.
 * @param text undefined without text
 * @param image calibrated probabilities of the ten image classes; undefined without a photo
 * @param minConfidence minimum confidence for a classification
 */
export function fuse(
  text: TextBelief | undefined,
  image: readonly number[] | undefined,
  minConfidence: number,
): FusionResult {
  const usableText = text?.hasEvidence || (text && text.notGarment > 0.5) ? text : undefined;
  const disagree =
    usableText !== undefined && image !== undefined && contradicts(usableText, image);
  const { categories: odds, notGarment } = disagree
    ? average(posterior(usableText, undefined), posterior(undefined, image))
    : posterior(usableText, image);
  const ranked = likeliest(odds);
  const [first, second] = ranked;
  const top = first?.confidence ?? 0;
  const showsNothing =
    image !== undefined && !usableText && topClass(image).probability < MIN_CLASS_PROBABILITY;
  const isUnknown = (!usableText && !image) || showsNothing || notGarment > 0.5;
  const isCertain = top >= minConfidence && !disagree;
  return {
    status: isUnknown ? 'unknown' : isCertain ? 'classified' : 'uncertain',
    ranked,
    group: likeliestGroup(odds),
    agreement: usableText?.hasEvidence && image ? !disagree : undefined,
    multipleGarments:
      !image &&
      (second?.confidence ?? 0) >= MIN_SET_CONFIDENCE &&
      regionOf(first?.id ?? '') !== regionOf(second?.id ?? ''),
    notGarment,
  };
}
