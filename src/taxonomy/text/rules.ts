import { lazily } from '../lazily.ts';
import { readTable } from '../tables.ts';

const rules = lazily(() => {
  const table = new Map<string, Map<string, readonly string[]>>();
  for (const [rule = '', name = '', values = ''] of readTable('taxonomy/rules')) {
    const named = table.get(rule) ?? new Map<string, readonly string[]>();
    table.set(rule, named.set(name, values.split(' ')));
  }
  return table;
});

/** Returns the lists of a rule by their names, in the order of data/taxonomy/rules.tsv. */
export const listsOf = (rule: string): ReadonlyMap<string, readonly string[]> =>
  rules().get(rule) ?? new Map();

/** Returns a list of a rule as a set, read once. */
export const setOf = (rule: string, name: string): (() => ReadonlySet<string>) =>
  lazily(() => new Set(listsOf(rule).get(name)));
