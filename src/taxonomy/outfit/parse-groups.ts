import { z } from 'zod';
import { CATEGORY_IDS, dictionary, type Region } from '../dictionary/schema.ts';
import { IMAGE_CLASSES, PRIOR } from '../photo/image-classes.ts';

/** What the parse network tells apart and what is worn, in its order; with the categories of each. */
// biome-ignore format: a table reads best aligned
const GROUPS = {
  top:             { region: 'top',       categories: ['t_shirt', 'long_sleeve_tee', 'tank_top', 'camisole', 'polo_shirt', 'bodysuit', 'undershirt', 'thermal_top', 'bra'] },
  shirt_blouse:    { region: 'top',       categories: ['shirt', 'blouse', 'short_sleeve_shirt', 'dress_shirt', 'flannel_shirt', 'overshirt', 'tunic', 'kurta'] },
  knit_sweat:      { region: 'top',       categories: ['sweater', 'thick_sweater', 'turtleneck', 'cardigan', 'sweatshirt', 'hoodie', 'fleece_jacket'] },
  vest:            { region: 'top',       categories: ['waistcoat', 'knit_vest', 'puffer_vest', 'tank_top'] },
  jacket_blazer:   { region: 'outerwear', categories: ['blazer', 'light_jacket', 'denim_jacket', 'bomber_jacket', 'leather_jacket', 'windbreaker', 'rain_jacket', 'fleece_jacket', 'overshirt', 'puffer_vest'] },
  coat:            { region: 'outerwear', categories: ['wool_coat', 'trench_coat', 'down_jacket', 'parka', 'cape_poncho', 'kimono_duster', 'sherwani'] },
  dress_onepiece:  { region: 'dress',     categories: ['dress', 'light_dress', 'long_sleeve_dress', 'maxi_dress', 'evening_dress', 'saree_traditional', 'abaya', 'kaftan', 'thobe', 'dirndl', 'hanfu_qipao', 'shalwar_kameez', 'jumpsuit', 'dungarees', 'swimwear', 'sleepwear', 'robe', 'suit_set', 'tracksuit_set'] },
  skirt:           { region: 'bottom',    categories: ['skirt_light', 'skirt_heavy', 'maxi_skirt'] },
  trousers_jeans:  { region: 'bottom',    categories: ['trousers', 'jeans', 'chinos', 'dress_trousers', 'cargo_pants', 'joggers', 'corduroy_wool_trousers', 'capri', 'rain_trousers', 'ski_trousers'] },
  leggings_tights: { region: 'bottom',    categories: ['leggings', 'tights', 'long_johns'] },
  shorts:          { region: 'bottom',    categories: ['shorts', 'underwear_bottom'] },
  shoes:           { region: 'shoes',     categories: ['sneakers', 'sports_shoes', 'dress_shoes', 'heels', 'flats', 'sandals', 'slippers'] },
  boots:           { region: 'shoes',     categories: ['boots', 'winter_boots'] },
  socks:           { region: 'accessory', categories: ['socks_thin', 'socks_thick'] },
  bag:             { region: 'accessory', categories: ['bag'] },
  hat:             { region: 'accessory', categories: ['hat', 'cap', 'beanie'] },
  scarf_tie:       { region: 'accessory', categories: ['scarf', 'tie'] },
  belt:            { region: 'accessory', categories: ['belt'] },
  small_things:    { region: 'accessory', categories: ['sunglasses', 'gloves'] },
} as const satisfies Record<string, { region: Region; categories: readonly string[] }>;

const PARSE_GROUPS = Object.keys(GROUPS) as (keyof typeof GROUPS)[];
export const ParseGroup = z.enum(PARSE_GROUPS).meta({
  id: 'GarmentGroup',
  description: 'What the parse network tells apart',
});
export type ParseGroup = z.infer<typeof ParseGroup>;

/** The ids that the groups have. */
export const groupedIds = (): string[] =>
  Object.values(GROUPS).flatMap(({ categories }) => [...categories]);

/** Returns the categories of a group. */
export const categoriesOf = (group: ParseGroup): readonly string[] => GROUPS[group].categories;

/** A group that a garment may be, and how likely it is. */
export interface GroupCandidate {
  group: ParseGroup;
  /** 0..1; those of a garment sum to 1 at most. */
  probability: number;
}

/**
 * The parse network's own confusions: this share of what it says is any group of the same region. The region itself is
 * the network's: it knows better where a garment is worn than the classifier knows a scrap of cloth. See
 * docs/adr/0048-garments.md.
 */
const CONFUSED_SHARE = 0.15;
/** Accessories are worn in different places: the network hardly takes a belt for a hat, as the classifier does. */
const CONFUSED_ACCESSORIES = 0.02;
/** So likely is a category of a possible region that is of no group there, beside one that is. */
const UNUSUAL = 0.01;
/**
 * Watches and jewellery are no garments of the dictionary. The network takes nothing larger for them: of 189 such pieces
 * of labelled street photos 180 were glasses, none a hat, whatever the classifier made of a few pixels.
 */
const SMALL_THINGS: ParseGroup = 'small_things';

