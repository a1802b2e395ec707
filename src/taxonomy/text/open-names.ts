import { categories, LOCALES, type Locale } from '../dictionary/schema.ts';
import { lazily } from '../lazily.ts';
import { type ClauseMatch, isArticleNoun } from './clauses.ts';
import { COMPOUNDING } from './compounds.ts';
import type { Naming } from './features.ts';
import type { Field } from './fields.ts';
import { HEAD_IS_LAST } from './grammar.ts';
import { foldedWords, lexiconOf, pieceWords, WORD_WEIGHT } from './lexicon.ts';
import { namesThing } from './nouns.ts';
import { setOf } from './rules.ts';

/** A word of its own: no number, size or code. */
const isPlainWord = (text: string): boolean => /^[a-z]{3,}$/.test(text);

/**
 * Whether a noun of an English title is directly followed by a word that says nothing by itself, which may be the
 * head: "coat caddy", "glove dryer" (only "hair dryer" is known). Hardly any real English title of a garment is written
 * so, but German ones are.
 */
function isBeforeHead({ field, mention: { match } }: Naming): boolean {
  const next = wordAfter(field, match.last);
  if (next === undefined || field.locale !== 'en') return false;
  const weight = lexiconOf('en').languageWeights.get(next) ?? 0;
  return isPlainWord(next) && weight < WORD_WEIGHT;
}

/** The word that directly follows a noun of an English title, or that only English has. */
function wordAfter({ name, locale, tokens }: Field, last: number): string | undefined {
  const next = tokens[last + 1];
  if (name !== 'title' || next?.before !== 'space') return undefined;
  return locale === 'en' || !lexiconOf(locale).surfaces.has(next.text) ? next.text : undefined;
}

const englishHeads = lazily(() => foldedWords('en', 'head'));
/** Whether a noun, or one of the same weight, is followed by what is sold: "boot and glove dryer", "boot lace locks". */
function isBeforeKnownHead({ field, mention, mentions }: Naming): boolean {
  const isHead = (last: number): boolean => englishHeads().has(wordAfter(field, last) ?? '');
  const isBeforeHeadOfNoun = (last: number): boolean =>
    field.clauseMatches.some(
      ({ match }) => match.first === last + 1 && isArticleNoun(match) && isHead(match.last),
    );
  return mentions
    .filter(({ match, weight }) => match === mention.match || weight === mention.weight)
    .map(({ match }) => match.last)
    .some((last) => isHead(last) || isBeforeHeadOfNoun(last));
}

const served = setOf('things', 'served');
const serving = setOf('garments', 'serving');

/** "Belt for suitcases": nobody wears what is for such a thing. */
const isForThing = ({ field, mention: { match } }: Naming): boolean =>
  !serving().has(match.entry.id) &&
  field.clauseMatches.some(
    ({ role, match: { entry, first } }) =>
      role === 'for' && first > match.last && entry.kind === 'notGarment' && served().has(entry.id),
  );

const wordsIn = (meaning: string) =>
  lazily(() => new Map(LOCALES.map((locale) => [locale, foldedWords(locale, meaning)])));
const purposeWords = wordsIn('role:for');

/** "Raincoat for [pugs]": whom or what it is for is unknown. */
const isForUnknown = ({
  field: { locale, tokens, unknown },
  mention: { match },
}: Naming): boolean =>
  [...unknown].some(
    (at) =>
      at > match.last &&
      purposeWords()
        .get(locale)
        ?.has(tokens[at - 1]?.text ?? ''),
  );

/** Clothes are not sold in so many pieces; a year is no number of them. */
const BULK = { min: 40, max: 1500 } as const;

/** "100 pcs", "x100": what is sold by the hundred is no garment. */
const isBulk = ({ field: { tokens } }: Naming): boolean =>
  tokens.some(({ text }, at) => {
    if (!/\d/.test(text)) return false;
    const [, times, digits, unit] = /^(x?)(\d{2,4})([a-z]*)$/.exec(text) ?? [];
    const count = Number(digits);
    if (!digits || count < BULK.min || count > BULK.max) return false;
    return times === 'x' ? unit === '' : pieceWords().has(unit || (tokens[at + 1]?.text ?? ''));
  });

const isPlural = (text: string): boolean => text.endsWith('s');
const isOfPair = (id: string): boolean => id === 'gloves' || categories.get(id)?.region === 'shoes';

