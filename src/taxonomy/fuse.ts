import { CATEGORY_IDS, categories, dictionary, REGIONS, type Region } from './dictionary/schema.ts';
import {
  IMAGE_CLASSES,
  type ImageClass,
  imageLikelihoods,
  PRIOR,
  SEEN_AS,
} from './photo/image-classes.ts';

export type Status = 'classified' | 'uncertain' | 'unknown';

export interface Candidate {
  id: string;
  confidence: number;
}

/** What photo and text say together. */
export interface Verdict {
  status: Status;
  /** The ten likeliest categories, the likeliest first. */
  ranked: readonly Candidate[];
  /** The likeliest group and the summed confidence of its categories. */
  group: Candidate;
  /** False where photo and text each name another article; undefined where only one of them speaks. */
  agreement: boolean | undefined;
  /** Text names two articles of different regions alike: a set. */
  severalArticles: boolean;
}

/** Text as `classifyText` answers it. */
export interface TextSays {
  categories: readonly number[];
  notGarment: number;
  speaks: boolean;
}

/** Both sides must be this sure of different articles before a wrong photo is suspected. */
const SURE = 0.8;
/** A class that a category's photos are seen as less often than this does not go with it. */
const SELDOM = 0.1;
/** Without text, a picture that no class claims more than this shows no garment we know. */
const LEAST_CLASS = 0.4;
/** Before anything is known: an article that is sold as none of the categories. */
const NOT_GARMENT_PRIOR = 0.05;
/** A candidate as strong as this beside the first, from another region, makes a set. */
const EQUAL = 0.3;

const regionOf = (id: string) => categories.get(id)?.region;

const indexOfMax = (values: readonly number[]): number =>
  values.reduce((best, value, i) => (value > (values[best] ?? 0) ? i : best), 0);

/** The class the picture looks like most. */
export function topClass(probabilities: readonly number[]): {
  name: ImageClass;
  probability: number;
} {
  const k = indexOfMax(probabilities);
  return { name: IMAGE_CLASSES[k] ?? 'dress', probability: probabilities[k] ?? 0 };
}

/** The category whose name fits most pictures of a class. */
const NAMESAKES: readonly string[] = IMAGE_CLASSES.map((_, k) => {
  const fits = PRIOR.map((prior, i) => prior * (SEEN_AS[i]?.[k] ?? 0));
  return CATEGORY_IDS[indexOfMax(fits)] ?? '';
});

const REGION_OF = dictionary.categories.map(({ region }) => region);

/** The region that the text speaks of, and how much of its belief lies there. */
function regionTold({ categories }: TextSays): { region: Region; belief: number } {
  const beliefs = REGIONS.map((region) =>
    categories.reduce((sum, belief, i) => sum + (REGION_OF[i] === region ? belief : 0), 0),
  );
  const i = indexOfMax(beliefs);
  return { region: REGIONS[i] ?? 'top', belief: beliefs[i] ?? 0 };
}

/** The model has no class for bags, belts and the like: of them a photo can say nothing. */
const IS_SEEN = SEEN_AS.map((classes) => Math.max(...classes) > 0.5);

/** The mean of a property of categories, by how much the text believes in each. */
const believed = ({ categories }: TextSays, propertyOf: (i: number) => number): number =>
  categories.reduce((sum, belief, i) => sum + belief * propertyOf(i), 0);

/** Whether photo and text are each sure of an article that the other rules out. */
function contradicts(text: TextSays, probabilities: readonly number[]): boolean {
  const k = indexOfMax(probabilities);
  const { region, belief } = regionTold(text);
  const bothSure = belief >= SURE && (probabilities[k] ?? 0) >= SURE;
  const goTogether = believed(text, (i) => SEEN_AS[i]?.[k] ?? 0) >= SELDOM;
  const isSeen = believed(text, (i) => (IS_SEEN[i] ? 1 : 0)) > 0.5;
  return bothSure && isSeen && !goTogether && region !== regionOf(NAMESAKES[k] ?? '');
}

interface Odds {
  categories: readonly number[];
  notGarment: number;
}

const NO_NEWS = CATEGORY_IDS.map(() => 1);

function normalised({ categories, notGarment }: Odds): Odds {
  const sum = categories.reduce((a, b) => a + b, notGarment);
  return { categories: categories.map((odds) => odds / sum), notGarment: notGarment / sum };
}

/** Bayes: what is met how often, times what the text, times what the picture makes of it. */
function posterior(text: TextSays | undefined, image: readonly number[] | undefined): Odds {
  if (text && !image) return text;
  const likelihoods = image ? imageLikelihoods(image) : NO_NEWS;
  return normalised({
    categories: PRIOR.map(
      (prior, i) => prior * (likelihoods[i] ?? 0) * (text ? (text.categories[i] ?? 0) : 1),
    ),
    notGarment: text ? NOT_GARMENT_PRIOR * text.notGarment : 0,
  });
}

const half = (a: Odds, b: Odds): Odds => ({
  categories: a.categories.map((odds, i) => (odds + (b.categories[i] ?? 0)) / 2),
  notGarment: (a.notGarment + b.notGarment) / 2,
});

const RANKED = 10;

/** The likeliest categories; of equals, the first of the dictionary. */
function likeliest(odds: readonly number[]): Candidate[] {
  const taken = new Set<number>();
  while (taken.size < RANKED) {
    let best = -1;
    for (let i = 0; i < odds.length; i++) {
      if (!taken.has(i) && (best < 0 || (odds[i] ?? 0) > (odds[best] ?? 0))) best = i;
    }
    taken.add(best);
  }
  return [...taken].map((i) => ({ id: CATEGORY_IDS[i] ?? '', confidence: odds[i] ?? 0 }));
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
 * Joins what a photo and a text say of one article.
 * @param text left out where there is none, or where no word of it names anything
 * @param image probabilities of the ten image classes, calibrated; left out where there is no photo
 * @param minConfidence below it, no category is named
 */
export function fuse(
  text: TextSays | undefined,
  image: readonly number[] | undefined,
  minConfidence: number,
): Verdict {
  const heard = text?.speaks || (text && text.notGarment > 0.5) ? text : undefined;
  const disagree = heard !== undefined && image !== undefined && contradicts(heard, image);
  const { categories: odds, notGarment } = disagree
    ? half(posterior(heard, undefined), posterior(undefined, image))
    : posterior(heard, image);
  const ranked = likeliest(odds);
  const [first, second] = ranked;
  const top = first?.confidence ?? 0;
  const nothingSeen = image !== undefined && !heard && topClass(image).probability < LEAST_CLASS;
  const isUnknown = (!heard && !image) || nothingSeen || notGarment > 0.5;
  const isSure = top >= minConfidence && !disagree;
  return {
    status: isUnknown ? 'unknown' : isSure ? 'classified' : 'uncertain',
    ranked,
    group: likeliestGroup(odds),
    agreement: heard?.speaks && image ? !disagree : undefined,
    severalArticles:
      !image &&
      (second?.confidence ?? 0) >= EQUAL &&
      regionOf(first?.id ?? '') !== regionOf(second?.id ?? ''),
  };
}
