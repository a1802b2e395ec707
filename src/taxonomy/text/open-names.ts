import { categories } from '../dictionary/schema.ts';
import { amountsIn, isPieces } from './amounts.ts';
import { type ClauseMatch, isArticleNoun } from './clauses.ts';
import { COMPOUNDING } from './compounds.ts';
import type { Lead, Naming } from './features.ts';
import type { Field } from './fields.ts';
import { HEAD_IS_LAST } from './grammar.ts';
import { lexiconOf } from './lexicon.ts';
import { grammarWords } from './lexicon-files.ts';
import {
  isAfterThing,
  isBareOfUnknown,
  isBeforeThing,
  isCue,
  isPerson,
  mainWords,
  saysNoMore,
} from './positions.ts';
import { isListed } from './rules.ts';

/** Clothes are not sold in so many pieces; a year is no number of them. */
const BULK = { min: 40, max: 1500 } as const;

/** "100 pcs", "x100": what is sold by the hundred is no garment. */
const isBulk = ({ field: { tokens } }: Naming): boolean =>
  amountsIn(tokens).some(
    ({ count, unit, isTimes }) =>
      count >= BULK.min && count <= BULK.max && (isTimes || isPieces(unit)),
  );

/** A side of what is laid or hung, in centimetres: "32x34" is a size of trousers. */
const MIN_AREA_SIDE = 45;
const AREA = /(\d{2,4})(?:[.,]\d+)? ?(?:cm)? ?[x×] ?(\d{2,4})/i;
/** Bulbs have more watts: "30 W" is a width of trousers. So many millimetres are a column of water. */
const MAX = { width: 99, mm: 999 } as const;

/** "300 ml", "1600 W", "140 x 200": clothes are not sold so. */
function isMeasured({ field: { text, tokens, isWear }, mention: { match } }: Naming): boolean {
  const { id } = match.entry;
  const region = categories.get(id)?.region;
  if (region === 'accessory') return false;
  const [, width = 0, height = 0] = AREA.exec(text) ?? [];
  if (Math.max(Number(width), Number(height)) >= MIN_AREA_SIDE) return true;
  if (tokens.some((token) => grammarWords('format', 'en').has(token.text))) return true;
  const isThick = (mm: number) => id !== 'swimwear' && region !== 'shoes' && mm > 0 && mm <= MAX.mm;
  return amountsIn(tokens).some(({ count, unit }) =>
    unit === 'w'
      ? !isWear && count > MAX.width
      : grammarWords('unit', 'en').has(unit) ||
        (isThick(count) && grammarWords('thickness', 'en').has(unit)),
  );
}

/** The word that directly follows a noun of an English title, or that only English has. */
function wordAfter({ name, locale, tokens }: Field, last: number): string | undefined {
  const next = tokens[last + 1];
  if (name !== 'title' || next?.before !== 'space') return undefined;
  return locale === 'en' || !lexiconOf(locale).surfaces.has(next.text) ? next.text : undefined;
}

/** Whether a noun, or one of the same weight, is followed by what is sold: "boot and glove dryer", "boot lace locks". */
function isBeforeKnownHead({ field, mention, mentions }: Naming): boolean {
  const isHead = (last: number): boolean =>
    grammarWords('head', 'en').has(wordAfter(field, last) ?? '');
  const isBeforeHeadOfNoun = (last: number): boolean =>
    field.clauseMatches.some(
      ({ match }) => match.first === last + 1 && isArticleNoun(match) && isHead(match.last),
    );
  return mentions
    .filter(({ match, weight }) => match === mention.match || weight === mention.weight)
    .map(({ match }) => match.last)
    .some((last) => isHead(last) || isBeforeHeadOfNoun(last));
}

/** "Belt for suitcases", "camisa filtro aceite": nobody wears what is for such a thing. */
function isForThing(naming: Naming): boolean {
  const { field, mention } = naming;
  if (isListed('garments', 'serving', mention.match.entry.id)) return false;
  const mayOmitFor = !HEAD_IS_LAST[field.locale] && saysNoMore(naming);
  return field.clauseMatches.some(
    ({ role, negated, match: { entry, first } }) =>
      first > mention.match.last &&
      entry.kind === 'notGarment' &&
      !negated &&
      (role === 'for'
        ? isListed('things', 'served', entry.id)
        : mayOmitFor && first === mention.match.last + 1 && isListed('things', 'motif', entry.id)),
  );
}

