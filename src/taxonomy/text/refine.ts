import { lazily } from '../lazily.ts';
import type { Cue } from './grammar.ts';
import { readTable } from './lexicon-files.ts';

/** A cue in the text, or the garment's main material. */
export type Hint = Cue;

/** The hints that must all hold, and the category that they make. */
type Refinement = readonly [readonly Hint[], string];

/**
 * Refinements of general categories and groups, in data/lexicon/refinements.tsv; the first line whose hints all hold decides. A
 * "dress" with long sleeves is a long-sleeve dress; a "jacket" of down is a down jacket.
 */
const refinements = lazily(() => {
  const table = new Map<string, Refinement[]>();
  for (const [garment = '', when = '', leaf = ''] of readTable('refinements')) {
    const row = [when.split(' ') as Hint[], leaf] as const;
    table.set(garment, [...(table.get(garment) ?? []), row]);
  }
  return table;
});

/** What a group or an ambiguous name most often stands for, if no hint refines it. */
const DEFAULTS: Readonly<Record<string, string>> = {
  tops_jersey: 't_shirt',
  tops_knit: 'sweater',
  underwear: 'underwear_bottom',
  'it costume': 'swimwear',
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
  'it costume': ['swimwear', 'suit_set'],
  'it gilet': ['puffer_vest', 'waistcoat', 'knit_vest'],
};

/** Returns the categories that an ambiguous name, after its language, stands for: "it costume". */
export const ambiguousCategories = (name: string): readonly string[] | undefined =>
  AMBIGUOUS_NAMES[name];

/** Returns what a group, by its id, or an ambiguous name most often stands for. */
export const defaultOf = (name: string): string | undefined => DEFAULTS[name];

/** Categories with refinements that are not general. */
// biome-ignore format: a list reads best in lines
const NOT_GENERAL: ReadonlySet<string> = new Set([
  'camisole', 'cardigan', 'light_dress', 'leggings', 'tights', 'shorts', 'sneakers', 'windbreaker',
  'sandals', 'suit_set', 'puffer_vest',
]);

/** Whether a category is general: a more specific noun beside its name overrules it. */
export const isGeneral = (categoryId: string): boolean =>
  refinements().has(categoryId) && !NOT_GENERAL.has(categoryId);

/** Returns the first refinement of a category or group that holds; undefined if none does. */
export function refine(
  kind: 'garment' | 'group',
  id: string,
  hints: { has(hint: Hint): boolean },
): Refinement | undefined {
  return refinements()
    .get(kind === 'garment' ? id : `group:${id}`)
    ?.find(([needed]) => needed.every((hint) => hints.has(hint)));
}

/** Returns all category ids of the table, for the dictionary's check. */
export const refinedIds = (): string[] =>
  [...refinements()].flatMap(([id, rows]) => [
    ...(id.startsWith('group:') ? [] : [id]),
    ...rows.map(([, leaf]) => leaf),
  ]);
