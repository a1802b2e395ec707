import { CATEGORY_IDS } from '../dictionary/schema.ts';

/** The classes of the image model `garment-class`, in the order of its output. */
// biome-ignore format: a list reads best in a line
export const IMAGE_CLASSES = ['dress', 'hat', 'longsleeve', 'outwear', 'pants', 'shirt', 'shoes', 'shorts', 'skirt', 't-shirt'] as const;
export type ImageClass = (typeof IMAGE_CLASSES)[number];

/**
 * For each category: its frequency among photos, relative to the others, and the probabilities of the model's
 * classes on its photos. Estimates that include the model's own confusions; a general category ("trousers") is
 * more frequent than a special one because it fits more photos.
 */
// biome-ignore format: a table reads best aligned
const CATEGORY_PRIORS: Readonly<Record<string, readonly [frequency: number, seenAs: Partial<Record<ImageClass, number>>]>> = {
  t_shirt:                [40, { 't-shirt': 0.95, longsleeve: 0.02, shirt: 0.02 }],
  long_sleeve_tee:        [ 6, { longsleeve: 0.9, 't-shirt': 0.06, shirt: 0.03 }],
  tank_top:               [ 2, { 't-shirt': 0.8, dress: 0.08, longsleeve: 0.02 }],
  camisole:               [ 1, { 't-shirt': 0.7, dress: 0.15, skirt: 0.03 }],
  polo_shirt:             [ 3, { 't-shirt': 0.75, shirt: 0.2, longsleeve: 0.03 }],
  bodysuit:               [ 1, { 't-shirt': 0.45, longsleeve: 0.35, dress: 0.1 }],
  blouse:                 [ 3, { shirt: 0.6, longsleeve: 0.2, 't-shirt': 0.1, dress: 0.07 }],
  shirt:                  [28, { shirt: 0.87, longsleeve: 0.08, outwear: 0.02 }],
  short_sleeve_shirt:     [ 3, { shirt: 0.75, 't-shirt': 0.2 }],
  dress_shirt:            [ 2, { shirt: 0.93, longsleeve: 0.04 }],
  flannel_shirt:          [ 1, { shirt: 0.9, outwear: 0.04, longsleeve: 0.04 }],
  overshirt:              [ 1, { shirt: 0.6, outwear: 0.35 }],
  tunic:                  [ 1, { shirt: 0.35, dress: 0.35, longsleeve: 0.2 }],
  sweater:                [40, { longsleeve: 0.94, outwear: 0.02, shirt: 0.02 }],
  thick_sweater:          [ 2, { longsleeve: 0.93, outwear: 0.05 }],
  turtleneck:             [ 2, { longsleeve: 0.96 }],
  cardigan:               [ 2, { longsleeve: 0.65, outwear: 0.25, shirt: 0.05 }],
  knit_vest:              [ 1, { 't-shirt': 0.5, longsleeve: 0.35, outwear: 0.1 }],
  sweatshirt:             [ 3, { longsleeve: 0.95, outwear: 0.02 }],
  hoodie:                 [ 3, { longsleeve: 0.75, outwear: 0.22 }],
  fleece_jacket:          [ 1, { outwear: 0.7, longsleeve: 0.28 }],
  thermal_top:            [ 1, { longsleeve: 0.95 }],
  undershirt:             [ 1, { 't-shirt': 0.85 }],
  blazer:                 [ 2, { outwear: 0.75, shirt: 0.15, longsleeve: 0.06 }],
  waistcoat:              [ 1, { outwear: 0.5, shirt: 0.2, 't-shirt': 0.15 }],
  puffer_vest:            [ 1, { outwear: 0.85, 't-shirt': 0.05 }],
  denim_jacket:           [ 2, { outwear: 0.75, shirt: 0.2 }],
  light_jacket:           [48, { outwear: 0.93, longsleeve: 0.03, shirt: 0.03 }],
  bomber_jacket:          [ 2, { outwear: 0.93, longsleeve: 0.05 }],
  leather_jacket:         [ 2, { outwear: 0.96 }],
  windbreaker:            [ 1, { outwear: 0.94, longsleeve: 0.04 }],
  rain_jacket:            [ 1, { outwear: 0.96 }],
  trench_coat:            [ 1, { outwear: 0.93, dress: 0.05 }],
  wool_coat:              [ 4, { outwear: 0.92, dress: 0.06 }],
  down_jacket:            [ 3, { outwear: 0.97 }],
  parka:                  [ 2, { outwear: 0.97 }],
  cape_poncho:            [ 1, { outwear: 0.6, longsleeve: 0.15, dress: 0.1 }],
  kimono_duster:          [ 1, { shirt: 0.3, outwear: 0.3, dress: 0.25 }],
  light_dress:            [ 4, { dress: 0.93, skirt: 0.03 }],
  dress:                  [30, { dress: 0.94, skirt: 0.02 }],
  long_sleeve_dress:      [ 3, { dress: 0.85, longsleeve: 0.1 }],
  maxi_dress:             [ 3, { dress: 0.94, skirt: 0.04 }],
  evening_dress:          [ 2, { dress: 0.97 }],
  saree_traditional:      [ 1, { dress: 0.8, skirt: 0.08 }],
  jumpsuit:               [ 1, { dress: 0.5, pants: 0.4 }],
  dungarees:              [ 1, { pants: 0.75, dress: 0.15 }],
  suit_set:               [ 1, { outwear: 0.7, pants: 0.1, shirt: 0.1 }],
  tracksuit_set:          [ 1, { longsleeve: 0.35, outwear: 0.35, pants: 0.2 }],
  jeans:                  [ 8, { pants: 0.97, shorts: 0.02 }],
  trousers:               [40, { pants: 0.96, shorts: 0.02, skirt: 0.01 }],
  chinos:                 [ 2, { pants: 0.97 }],
  dress_trousers:         [ 1, { pants: 0.97 }],
  cargo_pants:            [ 1, { pants: 0.96, shorts: 0.03 }],
  joggers:                [ 2, { pants: 0.97 }],
  leggings:               [ 2, { pants: 0.95 }],
  corduroy_wool_trousers: [ 1, { pants: 0.97 }],
  shorts:                 [20, { shorts: 0.93, pants: 0.04, skirt: 0.02 }],
  capri:                  [ 1, { pants: 0.75, shorts: 0.22 }],
  rain_trousers:          [ 1, { pants: 0.96 }],
  ski_trousers:           [ 1, { pants: 0.95 }],
  long_johns:             [ 1, { pants: 0.95 }],
  skirt_light:            [18, { skirt: 0.92, shorts: 0.03, dress: 0.03 }],
  skirt_heavy:            [ 3, { skirt: 0.95, dress: 0.02 }],
  maxi_skirt:             [ 2, { skirt: 0.85, dress: 0.12 }],
  underwear_bottom:       [ 1, { shorts: 0.6 }],
  bra:                    [ 1, { 't-shirt': 0.3 }],
  sleepwear:              [ 1, { dress: 0.25, pants: 0.15, shirt: 0.2, longsleeve: 0.15 }],
  robe:                   [ 1, { outwear: 0.5, dress: 0.25 }],
  swimwear:               [ 1, { shorts: 0.25, dress: 0.2 }],
  sneakers:               [34, { shoes: 0.99 }],
  sports_shoes:           [ 3, { shoes: 0.99 }],
  dress_shoes:            [ 3, { shoes: 0.99 }],
  heels:                  [ 3, { shoes: 0.98 }],
  flats:                  [ 2, { shoes: 0.98 }],
  sandals:                [ 3, { shoes: 0.96 }],
  boots:                  [ 4, { shoes: 0.97 }],
  winter_boots:           [ 1, { shoes: 0.97 }],
  slippers:               [ 1, { shoes: 0.95 }],
  cap:                    [ 4, { hat: 0.95 }],
  hat:                    [18, { hat: 0.95 }],
  beanie:                 [ 3, { hat: 0.93 }],
};

