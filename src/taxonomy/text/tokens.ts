/** The separator between a token and the one before it. A phrase never spans a `break`. */
type Gap = 'space' | 'hyphen' | 'list' | 'break' | 'sentence';

/** One word, in lower case and without accents, and its span in the text (UTF-16 units). */
export interface Token {
  text: string;
  start: number;
  end: number;
  before: Gap;
}

// biome-ignore format: a list reads best in lines
const EXPANDED: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd',
};

const SEPARATORS = {
  hyphen: '-\u00ad',
  list: '/&+',
  break: ',:|>()[]"–—·„“”«»',
  sentence: '.!?\n;•\u0387',
} as const satisfies Partial<Record<Gap, string>>;
const GAPS: ReadonlyMap<string, Gap> = new Map(
  Object.entries(SEPARATORS).flatMap(([gap, characters]) =>
    [...characters].map((character) => [character, gap as Gap] as const),
  ),
);

/** Abbreviations: the full stop after them ends no sentence. So does that after a single letter. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  'assn|st|dr|co|inc|ltd|mr|mrs|nr|no|gr|ca|inkl|incl|vol|str|jr|sr|bros|col|art|ref'.split('|'),
);
const isAbbreviation = (word: string): boolean => word.length === 1 || ABBREVIATIONS.has(word);

const RANK: Readonly<Record<Gap, number>> = { space: 0, hyphen: 1, list: 2, break: 3, sentence: 4 };

const isWordCharacter = (folded: string): boolean => /^[a-z0-9%]+$/.test(folded);

/** Folds a character to its base letters; returns an empty string for a separator. */
function fold(character: string): string {
  const lower = character.toLowerCase();
  const base = EXPANDED[lower] ?? lower.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '');
  return isWordCharacter(base) ? base : '';
}

const TABLE_SIZE = 0x250;
const FOLDED = Array.from({ length: TABLE_SIZE }, (_, code) => fold(String.fromCharCode(code)));
const foldCode = (text: string, at: number): string =>
  FOLDED[text.charCodeAt(at)] ?? fold(text.charAt(at));

const isCombining = (code: number): boolean => code >= 0x300 && code <= 0x36f;
const isApostrophe = (code: number): boolean => code === 0x27 || code === 0x2019;
const isSpace = (code: number): boolean => code === 0x20 || code === 0xa0 || code === 0x09;

/** The `s` of "men's" belongs to the word; any other apostrophe separates two words ("d'oca"). */
const joinsPossessive = (text: string, at: number): boolean =>
  foldCode(text, at + 1) === 's' && (at + 2 >= text.length || foldCode(text, at + 2) === '');

/** A model's name may stand in quotes: "Jeans 'Rock'". */
const opensQuote = (text: string, at: number): boolean =>
  (isApostrophe(text.charCodeAt(at)) || text.charCodeAt(at) === 0x2018) &&
  (at === 0 || isSpace(text.charCodeAt(at - 1))) &&
  foldCode(text, at + 1) !== '';

/** A hyphen next to a space is a dash; a full stop inside a number or a name does not end a sentence. */
function gapAt(text: string, at: number, word: string): Gap {
  if (opensQuote(text, at)) return 'break';
  const gap = GAPS.get(text.charAt(at)) ?? 'space';
  const next = text.charCodeAt(at + 1);
  if (gap === 'hyphen' && at > 0 && (isSpace(text.charCodeAt(at - 1)) || isSpace(next))) {
    return 'break';
  }
  if (text.charAt(at) === '.' && at + 1 < text.length && !isSpace(next)) return 'space';
  if (text.charAt(at) === '.' && isAbbreviation(word)) return 'space';
  return gap;
}

/** Splits text into words. Letters of other scripts than Latin count as separators. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let before: Gap = 'sentence';
  let word = '';
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0x0a;
    if (isCombining(code)) continue;
    const folded = at < text.length ? foldCode(text, at) : '';
    if (folded !== '' && folded !== '%') {
      if (word === '') start = at;
      word += folded;
      continue;
    }
    if (word !== '' && isApostrophe(code) && joinsPossessive(text, at)) continue;
    if (word !== '') {
      tokens.push({ text: word, start, end: at, before });
      word = '';
      before = 'space';
    }
    if (folded === '%') {
      tokens.push({ text: '%', start: at, end: at + 1, before: 'space' });
      before = 'space';
      continue;
    }
    const gap = gapAt(text, at, tokens.at(-1)?.text ?? '');
    if (RANK[gap] > RANK[before]) before = gap;
  }
  return tokens;
}