const REGION_OF = dictionary.categories.map(({ region }) => region);
const REGION_SIZE = new Map<Region, number>();
for (const { region } of Object.values(GROUPS))
  REGION_SIZE.set(region, (REGION_SIZE.get(region) ?? 0) + 1);

/** Returns the probabilities of the regions. */
function regionsOf(candidates: readonly GroupCandidate[]): Map<Region, number> {
  const sum = candidates.reduce((total, { probability }) => total + probability, 0) || 1;
  const regions = new Map<Region, number>();
  for (const { group, probability } of candidates) {
    const { region } = GROUPS[group];
    regions.set(region, (regions.get(region) ?? 0) + probability / sum);
  }
  return regions;
}

/** Returns the probabilities of the groups after the network's confusions. */
function withConfusions(
  candidates: readonly GroupCandidate[],
  regions: ReadonlyMap<Region, number>,
): Map<ParseGroup, number> {
  const sum = candidates.reduce((total, { probability }) => total + probability, 0) || 1;
  const own = new Map(candidates.map(({ group, probability }) => [group, probability / sum]));
  return new Map(
    PARSE_GROUPS.map((group) => {
      const { region } = GROUPS[group];
      const share = region === 'accessory' ? CONFUSED_ACCESSORIES : CONFUSED_SHARE;
      const near = (regions.get(region) ?? 0) / (REGION_SIZE.get(region) ?? 1);
      return [group, (1 - share) * (own.get(group) ?? 0) + share * near];
    }),
  );
}

/**
 * For each group and each of `CATEGORY_IDS`, the ratio of how likely the category is within the group to how likely it
 * is anywhere: photos of outfits show bags and belts more often than the photos that the frequencies are from.
 */
const RATIOS: ReadonlyMap<ParseGroup, readonly number[]> = new Map(
  PARSE_GROUPS.map((group) => {
    const isOfGroup = CATEGORY_IDS.map((id) => categoriesOf(group).includes(id));
    const mass = PRIOR.reduce((sum, prior, i) => sum + (isOfGroup[i] ? prior : 0), 0);
    return [group, isOfGroup.map((is) => (is ? 1 / mass : 0))];
  }),
);

/** What the place and shape of a garment on a person say about its category. */
export interface GroupEvidence {
  /** For each of `CATEGORY_IDS`, by how much it makes the category likelier. */
  categories: readonly number[];
  /** Probability that it is no garment of the dictionary, 0..1. */
  notGarment: number;
}

const LEGWEAR: ParseGroup = 'leggings_tights';
/** What is worn over tights; hardly anybody wears it over leggings. */
const OVER_TIGHTS: ReadonlySet<ParseGroup> = new Set(['dress_onepiece', 'skirt', 'shorts']);
const [LEGGINGS, TIGHTS] = [IMAGE_CLASSES.indexOf('leggings'), IMAGE_CLASSES.indexOf('tights')];

/**
 * Returns the classes of a garment of an outfit: what looks like leggings below a dress, a skirt or shorts is tights.
 * @param probabilities of `IMAGE_CLASSES`
 * @param worn groups of all garments of the photo
 */
export function amongWorn(
  probabilities: readonly number[],
  group: ParseGroup,
  worn: readonly ParseGroup[],
): readonly number[] {
  if (group !== LEGWEAR || !worn.some((each) => OVER_TIGHTS.has(each))) return probabilities;
  const both = (probabilities[LEGGINGS] ?? 0) + (probabilities[TIGHTS] ?? 0);
  return probabilities.map((own, k) => (k === LEGGINGS ? 0 : k === TIGHTS ? both : own));
}

/** Glasses cover more of a person, a share of the subject; of 180 labelled ones the smallest covered .0044. */
const MIN_GLASSES_SHARE = 0.002;

/** Of a small thing: the classifier decides whether it is one of the dictionary's, or no garment. */
const SMALL_EVIDENCE: GroupEvidence = {
  categories: RATIOS.get(SMALL_THINGS) ?? [],
  notGarment: 1,
};
/** Of what is too small for any of the dictionary's, such as an earring. */
const TINY_EVIDENCE: GroupEvidence = { categories: REGION_OF.map(() => 0), notGarment: 1 };

/**
 * Turns the parse network's answer for one garment into evidence about its category.
 * @param areaShare share of the subject, 0..1
 */
export function groupEvidence(
  candidates: readonly GroupCandidate[],
  areaShare: number,
): GroupEvidence {
  if (candidates.length > 0 && candidates.every(({ group }) => group === SMALL_THINGS))
    return areaShare < MIN_GLASSES_SHARE ? TINY_EVIDENCE : SMALL_EVIDENCE;
  const regions = regionsOf(candidates);
  const groups = withConfusions(candidates, regions);
  const isPossible = (region: Region) => regions.size === 0 || regions.has(region);
  const categories: number[] = REGION_OF.map((region) => (isPossible(region) ? UNUSUAL : 0));
  for (const [group, probability] of groups)
    RATIOS.get(group)?.forEach((ratio, i) => {
      categories[i] = (categories[i] ?? 0) + probability * ratio;
    });
  return { categories, notGarment: groups.get(SMALL_THINGS) ?? 0 };
}
