import { amountsIn, isPieces } from './amounts.ts';
import { splitCompound } from './compounds.ts';
import { HEAD_IS_LAST } from './grammar.ts';
import { type Entry, everyLanguage, isName, type Lexicon } from './lexicon.ts';
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
  detail: 8,
};
/** Words that describe; a noun of another language needs more than its letters. */
const DESCRIBING: ReadonlySet<Entry['kind']> = new Set(['cue', 'colour', 'material', 'pattern']);

const continuesPhrase = (token: Token | undefined): boolean =>
  token !== undefined && token.before !== 'break' && token.before !== 'sentence';

/** Whether a word is an inflected form: "park" is none of "parka", although their stems are the same. */
const isInflected = ({ text }: Token, stemmed: string): boolean => text.length > stemmed.length;

/** Whether an entry may be meant by one spelling alone: "insoles" are sold, an "insole" is a detail. */
const isSpelled = ({ entry }: { entry: Entry }) => isName(entry) || entry.kind === 'detail';

/** Of articles with the same stem, as "cuissard" and "cuissarde" have, the one that is written is meant. */
function meant({ found }: Lexicon['root'], tokens: readonly Token[], from: number, last: number) {
  if (found.length < 2) return found;
  const words = tokens.slice(from, last + 1).map(({ text }) => text);
  const spelled = words.join(' ');
  const exact = found.filter((each) => isSpelled(each) && each.spellings.includes(spelled));
  return found.filter((each) => exact.length === 0 || !isSpelled(each) || exact.includes(each));
}

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
    for (const { entry } of meant(node, tokens, from, last))
      found.push({ entry, first: from, last, by });
    if (!continuesPhrase(tokens[last + 1])) break;
    node = node.next.get(stems[last + 1] ?? '');
  }
  return found;
}

const isContentWord = ({ entry }: Match): boolean => isName(entry) || DESCRIBING.has(entry.kind);

/** In "lichtblauw", "licht" is a tone, not a weight. */
const isTone = ({ id }: Entry): boolean => id === 'tone:dark' || id === 'tone:light';

