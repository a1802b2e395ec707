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

/** Whether a list of a rule has an id. */
export const isListed = (rule: string, name: string, id: string): boolean =>
  listsOf(rule).get(name)?.includes(id) === true;
