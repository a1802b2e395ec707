import { CATEGORY_IDS } from '../dictionary/schema.ts';

/** The classes of the image model `garment-class`, in the order of its output; `other` is no garment. */
// biome-ignore format: a list reads best in lines
export const IMAGE_CLASSES = [
  't-shirt', 'longsleeve', 'tank-top', 'polo', 'shirt', 'blouse', 'bodysuit', 'sweater', 'hoodie', 'vest',
  'blazer', 'outwear', 'coat', 'dress', 'skirt', 'pants', 'jeans', 'leggings', 'shorts', 'tights',
  'shoes', 'boots', 'heels', 'sandals', 'flats', 'hat', 'scarf', 'belt', 'socks', 'bag', 'sunglasses', 'other',
] as const;
export type ImageClass = (typeof IMAGE_CLASSES)[number];

type SeenAs = Partial<Record<ImageClass, number>>;

/**
 * For each category: its frequency among photos, relative to the others, and the probabilities of the model's
 * classes on its photos. Estimates that include the model's own confusions; a general category ("trousers") is
 * more frequent than a special one because it fits more photos.
 */
// biome-ignore format: a table reads best aligned
const CATEGORY_PRIORS: Readonly<Record<string, readonly [frequency: number, seenAs: SeenAs]>> = {
  t_shirt:                [40, { 't-shirt': 0.93, 'tank-top': 0.02, polo: 0.01, longsleeve: 0.02, blouse: 0.01 }],
  long_sleeve_tee:        [22, { longsleeve: 0.84, sweater: 0.05, 't-shirt': 0.04, hoodie: 0.02 }],
  tank_top:               [18, { 'tank-top': 0.9, 't-shirt': 0.05, dress: 0.02 }],
  camisole:               [ 1, { 'tank-top': 0.8, dress: 0.08, blouse: 0.05 }],
  polo_shirt:             [ 5, { polo: 0.7, 't-shirt': 0.15, shirt: 0.1 }],
  bodysuit:               [ 5, { bodysuit: 0.7, 't-shirt': 0.1, longsleeve: 0.07, dress: 0.05 }],
  blouse:                 [14, { blouse: 0.65, shirt: 0.15, 't-shirt': 0.05, longsleeve: 0.03, dress: 0.04 }],
  shirt:                  [28, { shirt: 0.84, blouse: 0.06, outwear: 0.02, longsleeve: 0.03 }],
  short_sleeve_shirt:     [ 3, { shirt: 0.65, polo: 0.08, 't-shirt': 0.12, blouse: 0.08 }],
  dress_shirt:            [ 2, { shirt: 0.9, blouse: 0.04 }],
  flannel_shirt:          [ 1, { shirt: 0.88, outwear: 0.04 }],
  overshirt:              [ 1, { shirt: 0.5, outwear: 0.35, blazer: 0.04 }],
  tunic:                  [ 1, { blouse: 0.4, dress: 0.3, shirt: 0.1, sweater: 0.05 }],
  sweater:                [34, { sweater: 0.72, longsleeve: 0.14, hoodie: 0.03, outwear: 0.02, coat: 0.02, blouse: 0.02 }],
  thick_sweater:          [ 2, { sweater: 0.8, longsleeve: 0.06, coat: 0.04 }],
  turtleneck:             [ 2, { sweater: 0.7, longsleeve: 0.2 }],
  cardigan:               [ 2, { sweater: 0.5, coat: 0.1, outwear: 0.15, blouse: 0.05, longsleeve: 0.08 }],
  knit_vest:              [ 1, { vest: 0.5, 'tank-top': 0.2, sweater: 0.15 }],
  sweatshirt:             [10, { hoodie: 0.6, longsleeve: 0.2, sweater: 0.1, outwear: 0.03 }],
  hoodie:                 [22, { hoodie: 0.87, outwear: 0.07, sweater: 0.02, longsleeve: 0.02 }],
  fleece_jacket:          [ 1, { outwear: 0.5, hoodie: 0.4 }],
  thermal_top:            [ 1, { longsleeve: 0.85, sweater: 0.05 }],
  undershirt:             [ 2, { 'tank-top': 0.75, 't-shirt': 0.15 }],
  blazer:                 [16, { blazer: 0.8, outwear: 0.07, coat: 0.05, shirt: 0.02 }],
  waistcoat:              [ 2, { vest: 0.75, blazer: 0.05 }],
  puffer_vest:            [ 1, { vest: 0.6, outwear: 0.3 }],
  denim_jacket:           [ 2, { outwear: 0.75, shirt: 0.12, blazer: 0.03 }],
  light_jacket:           [48, { outwear: 0.85, hoodie: 0.05, coat: 0.04, blazer: 0.02, shirt: 0.01 }],
  bomber_jacket:          [ 2, { outwear: 0.9, hoodie: 0.03 }],
  leather_jacket:         [ 2, { outwear: 0.88, blazer: 0.04, coat: 0.04 }],
  windbreaker:            [ 1, { outwear: 0.9, hoodie: 0.05 }],
  rain_jacket:            [ 1, { outwear: 0.88, coat: 0.06 }],
  trench_coat:            [ 2, { coat: 0.85, outwear: 0.08 }],
  wool_coat:              [20, { coat: 0.8, outwear: 0.1, blazer: 0.03 }],
  down_jacket:            [ 3, { outwear: 0.88, coat: 0.07 }],
  parka:                  [ 2, { outwear: 0.65, coat: 0.3 }],
  cape_poncho:            [ 1, { coat: 0.6, outwear: 0.1, scarf: 0.08, sweater: 0.08 }],
  kimono_duster:          [ 1, { coat: 0.3, blouse: 0.25, outwear: 0.15, dress: 0.15 }],
  light_dress:            [ 4, { dress: 0.92, skirt: 0.02 }],
  dress:                  [30, { dress: 0.93, skirt: 0.02, blouse: 0.01 }],
  long_sleeve_dress:      [ 3, { dress: 0.85, longsleeve: 0.03, coat: 0.03 }],
  maxi_dress:             [ 3, { dress: 0.93, skirt: 0.03 }],
  evening_dress:          [ 2, { dress: 0.95 }],
  saree_traditional:      [ 1, { dress: 0.8, skirt: 0.06 }],
  abaya:                  [ 1, { dress: 0.7, coat: 0.2 }],
  kaftan:                 [ 1, { dress: 0.8, blouse: 0.06 }],
  kurta:                  [ 1, { blouse: 0.4, dress: 0.3, shirt: 0.2 }],
  shalwar_kameez:         [ 1, { dress: 0.6, blouse: 0.2, pants: 0.05 }],
  sherwani:               [ 1, { coat: 0.5, blazer: 0.3, outwear: 0.1 }],
  thobe:                  [ 1, { dress: 0.6, shirt: 0.2, coat: 0.1 }],
  dirndl:                 [ 1, { dress: 0.93 }],
  hanfu_qipao:            [ 1, { dress: 0.85, coat: 0.04 }],
  jumpsuit:               [ 1, { dress: 0.55, pants: 0.3, bodysuit: 0.05 }],
  dungarees:              [ 1, { pants: 0.4, jeans: 0.3, dress: 0.15 }],
  suit_set:               [ 1, { blazer: 0.75, pants: 0.08, outwear: 0.06 }],
  tracksuit_set:          [ 1, { hoodie: 0.4, outwear: 0.3, pants: 0.2 }],
  jeans:                  [24, { jeans: 0.8, pants: 0.16, shorts: 0.01 }],
  trousers:               [40, { pants: 0.86, jeans: 0.06, leggings: 0.02, shorts: 0.02, skirt: 0.01 }],
  chinos:                 [ 2, { pants: 0.93, jeans: 0.03 }],
  dress_trousers:         [ 1, { pants: 0.96 }],
  cargo_pants:            [ 1, { pants: 0.92, jeans: 0.03, shorts: 0.02 }],
  joggers:                [ 2, { pants: 0.95 }],
  leggings:               [20, { leggings: 0.8, pants: 0.08, tights: 0.06, jeans: 0.02 }],
  corduroy_wool_trousers: [ 1, { pants: 0.95 }],
  shorts:                 [24, { shorts: 0.92, pants: 0.02, skirt: 0.02, jeans: 0.01 }],
  capri:                  [ 2, { leggings: 0.55, pants: 0.25, shorts: 0.15 }],
  rain_trousers:          [ 1, { pants: 0.96 }],
  ski_trousers:           [ 1, { pants: 0.95 }],
  long_johns:             [ 1, { leggings: 0.6, pants: 0.3 }],
  skirt_light:            [20, { skirt: 0.91, shorts: 0.02, dress: 0.03 }],
  skirt_heavy:            [ 3, { skirt: 0.94, dress: 0.02 }],
  maxi_skirt:             [ 2, { skirt: 0.85, dress: 0.12 }],
  underwear_bottom:       [ 1, { shorts: 0.6 }],
  bra:                    [ 1, { 'tank-top': 0.7 }],
  tights:                 [10, { tights: 0.8, leggings: 0.1, socks: 0.03 }],
  sleepwear:              [ 1, { dress: 0.2, pants: 0.15, shirt: 0.2, blouse: 0.1, longsleeve: 0.1 }],
  robe:                   [ 1, { coat: 0.4, outwear: 0.1, dress: 0.25 }],
  swimwear:               [ 1, { shorts: 0.25, bodysuit: 0.2, dress: 0.1 }],
  socks_thin:             [10, { socks: 0.8, tights: 0.04 }],
  socks_thick:            [ 2, { socks: 0.85 }],
  sneakers:               [34, { shoes: 0.93, boots: 0.02, flats: 0.01, sandals: 0.01 }],
  sports_shoes:           [ 3, { shoes: 0.96 }],
  dress_shoes:            [ 3, { shoes: 0.45, flats: 0.4, boots: 0.05, heels: 0.05 }],
  heels:                  [18, { heels: 0.75, shoes: 0.1, sandals: 0.08, boots: 0.03 }],
  flats:                  [10, { flats: 0.7, shoes: 0.15, sandals: 0.07 }],
  sandals:                [14, { sandals: 0.8, heels: 0.08, shoes: 0.05, flats: 0.03 }],
  boots:                  [22, { boots: 0.8, shoes: 0.12, heels: 0.04 }],
  winter_boots:           [ 1, { boots: 0.8, shoes: 0.15 }],
  slippers:               [ 1, { shoes: 0.5, flats: 0.2, sandals: 0.25 }],
  cap:                    [ 4, { hat: 0.95 }],
  hat:                    [18, { hat: 0.95 }],
  beanie:                 [ 3, { hat: 0.93 }],
  scarf:                  [14, { scarf: 0.8, coat: 0.02, other: 0.03 }],
  gloves:                 [ 1, { other: 0.4, socks: 0.1 }],
  belt:                   [10, { belt: 0.8, other: 0.06 }],
  tie:                    [ 1, { scarf: 0.5, other: 0.15 }],
  sunglasses:             [12, { sunglasses: 0.8, other: 0.08 }],
  bag:                    [24, { bag: 0.9, other: 0.03 }],
};