/** Matches the parts of a compound. @param isKnown the lexicon has the whole word: only modifiers are new */
function compoundAt(token: Token, at: number, lexicon: Lexicon, isKnown: boolean): Match[] {
  const compound = splitCompound(token.text, lexicon.locale);
  if (!compound) return [];
  const isColour = compound.head.some(({ kind }) => kind === 'colour');
  const details = compound.modifiers.filter((entry) => (isColour ? isTone(entry) : !isName(entry)));
  // "Pudelmütze": of a name, no part says who wears it.
  const shown = isKnown ? details.filter(({ id }) => !id.startsWith('wearer:')) : details;
  return [...(isKnown ? [] : compound.head), ...shown].map((entry) => ({
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

/** Resolves the overlaps in each lane, and drops what an idiom or a maker's name hides. In the order of the text. */
function resolveLanes(matches: readonly Match[], headIsLast: boolean): Match[] {
  const lanes: Match[][] = [];
  for (const match of matches) {
    const lane = LANES[match.entry.kind];
    lanes[lane] = [...(lanes[lane] ?? []), match];
  }
  const resolved = lanes.flatMap((lane, i) =>
    lane.length > 1 ? resolveOverlaps(lane, i === 0 && headIsLast) : lane,
  );
  return withoutHidden(resolved.sort(inOrder));
}

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
  return withoutDetails(resolveLanes(withoutStraddled(all), headIsLast), tokens, headIsLast);
}

/** Drops things that only seem named because an idiom begins in them: "coat stand" in "coat stand collar". */
function withoutStraddled(matches: readonly Match[]): readonly Match[] {
  const idioms = matches.filter(({ entry }) => entry.kind === 'fixed');
  if (idioms.length === 0) return matches;
  const isStraddled = ({ first, last }: Match): boolean =>
    idioms.some((idiom) => first < idiom.first && idiom.first <= last && last < idiom.last);
  return matches.filter((match) => match.entry.kind !== 'notGarment' || !isStraddled(match));
}

type Span = Pick<Match, 'first' | 'last'>;
const isSameSpan = (a: Span, b: Span): boolean => a.first === b.first && a.last === b.last;
export const isInside = (span: Span, { first, last }: Span): boolean =>
  span.first <= first && last <= span.last;

/**
 * Whether an idiom or a maker's name hides what its words mean: "button-down" is not made of down, "Polo Assn." no polo
 * shirt. An idiom that is itself a name or a colour is one.
 */
function hides(hider: Match, match: Match): boolean {
  const { entry } = match;
  if (!isInside(hider, match)) return false;
  // "Nike" says sport; "Maier Sports" is only a name.
  if (hider.entry.kind === 'brand')
    return isContentWord(match) && !(entry.kind === 'cue' && isSameSpan(hider, match));
  if (isSameSpan(hider, match) && (isName(entry) || entry.kind === 'colour')) return false;
  return isContentWord(match) && (entry.kind !== 'cue' || /^(ageGroup|wearer):/.test(entry.id));
}

/** Returns the matches that no idiom or maker's name hides. */
function withoutHidden(matches: readonly Match[]): Match[] {
  const hiders = matches.filter(({ entry: { kind } }) => kind === 'fixed' || kind === 'brand');
  return matches.filter((match) => !hiders.some((hider) => hides(hider, match)));
}

/** "Collar in wool": words between a detail and what it is like are shorter than this. */
const MIN_NOUN_LETTERS = 4;

/** Returns a detail with the word that says what it is like: "cowl neck", "col châle", "fodera in pile". */
function detailSpan({ first, last }: Span, tokens: readonly Token[], headIsLast: boolean): Span {
  if (last > first) return { first, last };
  if (headIsLast) return { first: continuesPhrase(tokens[first]) ? first - 1 : first, last };
  let end = last;
  while (continuesPhrase(tokens[end + 1])) {
    end++;
    if ((tokens[end]?.text.length ?? 0) >= MIN_NOUN_LETTERS) break;
  }
  return { first, last: end };
}

/** "Insoles for boots": a part that is for garments is what is sold; not so "a sleeve for women". */
const soldParts = (matches: readonly Match[]) => {
  const startsAt = (at: number, isOf: (entry: Entry) => boolean): boolean =>
    matches.some(({ entry, first }) => first === at && isOf(entry));
  return ({ last }: Span): boolean =>
    startsAt(last + 1, ({ kind, id }) => kind === 'role' && id === 'for') &&
    startsAt(last + 2, isName);
};
const asThing = (match: Match, id: string): Match => ({
  ...match,
  entry: { kind: 'notGarment', id },
});

/** "Rits 50 cm jas", "Knöpfe Bluse 12 Stück": a part that comes first, with its length or number, is what is sold. */
const isMeasuredPart = ({ entry: { kind, id }, first }: Match, tokens: readonly Token[]): boolean =>
  first === 0 &&
  (id.startsWith('closure:') || (kind === 'notGarment' && id === 'part')) &&
  amountsIn(tokens).some(({ unit }) => /^[cm]m$/.test(unit) || isPieces(unit));

/** Drops names within the details of a garment that is named outside of them: a dress with a cowl neck is no scarf. */
function withoutDetails(
  matches: readonly Match[],
  tokens: readonly Token[],
  headIsLast: boolean,
): Match[] {
  const isSold = soldParts(matches);
  const spans = matches
    .filter((match) => match.entry.kind === 'detail' && !isSold(match))
    .map((detail) => detailSpan(detail, tokens, headIsLast));
  const shown = matches
    .map((match) => {
      if (isMeasuredPart(match, tokens)) return asThing(match, 'spare');
      return match.entry.kind === 'detail' && isSold(match) ? asThing(match, 'part') : match;
    })
    .filter(({ entry }) => entry.kind !== 'detail');
  const garments = shown.filter(({ entry }) => entry.kind === 'garment');
  /** "Jersey sage", "de cuadros": a word that also says what a garment is like is no thing beside it. */
  const describes = (match: Match): boolean =>
    match.entry.kind === 'notGarment' &&
    shown.some(
      (other) => other.by === 'word' && DESCRIBING.has(other.entry.kind) && isInside(other, match),
    );
  const isHiddenIn = (span: Span, match: Match): boolean =>
    isInside(span, match) && garments.some((other) => !overlaps(span, other));
  const isHidden = (match: Match): boolean =>
    isName(match.entry) &&
    (spans.some((span) => isHiddenIn(span, match)) ||
      (describes(match) && isHiddenIn(match, match)));
  return shown.filter((match) => !isHidden(match));
}

const isLonger = (a: Span, b: Span): boolean => a.last - a.first > b.last - b.first;
const overlaps = (a: Span, b: Span): boolean => a.first <= b.last && b.first <= a.last;

/** So long a name of a garment is no other word of the text's language by chance. */
const MIN_FOREIGN_CHARS = 8;

/** Returns phrases of any language, and words of others that the text's own does not know. */
function foreignAt(
  tokens: readonly Token[],
  from: number,
  { locale, surfaces, languageWeights }: Lexicon,
): Match[] {
  const found: Match[] = [];
  let node = everyLanguage().next.get(tokens[from]?.text ?? '');
  for (let last = from; node; last++) {
    const word = tokens[last]?.text ?? '';
    const isOpen = last > from || !(surfaces.has(word) || languageWeights.has(word));
    for (const { entry, locale: language } of node.found) {
      const fits =
        last > from ||
        DESCRIBING.has(entry.kind) ||
        (entry.kind === 'garment' && word.length >= MIN_FOREIGN_CHARS);
      if (language !== locale && isOpen && fits)
        found.push({ entry, first: from, last, by: 'word' });
    }
    const next = tokens[last + 1];
    node = continuesPhrase(next) ? node.next.get(next?.text ?? '') : undefined;
  }
  return found;
}

/**
 * Adds what the words of other languages mean to the matches of a text's own: "Business Shirt" in a German title. A
 * longer phrase, in whatever language, tells more than a word within it.
 */
export function withOtherLanguages(
  tokens: readonly Token[],
  own: readonly Match[],
  lexicon: Lexicon,
): readonly Match[] {
  const foreign = tokens.flatMap((_, at) => foreignAt(tokens, at, lexicon));
  if (foreign.length === 0) return own;
  const fresh = foreign.filter(
    (match) =>
      !own.some(
        (other) => sharesLane(match, other) && overlaps(match, other) && !isLonger(match, other),
      ),
  );
  if (fresh.length === 0) return own;
  const outdone = (match: Match): boolean =>
    fresh.some(
      (phrase) =>
        phrase.first <= match.first &&
        match.last <= phrase.last &&
        isLonger(phrase, match) &&
        (isName(match.entry) || sharesLane(phrase, match)),
    );
  const shown = resolveLanes([...own.filter((match) => !outdone(match)), ...fresh], false);
  return withoutDetails(shown, tokens, HEAD_IS_LAST[lexicon.locale]);
}

const sharesLane = (a: Match, b: Match): boolean => LANES[a.entry.kind] === LANES[b.entry.kind];