const NO_PRIOR: (typeof CATEGORY_PRIORS)[string] = [1, {}];
const CLASS_COUNT = IMAGE_CLASSES.length;
/** Share of photos that the model assigns to any class: its error rate on photos unlike its training data. */
const CONFUSION = 0.05;

/** Spreads the probability that the listed classes leave evenly over all ten. */
function seenAs(id: string): number[] {
  const [, named] = CATEGORY_PRIORS[id] ?? NO_PRIOR;
  const assigned = Object.values(named).reduce((a, b) => a + b, 0) * (1 - CONFUSION);
  return IMAGE_CLASSES.map(
    (name) => (named[name] ?? 0) * (1 - CONFUSION) + (1 - assigned) / CLASS_COUNT,
  );
}

/** P(class | category), in the order of CATEGORY_IDS, then of IMAGE_CLASSES. */
export const CLASS_PROBABILITIES: readonly (readonly number[])[] = CATEGORY_IDS.map(seenAs);

const frequencies = CATEGORY_IDS.map((id) => (CATEGORY_PRIORS[id] ?? NO_PRIOR)[0]);
const totalFrequency = frequencies.reduce((a, b) => a + b, 0);

/** P(category), in the order of CATEGORY_IDS; sums to 1. */
export const PRIOR: readonly number[] = frequencies.map((frequency) => frequency / totalFrequency);

const classPriors = IMAGE_CLASSES.map((_, k) =>
  PRIOR.reduce((sum, prior, i) => sum + prior * (CLASS_PROBABILITIES[i]?.[k] ?? 0), 0),
);

/**
 * Returns the ratio of posterior to prior of each category given a photo, in the order of CATEGORY_IDS.
 * @param probabilities of the ten classes, summing to 1
 */
export const imageLikelihoods = (probabilities: readonly number[]): number[] =>
  CLASS_PROBABILITIES.map((row) =>
    row.reduce(
      (sum, probability, k) =>
        sum + (probability * (probabilities[k] ?? 0)) / (classPriors[k] ?? 1),
      0,
    ),
  );

/** All category ids of the table, for the dictionary's check. */
export const categoryPriorIds = (): string[] => Object.keys(CATEGORY_PRIORS);