/** One shoe or glove beside an unknown word: "boot sector", "loafer bread". Pairs are sold in the plural. */
const isSingleOfPair = ({ field, mention: { match } }: Naming): boolean =>
  field.locale === 'en' &&
  field.isMainLanguage &&
  isOfPair(match.entry.id) &&
  !isPlural(field.tokens[match.last]?.text ?? '') &&
  isPlainWord(wordAfter(field, match.last) ?? '') &&
  !field.clauseMatches.some(isAttribute);

const singles = wordsIn('single');
/** "Guante exfoliante", "botte de radis": nothing is said of who wears it. */
const isLoneSingle = ({ field, mention: { match } }: Naming): boolean =>
  match.first === match.last &&
  singles()
    .get(field.locale)
    ?.has(field.tokens[match.first]?.text ?? '') === true &&
  field.unknown.size > 0 &&
  !field.clauseMatches.some(isAttribute) &&
  !hasMaker(field);

/** What is said of goods that are worn: wearer, colour, stuff. */
const isAttribute = (clauseMatch: ClauseMatch): boolean =>
  isPerson(clauseMatch) || /^(colour|material)$/.test(clauseMatch.match.entry.kind);

/** One sock or boot, in any of the languages, also at the end of a compound. */
const SINGLE_SOCK =
  /^(sock|stocking|boot|chaussette|botte|calcetin|bota|calza|\w*(socke|strumpf|stiefel|sok|laars))$/;
const FESTIVE = /^(christmas|xmas|santa|noel|navid|natal|befana|weihnacht|nikolaus|kerst)/;

/** Whether a single sock or boot is for Christmas: more often one to hang up and fill than one to wear. */
const mayBeDecoration = ({ field: { tokens }, mention: { match } }: Naming): boolean =>
  tokens.slice(match.first, match.last + 1).some(({ text }) => SINGLE_SOCK.test(text)) &&
  tokens.some(({ text }) => FESTIVE.test(text));

/** "Bh-haakjes": the head of a hyphened compound is its last part. */
const isBeforeHyphen = ({
  field: { locale, tokens, unknown },
  mention: { match },
}: Naming): boolean =>
  COMPOUNDING.includes(locale) &&
  tokens[match.last + 1]?.before === 'hyphen' &&
  unknown.has(match.last + 1);

/** Whether a title says nothing more of a garment than its name. */
const isBare = ({ clauseMatches, tokens }: Field): boolean =>
  clauseMatches.every(({ match }) => isArticleNoun(match)) &&
  !tokens.some(({ text }) => /\d/.test(text));

/** "Raseur pull": of two nouns the first is the head in most languages, and it is unknown. */
const isBareAfterUnknown = ({ field, mention: { match } }: Naming): boolean =>
  field.locale !== 'en' && isBare(field) && [...field.unknown].some((at) => at < match.first);

const showsAnimals = setOf('garments', 'show animals');
const isCue = (kinds: RegExp) => (clauseMatch: ClauseMatch) =>
  clauseMatch.match.entry.kind === 'cue' &&
  kinds.test(clauseMatch.match.entry.id) &&
  !clauseMatch.negated;
const isAnother = isCue(/^wearer:(pet|doll)$/);
const isPerson = isCue(/^(gender|ageGroup|print):/);

/** Who wears the article, if that is no person: "Dog raincoat", but not "Women's dog socks". */
export const otherWearer = ({ clauseMatches }: Field): 'pet' | 'toy' | undefined => {
  const another = clauseMatches.find(isAnother)?.match;
  // "Babypop": the doll's name is no child.
  const isChild = (each: ClauseMatch): boolean =>
    isPerson(each) && each.match.first !== another?.first;
  if (!another || clauseMatches.some(isChild)) return undefined;
  const wearer = another.entry.id;
  const showsIt = clauseMatches.some(({ match }) => showsAnimals().has(match.entry.id));
  if (wearer === 'wearer:pet') return showsIt ? undefined : 'pet';
  return 'toy';
};

/** "Unknown fleece": a stuff's name is a garment's only if nothing else can be the article. */
const mayBeStuff = ({ field, mention: { match } }: Naming): boolean => {
  const head = HEAD_IS_LAST[field.locale] ? match.last : match.first;
  return (
    field.unknown.size > 0 &&
    field.clauseMatches.some(
      ({ match: { entry, first, last, by } }) =>
        entry.kind === 'material' && by === 'word' && first <= head && head <= last,
    )
  );
};