/** The same for what is no garment; its frequency is the prior of `notGarment`. */
const NO_GARMENT_SEEN_AS: SeenAs = {
  other: 0.7,
  bag: 0.08,
  sunglasses: 0.04,
  belt: 0.03,
  shoes: 0.03,
};

const NO_PRIOR: (typeof CATEGORY_PRIORS)[string] = [1, {}];
const CLASS_COUNT = IMAGE_CLASSES.length;
/** Share of photos that the model assigns to any class: its error rate on photos unlike its training data. */
const CONFUSION = 0.02;

/** Spreads the probability that the listed classes leave evenly over all. */
function spread(named: SeenAs): number[] {
  const assigned = Object.values(named).reduce((a, b) => a + b, 0) * (1 - CONFUSION);
  return IMAGE_CLASSES.map(
    (name) => (named[name] ?? 0) * (1 - CONFUSION) + (1 - assigned) / CLASS_COUNT,
  );
}

const priorOf = (id: string) => CATEGORY_PRIORS[id] ?? NO_PRIOR;

/** P(class | category), in the order of CATEGORY_IDS, then of IMAGE_CLASSES. */
const CLASS_PROBABILITIES: readonly (readonly number[])[] = CATEGORY_IDS.map((id) =>
  spread(priorOf(id)[1]),
);

/** P(class | no garment), in the order of IMAGE_CLASSES. */
const NO_GARMENT_CLASS_PROBABILITIES: readonly number[] = spread(NO_GARMENT_SEEN_AS);

const frequencies = CATEGORY_IDS.map((id) => priorOf(id)[0]);
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
export const categoryPriorIds = (): string[] => Object.keys(CATEGORY_PRIORS);
