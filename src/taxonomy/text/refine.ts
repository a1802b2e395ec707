import type { Locale } from '../dictionary/schema.ts';
import type { Cue } from './words.ts';

/** A cue in the text, or the garment's main material. */
export type Hint = Cue | `material:${string}` | `sleeveLength:${string}`;

/**
 * Refinements of general categories; the first hint that holds decides. A "dress" with long sleeves is a
 * long-sleeve dress; a "jacket" of down is a down jacket.
 */
// biome-ignore format: a table reads best aligned
const REFINEMENTS: Readonly<Record<string, readonly (readonly [Hint, string])[]>> = {
  t_shirt: [
    ['properties:thermal', 'thermal_top'],
    ['sleeveLength:long', 'long_sleeve_tee'],
    ['sleeveLength:sleeveless', 'tank_top'],
    ['sleeveLength:spaghetti', 'camisole'],
  ],
  shirt: [
    ['sleeveLength:short', 'short_sleeve_shirt'],
    ['material:flannel', 'flannel_shirt'],
    ['use:formal', 'dress_shirt'],
  ],
  dress: [
    ['use:evening', 'evening_dress'],
    ['length:maxi', 'maxi_dress'],
    ['sleeveLength:long', 'long_sleeve_dress'],
    ['sleeveLength:short', 'dress'],
    ['sleeveLength:sleeveless', 'light_dress'],
    ['sleeveLength:spaghetti', 'light_dress'],
    ['sleeveLength:strapless', 'light_dress'],
    ['length:mini', 'light_dress'],
    ['season:summer', 'light_dress'],
    ['neckline:turtle', 'long_sleeve_dress'],
    ['season:winter', 'long_sleeve_dress'],
    ['material:wool', 'long_sleeve_dress'],
    ['material:knit', 'long_sleeve_dress'],
  ],
  sweater: [
    ['neckline:turtle', 'turtleneck'],
    ['sleeveLength:sleeveless', 'knit_vest'],
    ['material:fleece', 'fleece_jacket'],
    ['weight:heavy', 'thick_sweater'],
  ],
  cardigan: [
    ['sleeveLength:sleeveless', 'knit_vest'],
  ],
  light_dress: [
    ['sleeveLength:long', 'long_sleeve_dress'],
  ],
  sweatshirt: [
    ['neckline:hooded', 'hoodie'],
    ['material:wool', 'sweater'],
    ['material:merino', 'sweater'],
    ['material:cashmere', 'sweater'],
  ],
  puffer_vest: [
    ['make:innerwear', 'undershirt'],
    ['use:formal', 'waistcoat'],
    ['material:knit', 'knit_vest'],
    ['make:knitted', 'knit_vest'],
    ['material:down', 'puffer_vest'],
    ['properties:insulated', 'puffer_vest'],
    ['material:wool', 'knit_vest'],
    ['material:merino', 'knit_vest'],
  ],
  light_jacket: [
    ['material:denim', 'denim_jacket'],
    ['material:leather', 'leather_jacket'],
    ['material:suede', 'leather_jacket'],
    ['material:faux_leather', 'leather_jacket'],
    ['use:ski', 'parka'],
    ['make:knitted', 'cardigan'],
    ['material:down', 'down_jacket'],
    ['properties:insulated', 'down_jacket'],
    ['properties:waterproof', 'rain_jacket'],
    ['use:rain', 'rain_jacket'],
    ['material:membrane', 'rain_jacket'],
    ['material:fleece', 'fleece_jacket'],
    ['properties:windproof', 'windbreaker'],
    ['use:running', 'windbreaker'],
    ['season:winter', 'down_jacket'],
    ['material:knit', 'cardigan'],
  ],
  wool_coat: [
    ['properties:insulated', 'down_jacket'],
    ['material:down', 'down_jacket'],
    ['properties:waterproof', 'rain_jacket'],
    ['use:rain', 'rain_jacket'],
  ],
  trousers: [
    ['use:ski', 'ski_trousers'],
    ['use:rain', 'rain_trousers'],
    ['properties:waterproof', 'rain_trousers'],
    ['properties:insulated', 'ski_trousers'],
    ['material:denim', 'jeans'],
    ['material:corduroy', 'corduroy_wool_trousers'],
    ['material:wool', 'corduroy_wool_trousers'],
    ['material:flannel', 'corduroy_wool_trousers'],
    ['use:formal', 'dress_trousers'],
    ['use:running', 'joggers'],
    ['material:fleece', 'joggers'],
    ['use:sport', 'joggers'],
    ['use:swim', 'swimwear'],
  ],
  shorts: [
    ['use:swim', 'swimwear'],
  ],
  skirt_light: [
    ['length:maxi', 'maxi_skirt'],
    ['length:midi', 'skirt_heavy'],
    ['length:knee', 'skirt_heavy'],
    ['shape:pencil', 'skirt_heavy'],
    ['material:wool', 'skirt_heavy'],
    ['material:leather', 'skirt_heavy'],
    ['material:corduroy', 'skirt_heavy'],
    ['material:knit', 'skirt_heavy'],
  ],
  tights: [
    ['use:sport', 'leggings'],
    ['use:running', 'leggings'],
    ['properties:thermal', 'long_johns'],
  ],
  windbreaker: [
    ['properties:insulated', 'down_jacket'],
    ['material:down', 'down_jacket'],
  ],
  leggings: [
    ['properties:thermal', 'long_johns'],
  ],
  sneakers: [
    ['use:running', 'sports_shoes'],
  ],
  boots: [
    ['season:winter', 'winter_boots'],
    ['use:rain', 'winter_boots'],
    ['properties:insulated', 'winter_boots'],
    ['properties:lined', 'winter_boots'],
    ['material:fur', 'winter_boots'],
    ['material:rubber', 'winter_boots'],
  ],
  socks_thin: [
    ['weight:heavy', 'socks_thick'],
    ['material:wool', 'socks_thick'],
    ['material:merino', 'socks_thick'],
    ['use:ski', 'socks_thick'],
    ['season:winter', 'socks_thick'],
    ['properties:thermal', 'socks_thick'],
    ['length:knee', 'socks_thick'],
    ['length:maxi', 'socks_thick'],
  ],
  hat: [
    ['material:knit', 'beanie'],
    ['season:winter', 'beanie'],
  ],
  cap: [
    ['material:knit', 'beanie'],
    ['season:winter', 'beanie'],
  ],
};