/** "Unknown for jackets": the garment is named by what the article is for, or made of. */
const isBesideUnknown = ({ field, mention: { role } }: Naming): boolean =>
  role === 'for' || (role !== undefined && field.unknown.size > 0);

/** Whether a word that the lexicon lacks names a thing. @param isOwn only in the text's language, not in English */
const isOpenThing = (
  { clauseMatches, tokens, locale }: Field,
  at: number,
  isOwn = false,
): boolean =>
  namesThing(tokens[at]?.text ?? '', locale, isOwn) &&
  !clauseMatches.some(
    ({ match: { first, last, by } }) => first <= at && at <= last && by !== 'open',
  );

const purposes = wordsIn('purpose');
const isPurpose = ({ locale, tokens }: Field, at: number): boolean =>
  purposes()
    .get(locale)
    ?.has(tokens[at]?.text ?? '') === true;

const linking = lazily(
  () => new Set(['with', 'for', 'of'].flatMap((role) => [...foldedWords('en', `role:${role}`)])),
);

const continues = ({ tokens }: Field, at: number): boolean =>
  at < tokens.length && !/break|sentence/.test(tokens[at]?.before ?? 'break');

const facets = lazily(() => foldedWords('en', 'facet'));
/** Whether a noun only tells which detail follows: "funnel neck", "tea length". */
function isBeforeDetail({ tokens }: Field, at: number): boolean {
  const next = tokens[at + 1]?.text ?? '';
  const meanings = lexiconOf('en').singles.get(next) ?? [];
  return facets().has(next) || meanings.some(({ kind }) => kind === 'detail' || kind === 'pattern');
}

/** "Sock knitting machine", "hose reel". */
function isBeforeThing({ field, mention: { match } }: Naming): boolean {
  if (field.locale !== 'en' || field.clauseMatches.some(isPerson)) return false;
  for (let at = match.last + 1; continues(field, at); at++) {
    if (linking().has(field.tokens[at]?.text ?? '')) return false;
    if (isOpenThing(field, at) && !isBeforeDetail(field, at)) return true;
  }
  return false;
}

const MAX_ARTICLE_CHARS = 3;

/** "Botte de radis", "manteau de cheminée", "pince pour la bière". */
function isOfThing({ field, mention: { match } }: Naming): boolean {
  if (!isPurpose(field, match.last + 1)) return false;
  const next = field.tokens[match.last + 2]?.text ?? '';
  return isOpenThing(field, match.last + (next.length <= MAX_ARTICLE_CHARS ? 3 : 2));
}

const hasMaker = ({ clauseMatches }: Field): boolean =>
  clauseMatches.some(({ match }) => match.entry.kind === 'brand');

/** "Perfume falda": the first noun is the head. */
function isAfterThing({ field, mention: { match } }: Naming): boolean {
  if (field.locale === 'en')
    return openHeads().has(match.entry.id) && isOpenThing(field, match.first - 1);
  if (hasMaker(field) || field.clauseMatches.some(isPerson)) return false;
  for (let at = match.first - 1; at >= 0; at--) {
    if (isOpenThing(field, at, true)) return true;
    if (!continues(field, at)) return false;
  }
  return false;
}
/** "Little black dress: a history hardback". */
const isBesideThing = ({ field }: Naming): boolean =>
  !hasMaker(field) &&
  !field.clauseMatches.some(isPerson) &&
  field.tokens.some((_, at) => isOpenThing(field, at));

/** "Bolsas de basura", "chaqueta para termo": what it is for is unknown. */
const isOfUnknown = ({ field, mention: { match } }: Naming): boolean =>
  isPurpose(field, match.last + 1) && field.unknown.has(match.last + 2);
const isBagOfUnknown = (naming: Naming): boolean =>
  openHeads().has(naming.mention.match.entry.id) && isOfUnknown(naming);

/** No maker's name is so long, and no compound so short. */
const MIN_NOUN_CHARS = 9;
const INFLECTED = /e$|(t|d|ig|lich|isch|lang|los|voll|bar|farben)(em|en|er|es)?$/;

/** "Schnittbogen Kapuzenpulli": a long word that no list has is a compound, and the head. */
const isAfterCompound = ({ field, mention: { match } }: Naming): boolean => {
  const word = field.tokens[match.first - 1]?.text ?? '';
  return (
    COMPOUNDING.includes(field.locale) &&
    field.unknown.has(match.first - 1) &&
    field.tokens[match.first]?.before === 'space' &&
    word.length >= MIN_NOUN_CHARS &&
    !INFLECTED.test(word) &&
    !hasMaker(field)
  );
};

