import { splitCompound } from './compounds.ts';
import type { Entry, Lexicon } from './lexicon.ts';
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';
import { HEAD_IS_LAST } from './words.ts';

/** An entry found in a text: the tokens from `first` to `last`, inclusive. */
export interface Match {
  entry: Entry;
  first: number;
  last: number;
}

/** Matches of one lane do not overlap; those of different lanes may. */
const LANES: Readonly<Record<Entry['kind'], number>> = {
  garment: 0,
  group: 0,
  notGarment: 0,
  colour: 1,
  material: 2,
  pattern: 3,
  cue: 4,
  role: 5,
  fixed: 6,
};
const LANE_COUNT = 7;
/** Kinds of entries suppressed inside a fixed phrase ("button-down" is not made of down). */
const BLOCKED_BY_FIXED: ReadonlySet<Entry['kind']> = new Set([
  'group',
  'colour',
  'material',
  'pattern',
]);

const continuesPhrase = (token: Token | undefined): boolean =>
  token !== undefined && token.before !== 'break' && token.before !== 'sentence';

/** Returns all matches that start at `from`. */
function matchesAt(
  tokens: readonly Token[],
  stems: readonly string[],
  from: number,
  lexicon: Lexicon,
): Match[] {
  const found: Match[] = [];
  let node = lexicon.root.next.get(stems[from] ?? '');
  for (let last = from; node; last++) {
    for (const entry of node.entries) found.push({ entry, first: from, last });
    if (!continuesPhrase(tokens[last + 1])) break;
    node = node.next.get(stems[last + 1] ?? '');
  }
  return found;
}

const isContentWord = ({ entry }: Match): boolean =>
  entry.kind !== 'role' && entry.kind !== 'fixed';

const isName = ({ kind }: Entry): boolean =>
  kind === 'garment' || kind === 'notGarment' || kind === 'group';
/** In "lichtblauw", "licht" is a tone, not a weight. */
const isTone = ({ id }: Entry): boolean => id === 'tone:dark' || id === 'tone:light';

/** Matches the parts of a compound. @param isKnown the lexicon has the whole word: only modifiers are new */
function compoundAt(token: Token, at: number, lexicon: Lexicon, isKnown: boolean): Match[] {
  const compound = splitCompound(token.text, lexicon);
  if (!compound) return [];
  const isColour = compound.head.some(({ kind }) => kind === 'colour');
  const details = compound.modifiers.filter((entry) => (isColour ? isTone(entry) : !isName(entry)));
  return [...(isKnown ? [] : compound.head), ...details].map((entry) => ({
    entry,
    first: at,
    last: at,
  }));
}

const longerFirst = (a: Match, b: Match): number => b.last - b.first - (a.last - a.first);

/**
 * Resolves overlaps in a lane: keeps the longest match at the end of the text that is read first. In head-final
 * languages nouns are read from the end: a "denim shirt dress" is a shirt dress, not a denim shirt.
 */
function resolveOverlaps(lane: readonly Match[], fromEnd: boolean): Match[] {
  const edge = (match: Match) => (fromEnd ? -match.last : match.first);
  const ordered = lane.toSorted((a, b) => edge(a) - edge(b) || longerFirst(a, b));
  const resolved: Match[] = [];
  for (const match of ordered) {
    const last = resolved.at(-1);
    const isSame = last?.first === match.first && last.last === match.last;
    const isFree = !last || (fromEnd ? match.last < last.first : match.first > last.last);
    if (isFree || isSame) resolved.push(match);
  }
  return resolved;
}

const inOrder = (a: Match, b: Match): number => a.first - b.first;

/** Returns all matches of the lexicon in the tokens, in the order of the text. */
export function scan(tokens: readonly Token[], lexicon: Lexicon): Match[] {
  const headIsLast = HEAD_IS_LAST[lexicon.locale];
  const stems = tokens.map(({ text }) => stem(text, lexicon.locale));
  const all: Match[] = [];
  let knownUpTo = -1;
  tokens.forEach((token, at) => {
    const found = matchesAt(tokens, stems, at, lexicon);
    for (const match of found)
      if (isContentWord(match)) knownUpTo = Math.max(knownUpTo, match.last);
    all.push(...found);
    all.push(...compoundAt(token, at, lexicon, knownUpTo >= at));
  });
  const lanes: Match[][] = Array.from({ length: LANE_COUNT }, () => []);
  for (const match of all) lanes[LANES[match.entry.kind]]?.push(match);
  const resolved = lanes
    .flatMap((lane, i) => (lane.length > 1 ? resolveOverlaps(lane, i === 0 && headIsLast) : lane))
    .sort(inOrder);
  const fixed = resolved.filter(({ entry }) => entry.kind === 'fixed');
  if (fixed.length === 0) return resolved;
  return resolved.filter(
    ({ entry, first, last }) =>
      !BLOCKED_BY_FIXED.has(entry.kind) ||
      !fixed.some((phrase) => phrase.first <= first && last <= phrase.last),
  );
}