/** Refinements of group names. */
// biome-ignore format: a table reads best aligned
const GROUP_REFINEMENTS: Readonly<Record<string, readonly (readonly [Hint, string])[]>> = {
  shoes: [
    ['use:running', 'sports_shoes'],
    ['use:sport', 'sports_shoes'],
    ['use:formal', 'dress_shoes'],
    ['season:winter', 'winter_boots'],
    ['shape:heel', 'heels'],
    ['brand:sports', 'sneakers'],
    ['gender:female', 'flats'],
    ['gender:male', 'sneakers'],
  ],
  tops_jersey: [
    ['properties:thermal', 'thermal_top'],
    ['sleeveLength:long', 'long_sleeve_tee'],
    ['sleeveLength:sleeveless', 'tank_top'],
    ['sleeveLength:spaghetti', 'camisole'],
    ['sleeveLength:strapless', 'camisole'],
  ],
};

/** What a group's name most often stands for, if no hint refines it. */
const GROUP_DEFAULTS: Readonly<Record<string, string>> = {
  tops_jersey: 't_shirt',
  tops_knit: 'sweater',
  underwear: 'underwear_bottom',
};

/** Names that stand for several categories; without a hint, none of them is likelier. */
const AMBIGUOUS_NAMES: Readonly<Record<string, readonly string[]>> = {
  'en vest': ['puffer_vest', 'waistcoat', 'undershirt', 'knit_vest'],
  'en vests': ['puffer_vest', 'waistcoat', 'undershirt', 'knit_vest'],
  'de weste': ['puffer_vest', 'waistcoat', 'knit_vest'],
  'de westen': ['puffer_vest', 'waistcoat', 'knit_vest'],
  'es chaleco': ['puffer_vest', 'waistcoat', 'knit_vest'],
  'es chalecos': ['puffer_vest', 'waistcoat', 'knit_vest'],
  // A fine shirt, a football shirt and, in America, a nightdress.
  'es camisola': ['blouse', 't_shirt', 'sleepwear'],
  'it gilet': ['puffer_vest', 'waistcoat', 'knit_vest'],
};

/** Returns the categories that an ambiguous name stands for. */
export const ambiguousCategories = (name: string, locale: Locale): readonly string[] | undefined =>
  AMBIGUOUS_NAMES[`${locale} ${name}`];

/** Returns what a group's name most often stands for. */
export const defaultOfGroup = (groupId: string): string | undefined => GROUP_DEFAULTS[groupId];

/** Categories with refinements that are not general. */
const NOT_GENERAL: ReadonlySet<string> = new Set([
  'cardigan',
  'light_dress',
  'leggings',
  'tights',
  'shorts',
  'sneakers',
  'windbreaker',
]);

/** Whether a category is general: a more specific noun beside its name overrules it. */
export const isGeneral = (categoryId: string): boolean =>
  categoryId in REFINEMENTS && !NOT_GENERAL.has(categoryId);

/** Returns the first hint that refines a category or group, and the refined category; undefined if none does. */
export function refine(
  kind: 'garment' | 'group',
  id: string,
  hints: { has(hint: Hint): boolean },
): readonly [Hint, string] | undefined {
  const table = kind === 'garment' ? REFINEMENTS : GROUP_REFINEMENTS;
  return table[id]?.find(([hint]) => hints.has(hint));
}

/** Returns all category ids of the tables, for the dictionary's check. */
export const refinedIds = (): string[] => [
  ...Object.keys(REFINEMENTS),
  ...[...Object.values(REFINEMENTS), ...Object.values(GROUP_REFINEMENTS)].flatMap((rows) =>
    rows.map(([, id]) => id),
  ),
];
