import type { Locale } from '../dictionary/schema.ts';
import { HEAD_IS_LAST, type Role } from './grammar.ts';
import { isName } from './lexicon.ts';
import { grammarWords } from './lexicon-files.ts';
import type { Match } from './scan.ts';
import type { Token } from './tokens.ts';

export type ClauseRole = Exclude<Role, 'without'>;

/** A match and the clause it is in. */
export interface ClauseMatch {
  match: Match;
  /** Index of the segment; segments are separated by commas, dashes and the like. */
  segment: number;
  /** The role word it follows in its segment; undefined in the main clause. */
  role: ClauseRole | undefined;
  /** In the scope of a negation: "without hood". */
  negated: boolean;
}

/** Scope of a negation, in words. */
const NEGATION_SCOPE = 2;

/** A wearer is named so many words after "for" at most. */
const WEARER_SCOPE = 2;

/** Whether a match names an article, a garment or not. */
export const isArticleNoun = ({ entry }: Match): boolean => isName(entry);

const startsSegment = ({ before }: Token): boolean => before === 'break' || before === 'sentence';

/** Who wears it: "for men" before the first noun says nothing of what it is. */
const OF_WEARER = /^(gender|ageGroup):/;

/** Before "for", what is made, closed or coloured with is the article: "zip for jackets", "crema para botas". */
const isDescribing = ({ entry: { kind, id } }: Match): boolean =>
  kind === 'material' || kind === 'colour' || id.startsWith('closure:');

/**
 * Assigns every match except the role words to its clause.
 * @param unknown words that may be what the text is about: "[detergent] for jackets"
 */
export function analyseClauses(
  tokens: readonly Token[],
  matches: readonly Match[],
  unknown: ReadonlySet<number>,
  locale: Locale,
): ClauseMatch[] {
  const clauseMatches: ClauseMatch[] = [];
  let segment = 0;
  let role: ClauseRole | undefined;
  let nounFound = false;
  let negatedUpTo = -1;
  let next = 0;
  let unknownFound = false;
  let wordFound = false;
  const isQuantity = (at: number): boolean =>
    grammarWords('quantity', locale).has(tokens[at]?.text ?? '');
  /** Not "Zorvik, lot de 3 chaussettes", nor "Zorvik of London shirt". */
  const isAboutUnknown = ({ entry: { id }, first: at, last }: Match): boolean =>
    (unknownFound || (wordFound && id === 'for')) &&
    !(id === 'of' && (HEAD_IS_LAST[locale] || isQuantity(at - 1))) &&
    !matches.some(
      (wearer) =>
        last < wearer.first &&
        wearer.first <= last + WEARER_SCOPE &&
        OF_WEARER.test(wearer.entry.id) &&
        // "Für Damengürtel", "für Stiefel Damen": that is whose garment it serves.
        !matches.some(
          (noun) => isArticleNoun(noun) && last < noun.first && noun.first <= wearer.first,
        ),
    );
  tokens.forEach((token, at) => {
    unknownFound ||= unknown.has(at);
    if (startsSegment(token)) {
      segment++;
      unknownFound = unknown.has(at);
      wordFound = false;
      nounFound = false;
      negatedUpTo = -1;
      // A pairing may be a list: "wear with jeans, boots and a scarf."
      if (role !== 'pair' || token.before === 'sentence') role = undefined;
    }
    for (; matches[next]?.first === at; next++) {
      const match = matches[next];
      if (!match) continue;
      // "Sans manches" is itself a sleeve length and negates nothing; "à carreaux" is a pattern.
      const isInPhrase = matches.some(({ first, last }) => first === at && last > match.last);
      wordFound ||= isDescribing(match);
      if (match.entry.kind !== 'role') {
        const negated = at <= negatedUpTo;
        clauseMatches.push({ match, segment, role, negated });
        nounFound ||= isArticleNoun(match) && !negated;
      } else if (match.entry.id === 'without') {
        if (!isInPhrase) negatedUpTo = match.last + NEGATION_SCOPE;
      } else if (!isInPhrase && (match.entry.id === 'pair' || nounFound || isAboutUnknown(match))) {
        // "Set of 3 T-shirts": a role word before the first noun does not apply.
        role = match.entry.id;
      }
    }
  });
  return clauseMatches;
}
