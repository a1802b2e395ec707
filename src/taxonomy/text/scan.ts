import { splitCompound } from './compounds.ts';
import { HEAD_IS_LAST } from './grammar.ts';
import type { Entry, Lexicon } from './lexicon.ts';
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';

/** An entry found in a text: the tokens from `first` to `last`, inclusive. */
export interface Match {
  entry: Entry;
  first: number;
  last: number;
  /** How the words were found; a compound is `open` if its first part is no known word. */
  by: 'word' | 'inflection' | 'compound' | 'open';
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
  brand: 7,
  quantity: 8,
};
const LANE_COUNT = 9;
/** Kinds of entries suppressed inside a fixed phrase ("button-down" is not made of down). */
const BLOCKED_BY_FIXED: ReadonlySet<Entry['kind']> = new Set([
  'group',
  'colour',
  'material',
  'pattern',
]);

/** Kinds of entries that a maker's name hides ("Polo Assn." is no polo shirt). */
const HIDDEN_BY_BRAND: ReadonlySet<Entry['kind']> = new Set([
  'garment',
  'group',
  'notGarment',
  'colour',
  'material',
]);

const continuesPhrase = (token: Token | undefined): boolean =>
  token !== undefined && token.before !== 'break' && token.before !== 'sentence';

/** Whether a word is an inflected form: "park" is none of "parka", although their stems are the same. */
const isInflected = ({ text }: Token, stemmed: string): boolean => text.length > stemmed.length;

/** Returns all matches that start at `from`. */
function matchesAt(
  tokens: readonly Token[],
  stems: readonly string[],
  from: number,
  { root, surfaces }: Lexicon,
): Match[] {
  const found: Match[] = [];
  let by: Match['by'] = 'word';
  let node = root.next.get(stems[from] ?? '');
  for (let last = from; node; last++) {
    const [token, stemmed] = [tokens[last], stems[last]];
    if (!token || stemmed === undefined) break;
    if (!surfaces.has(token.text)) {
      if (!isInflected(token, stemmed)) break;
      by = 'inflection';
    }
    for (const entry of node.entries) found.push({ entry, first: from, last, by });
    if (!continuesPhrase(tokens[last + 1])) break;
    node = node.next.get(stems[last + 1] ?? '');
  }
  return found;
}

const NO_CONTENT: ReadonlySet<Entry['kind']> = new Set(['role', 'fixed', 'brand', 'quantity']);
const isContentWord = ({ entry }: Match): boolean => !NO_CONTENT.has(entry.kind);

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
    by: compound.isCovered ? 'compound' : 'open',
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

/**
 * Returns all matches of the lexicon in the tokens, in the order of the text.
 * @param isOwn whether the text is in the lexicon's language; in another one, only words as they are written count
 */
export function scan(tokens: readonly Token[], lexicon: Lexicon, isOwn = true): Match[] {
  const headIsLast = HEAD_IS_LAST[lexicon.locale];
  const stems = tokens.map(({ text }) => stem(text, lexicon.locale));
  const all: Match[] = [];
  let knownUpTo = -1;
  tokens.forEach((token, at) => {
    const found = matchesAt(tokens, stems, at, lexicon).filter(({ by }) => isOwn || by === 'word');
    for (const match of found)
      if (isContentWord(match)) knownUpTo = Math.max(knownUpTo, match.last);
    all.push(...found);
    if (isOwn) all.push(...compoundAt(token, at, lexicon, knownUpTo >= at));
  });
  const lanes: Match[][] = Array.from({ length: LANE_COUNT }, () => []);
  for (const match of withoutStraddled(all)) lanes[LANES[match.entry.kind]]?.push(match);
  const resolved = lanes
    .flatMap((lane, i) => (lane.length > 1 ? resolveOverlaps(lane, i === 0 && headIsLast) : lane))
    .sort(inOrder);
  return withoutHidden(resolved);
}

/** Drops things that only seem named because an idiom begins in them: "coat stand" in "coat stand collar". */
function withoutStraddled(matches: readonly Match[]): readonly Match[] {
  const idioms = matches.filter(({ entry }) => entry.kind === 'fixed');
  if (idioms.length === 0) return matches;
  const isStraddled = ({ first, last }: Match): boolean =>
    idioms.some((idiom) => first < idiom.first && idiom.first <= last && last < idiom.last);
  return matches.filter((match) => match.entry.kind !== 'notGarment' || !isStraddled(match));
}

/** Returns the matches that no idiom or maker's name hides. */
function withoutHidden(matches: readonly Match[]): Match[] {
  const hiders = matches.filter(({ entry: { kind } }) => kind === 'fixed' || kind === 'brand');
  return matches.filter(
    ({ entry, first, last }) =>
      !hiders.some(
        (hider) =>
          (hider.entry.kind === 'brand' ? HIDDEN_BY_BRAND : BLOCKED_BY_FIXED).has(entry.kind) &&
          hider.first <= first &&
          last <= hider.last,
      ),
  );
}
