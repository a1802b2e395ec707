import type { Match } from './scan.ts';
import type { Token } from './tokens.ts';
import type { Role } from './words.ts';

export type ClauseRole = Exclude<Role, 'without'>;

/** A match with the part of the text it stands in. */
export interface Placed {
  match: Match;
  /** Segments are parted by commas, dashes and the like. */
  segment: number;
  /** The role word it follows within its segment; undefined in the segment's main part. */
  role: ClauseRole | undefined;
  /** Taken back by a word before it: "without hood". */
  negated: boolean;
}

const NEGATION_REACH = 2;

export const isThing = ({ entry: { kind } }: Match): boolean =>
  kind === 'garment' || kind === 'group' || kind === 'notGarment';

const startsSegment = ({ before }: Token): boolean => before === 'break' || before === 'sentence';

/** Places every match but the role words themselves. */
export function placeMatches(tokens: readonly Token[], matches: readonly Match[]): Placed[] {
  const placed: Placed[] = [];
  let segment = 0;
  let role: ClauseRole | undefined;
  let thingSeen = false;
  let negatedUpTo = -1;
  let next = 0;
  tokens.forEach((token, at) => {
    if (startsSegment(token)) {
      segment++;
      thingSeen = false;
      negatedUpTo = -1;
      // What the article is worn with may be a list: "wear with jeans, boots and a scarf."
      if (role !== 'pair' || token.before === 'sentence') role = undefined;
    }
    for (; matches[next]?.first === at; next++) {
      const match = matches[next];
      if (!match) continue;
      if (match.entry.kind !== 'role') {
        const negated = at <= negatedUpTo;
        placed.push({ match, segment, role, negated });
        thingSeen ||= isThing(match) && !negated;
      } else if (match.entry.id === 'without') {
        // "Sans manches" is a sleeve length by itself and takes nothing back.
        const isPhrase = matches.some(({ first, last }) => first === at && last > match.last);
        if (!isPhrase) negatedUpTo = match.last + NEGATION_REACH;
      } else if (match.entry.id === 'pair' || thingSeen) {
        // "Set of 3 T-shirts": before the first thing, a role word takes nothing from it.
        role = match.entry.id;
      }
    }
  });
  return placed;
}
