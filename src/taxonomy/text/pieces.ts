import { lazily } from '../lazily.ts';
import { listsOf } from './rules.ts';

/** What gives a set its name, whatever else is in it. */
export const namesOfSets = lazily(() => listsOf('set').get('names') ?? []);

/** What two garments that are sold together make: each of the one kind goes with each of the other. */
const sets = lazily(() =>
  [...listsOf('set')]
    .filter(([name]) => name !== 'names')
    .map(([set, pieces]) => {
      const at = pieces.indexOf('+');
      return { set, first: pieces.slice(0, at), second: pieces.slice(at + 1) };
    }),
);

/** Returns the category of a set by its pieces, in the order of the text. */
export function categoryOfSet(pieces: readonly string[]): string | undefined {
  const made = sets().find(
    ({ first, second }) =>
      pieces.some((id) => first.includes(id)) &&
      pieces.some((id) => second.includes(id)) &&
      pieces.every((id) => first.includes(id) || second.includes(id)),
  );
  return made?.set ?? namesOfSets().find((id) => pieces.includes(id)) ?? pieces[0];
}