/** "Raseur pull". */
const isAfterUnknown = ({ field, mention: { match } }: Naming): boolean =>
  field.locale !== 'en' &&
  !hasMaker(field) &&
  field.unknown.has(match.first - 1) &&
  !field.clauseMatches.some(isPerson);

/** A side of what is laid or hung, in centimetres: "32x34" is a size of trousers. */
const MIN_AREA_SIDE = 45;
const AREA = /(\d{2,4})(?:[.,]\d+)? ?(?:cm)? ?[x×] ?(\d{2,4})/i;
const units = lazily(() => foldedWords('en', 'unit'));
const formats = lazily(() => foldedWords('en', 'format'));
const thicknesses = lazily(() => foldedWords('en', 'thickness'));

/** "300 ml", "1600 W", "140 x 200": clothes are not sold so. */
function isMeasured({ field: { text, tokens }, mention: { match } }: Naming): boolean {
  const { id } = match.entry;
  const region = categories.get(id)?.region;
  if (region === 'accessory') return false;
  const [, width = 0, height = 0] = AREA.exec(text) ?? [];
  if (Math.max(Number(width), Number(height)) >= MIN_AREA_SIDE) return true;
  const isThick = id !== 'swimwear' && region !== 'shoes';
  return tokens.some(({ text: word }, at) => {
    const [, digits = '', own = ''] = /^(\d+)([a-z]*)$/.exec(word) ?? [];
    const unit = own || (tokens[at + 1]?.text ?? '');
    if (formats().has(word)) return true;
    if (unit === 'w') return digits.length > 2;
    return digits !== '' && (units().has(unit) || (isThick && thicknesses().has(unit)));
  });
}

const MIN_MARGIN = 0.4;
const saysNoMore = ({ field }: Naming): boolean =>
  !hasMaker(field) && !field.clauseMatches.some(isAttribute);
const isBareOfUnknown = (naming: Naming): boolean => isOfUnknown(naming) && saysNoMore(naming);
const isBareAfterWord = (naming: Naming): boolean =>
  !HEAD_IS_LAST[naming.field.locale] &&
  naming.field.languageMargin >= MIN_MARGIN &&
  naming.mention.match.first === 1 &&
  isAfterUnknown(naming) &&
  saysNoMore(naming);
const UNKNOWN_HEAD = [
  isBareOfUnknown,
  isBareAfterWord,
  isBeforeThing,
  isOfThing,
  isAfterThing,
  isAfterCompound,
  isMeasured,
  isBagOfUnknown,
  isLoneSingle,
  mayBeDecoration,
  isBesideUnknown,
  mayBeStuff,
  isBeforeKnownHead,
  isSingleOfPair,
  isForThing,
  isBulk,
  isBeforeHyphen,
];
const OPEN = [
  isBesideThing,
  isOfUnknown,
  isAfterUnknown,
  isBareAfterUnknown,
  isBeforeHead,
  mayBeForThings,
  isForUnknown,
];

const openHeads = setOf('garments', 'open');

/** Whether a word that says nothing of a garment, or no language has, tells which bag or suit it is. */
function mayBeForThings({ field, mention: { match } }: Naming): boolean {
  if (!openHeads().has(match.entry.id) || match.last > match.first) return false;
  const isHere = (other: ClauseMatch): boolean =>
    other.match.first === match.first && isAttribute(other);
  if (match.by === 'open' || match.by === 'compound') return !field.clauseMatches.some(isHere);
  const beside = HEAD_IS_LAST[field.locale] ? match.first - 1 : match.last + 1;
  return field.unknown.has(beside);
}

/** A name that may be another thing's is never sure; one beside an unknown head is no answer. */
const MAX_CONFIDENCE = { open: 0.89, unknownHead: 0.49 } as const;

/** Returns the highest confidence, 0–1, that a noun gives: the article may be another thing than it says. */
export function limitOf(naming: Naming): number {
  if (naming.field.name !== 'title') return 1;
  const showsAnimal = naming.field.clauseMatches.some(isAnother);
  if (UNKNOWN_HEAD.some((is) => is(naming))) return MAX_CONFIDENCE.unknownHead;
  if (showsAnimal && !naming.field.clauseMatches.some(isPerson)) return MAX_CONFIDENCE.unknownHead;
  return OPEN.some((is) => is(naming)) ? MAX_CONFIDENCE.open : 1;
}