const isAnother = isCue(/^wearer:(pet|doll)$/);

/** Who wears the article, if that is no person: "Dog raincoat", but not "Women's dog socks". */
export const otherWearer = ({ clauseMatches }: Field): 'pet' | 'toy' | undefined => {
  const another = clauseMatches.find(isAnother)?.match;
  // "Babypop": the doll's name is no child.
  const isChild = (each: ClauseMatch): boolean =>
    isPerson(each) && each.match.first !== another?.first;
  if (!another || clauseMatches.some(isChild)) return undefined;
  const wearer = another.entry.id;
  const showsIt = clauseMatches.some(({ match }) =>
    isListed('garments', 'show animals', match.entry.id),
  );
  if (wearer === 'wearer:pet') return showsIt ? undefined : 'pet';
  return 'toy';
};

/** "Unknown fleece": a stuff's name is a garment's only if nothing else can be the article. */
const mayBeStuff = ({ field, mention: { match } }: Naming): boolean =>
  !field.isWear &&
  field.unknown.size > 0 &&
  field.clauseMatches.some(
    ({ match: { entry, first, last, by } }) =>
      entry.kind === 'material' && by === 'word' && first <= match.first && match.last <= last,
  );

/** "Dog hoodie": hoodies show animals, and are worn by them. */
const isOfAnimal = ({ field: { clauseMatches } }: Naming): boolean =>
  clauseMatches.some(isAnother) && !clauseMatches.some(isPerson);

/** "Klompen bloempot": after a garment, what nobody wears is what is sold, in the garment's shape or for it. */
const isBeforeNamedThing = ({ field, mention: { match } }: Naming): boolean =>
  !field.isWear &&
  field.clauseMatches.some(
    ({ role, negated, match: { entry, first } }) =>
      entry.kind === 'notGarment' &&
      !isListed('things', 'worn', entry.id) &&
      (first > match.last || COMPOUNDING.includes(field.locale)) &&
      first < mainWords(field).length &&
      role === undefined &&
      !negated,
  );

const UNKNOWN_HEAD = [
  isBeforeNamedThing,
  isOfAnimal,
  isBareOfUnknown,
  isMeasured,
  mayBeStuff,
  isBeforeKnownHead,
  isForThing,
  isBulk,
];

/** "Top", "shoes", "pumps": which of its categories is meant is a guess. */
const isGuess = ({ mention, isAmbiguous = false }: Naming): boolean =>
  isAmbiguous || mention.match.entry.kind === 'group';

/** What the linear model must give the category at least: of all, and beside the likeliest other one. */
const MIN_SUPPORT = { ofAll: 0.35, besideNext: 0.7 } as const;

/** The model has not read the names of the lexicon: it is a second witness. */
const isUnsupported = (
  { field: { isWear } }: Naming,
  { typeAgrees, support, supportAsWear, supportBesideNext }: Lead,
): boolean =>
  !typeAgrees &&
  ((isWear ? supportAsWear : support) < MIN_SUPPORT.ofAll ||
    supportBesideNext < MIN_SUPPORT.besideNext);

/** A name that may be another thing's, or kind's, is never sure; one beside an unknown head is no answer. */
const MAX_CONFIDENCE = { open: 0.89, unknownHead: 0.49 } as const;

/** Returns the highest confidence, 0–1, that a noun gives: the article may be another thing than it says. */
export function limitOf(naming: Naming, lead: Lead): number {
  if (naming.field.name !== 'title') return isGuess(naming) ? MAX_CONFIDENCE.open : 1;
  // "Lia Fontana trench": a maker's name has nouns too.
  const isBeside = isBeforeThing(naming) || isAfterThing(naming);
  const isUnlikely = isBeside && (isGuess(naming) || lead.support < MIN_SUPPORT.ofAll);
  if (isUnlikely || UNKNOWN_HEAD.some((is) => is(naming))) return MAX_CONFIDENCE.unknownHead;
  return isBeside || isGuess(naming) || isUnsupported(naming, lead) ? MAX_CONFIDENCE.open : 1;
}
