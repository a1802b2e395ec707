import { lazily } from '../lazily.ts';
import { readTable } from '../tables.ts';
import type { Cue } from './grammar.ts';
import { isListed, listsOf } from './rules.ts';

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
  for (const [garment = '', when = '', leaf = ''] of readTable('lexicon/refinements')) {
    const row = [when.split(' ') as Hint[], leaf] as const;
    table.set(garment, [...(table.get(garment) ?? []), row]);
  }
  return table;
});

/** Returns the categories that an ambiguous name, after its language, stands for: "it costume". */
export const ambiguousCategories = (name: string): readonly string[] | undefined =>
  listsOf('may be').get(name) ?? listsOf('mostly').get(name);

/** Returns what a group, by its id, or an ambiguous name most often stands for. */
export const defaultOf = (name: string): string | undefined =>
  (listsOf('stands for').get(name) ?? listsOf('mostly').get(name))?.[0];

/** Whether a category is general: a more specific noun beside its name overrules it. */
export const isGeneral = (categoryId: string): boolean =>
  refinements().has(categoryId) && !isListed('general', 'never', categoryId);

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
