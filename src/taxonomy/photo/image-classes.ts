import { CATEGORY_IDS } from '../dictionary/schema.ts';
import { readTable } from '../tables.ts';

/** The classes of the image model `garment-class`, in the order of its output; `other` is no garment. */
// biome-ignore format: a list reads best in lines
export const IMAGE_CLASSES = [
  't-shirt', 'longsleeve', 'tank-top', 'polo', 'shirt', 'blouse', 'bodysuit', 'sweater', 'hoodie', 'vest',
  'blazer', 'outwear', 'coat', 'dress', 'skirt', 'pants', 'jeans', 'leggings', 'shorts', 'tights',
  'shoes', 'boots', 'heels', 'sandals', 'flats', 'hat', 'scarf', 'belt', 'socks', 'bag', 'sunglasses', 'other',
] as const;
export type ImageClass = (typeof IMAGE_CLASSES)[number];

type SeenAs = ReadonlyMap<string, number>;

/** Reads "boots:0.8". */
function readShare(text: string): readonly [string, number] {
  const [name = '', share] = text.split(':');
  return [name, Number(share)];
}

/** Stands in the table for what is no garment. */
const NONE = 'none';

/**
 * For each category, and what is no garment: its frequency among photos, relative to the others, and the probabilities
 * of the model's classes on its photos, from data/taxonomy/photo-classes.tsv. Estimates that include the model's own
 * confusions; a general category ("trousers") is more frequent than a special one because it fits more photos. Then the
 * confidence from which a photo alone tells it from similar ones.
 */
const PRIORS = new Map(
  readTable('taxonomy/photo-classes').map(([id = '', frequency = '', seenAs = '', alone]) => [
    id,
    {
      frequency: Number(frequency),
      seenAs: new Map(seenAs.split(' ').map(readShare)),
      aloneFrom: Number(alone ?? 0),
    },
  ]),
);

/** Returns the confidence from which a photo needs no text to tell a category from similar ones, 0..1; 1 is never. */
export const aloneFrom = (id: string): number => PRIORS.get(id)?.aloneFrom ?? 0;

const CLASS_COUNT = IMAGE_CLASSES.length;
/** Share of photos that the model assigns to any class: its error rate on photos unlike its training data. */
const CONFUSION = 0.02;

/** Spreads the probability that the listed classes leave evenly over all. */
function spread(named: SeenAs): number[] {
  const assigned = [...named.values()].reduce((a, b) => a + b, 0) * (1 - CONFUSION);
  return IMAGE_CLASSES.map(
    (name) => (named.get(name) ?? 0) * (1 - CONFUSION) + (1 - assigned) / CLASS_COUNT,
  );
}

const seenAs = (id: string): SeenAs => PRIORS.get(id)?.seenAs ?? new Map();

/** P(class | category), in the order of CATEGORY_IDS, then of IMAGE_CLASSES. */
const CLASS_PROBABILITIES: readonly (readonly number[])[] = CATEGORY_IDS.map((id) =>
  spread(seenAs(id)),
);

/** P(class | no garment), in the order of IMAGE_CLASSES. */
const NO_GARMENT_CLASS_PROBABILITIES: readonly number[] = spread(seenAs(NONE));

const frequencies = CATEGORY_IDS.map((id) => PRIORS.get(id)?.frequency ?? 1);
const totalFrequency = frequencies.reduce((a, b) => a + b, 0);

/** P(category), in the order of CATEGORY_IDS; sums to 1. */
export const PRIOR: readonly number[] = frequencies.map((frequency) => frequency / totalFrequency);

const classPriors = IMAGE_CLASSES.map((_, k) =>
  PRIOR.reduce((sum, prior, i) => sum + prior * (CLASS_PROBABILITIES[i]?.[k] ?? 0), 0),
);

/** The classes that the model sees in a photo. */
export interface SeenClasses {
  /** In the order of IMAGE_CLASSES, summing to 1. */
  probabilities: readonly number[];
  /** Whether a person wears it. */
  isWorn: boolean;
}

/**
 * Likelihoods count by this power, fitted to photos of articles that the classifier had not seen: of what is laid out
 * confidence would be lower than the share that is right, of what is worn it was higher
 * (docs/adr/0063-honest-names.md).
 */
const LIKELIHOOD_POWER = { laidOut: 2, worn: 1.4 };

const likelihoodOf = (row: readonly number[], { probabilities, isWorn }: SeenClasses): number => {
  const sum = row.reduce(
    (total, probability, k) =>
      total + (probability * (probabilities[k] ?? 0)) / (classPriors[k] ?? 1),
    0,
  );
  return sum ** (isWorn ? LIKELIHOOD_POWER.worn : LIKELIHOOD_POWER.laidOut);
};

/** What a photo says of each category and of no garment: ratios of posterior to prior. */
export interface ImageLikelihoods {
  /** In the order of CATEGORY_IDS. */
  categories: readonly number[];
  notGarment: number;
}

/** Returns what a photo says. */
export const imageLikelihoods = (seen: SeenClasses): ImageLikelihoods => ({
  categories: CLASS_PROBABILITIES.map((row) => likelihoodOf(row, seen)),
  notGarment: likelihoodOf(NO_GARMENT_CLASS_PROBABILITIES, seen),
});

/**
 * Returns how much of what a text believes a photo supports, 0..1: categories count in full from where the photo makes
 * them no less likely.
 * @param beliefs of the text in each category
 */
export const supportOf = (beliefs: readonly number[], { categories }: ImageLikelihoods): number =>
  beliefs.reduce((sum, belief, i) => sum + belief * Math.min(1, categories[i] ?? 0), 0) /
  beliefs.reduce((sum, belief) => sum + belief, 0);

/** The classes of weights before 2026-11-23, whose results are still stored. */
const TEN_CLASSES: readonly ImageClass[] = [
  'dress',
  'hat',
  'longsleeve',
  'outwear',
  'pants',
  'shirt',
  'shoes',
  'shorts',
  'skirt',
  't-shirt',
];

/** Returns probabilities in the order of IMAGE_CLASSES; those of older weights are of ten classes. */
export const ofImageClasses = (probabilities: readonly number[]): readonly number[] =>
  probabilities.length === TEN_CLASSES.length
    ? IMAGE_CLASSES.map((name) => probabilities[TEN_CLASSES.indexOf(name)] ?? 0)
    : probabilities;

/** All category ids of the table, for the dictionary's check. */
export const categoryPriorIds = (): string[] => [...PRIORS.keys()].filter((id) => id !== NONE);
