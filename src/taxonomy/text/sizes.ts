import type { Token } from './tokens.ts';

/** Heights of children's sizes, cm; those that adults' sizes have too stand only in a pair. */
const SIZES = { min: 50, max: 164, step: 6 } as const;
const SHARED_SIZES: ReadonlySet<number> = new Set([50, 56, 62, 98, 110]);
const SIZE_WORD = /^(gr|grosse|groesse|size|taille|talla|talle|taglia|maat|mt|sz)$/;
const YEARS = /^(y|yr|yrs|years?|yo|ans?|anos?|anni|anno|jahren?|jaar|j)$/;
const MONTHS = /^(m|mo|mths?|months?|mois|mes|meses|mesi|mese|monaten?|maand|maanden|mnd)$/;
/** "6y", "18m": a number with its unit. */
const JOINED = /^(\d{1,2})([a-z]{1,6})$/;
const CENTIMETRES = /^cm$/;
const MAX_CHILD_YEARS = 14;
const MAX_MONTHS = 36;

/** The oldest of each group, months. */
const GROUPS: readonly (readonly [months: number, id: string])[] = [
  [3, 'newborn'],
  [12, 'infant'],
  [59, 'toddler'],
  [12 * MAX_CHILD_YEARS, 'kids'],
];
/** The tallest of each group, cm. */
const HEIGHTS: readonly (readonly [cm: number, id: string])[] = [
  [56, 'newborn'],
  [80, 'infant'],
  [110, 'toddler'],
  [164, 'kids'],
];

const groupOf = (value: number, limits: typeof GROUPS): string | undefined =>
  limits.find(([limit]) => value <= limit)?.[1];

const STARTS_WITH_DIGIT = /^\d/;
const numberIn = (token: Token | undefined): number =>
  token && /^\d{1,3}$/.test(token.text) ? Number(token.text) : Number.NaN;

/** Months that a number and its unit stand for. "M" alone is a size or metres: it needs a range, "3-6 M". */
function monthsOf(count: number, unit: string, isRange: boolean): number | undefined {
  if (YEARS.test(unit) && count <= MAX_CHILD_YEARS) return 12 * count;
  const isMonths = MONTHS.test(unit) && (unit !== 'm' || isRange);
  return isMonths && count <= MAX_MONTHS ? count : undefined;
}

function ageAt(tokens: readonly Token[], at: number): string | undefined {
  const [, digits = '', joined = ''] = JOINED.exec(tokens[at]?.text ?? '') ?? [];
  const count = joined ? Number(digits) : numberIn(tokens[at]);
  const unit = joined || (tokens[at + 1]?.text ?? '');
  const isRange = !Number.isNaN(numberIn(tokens[at - 1]));
  const months = Number.isNaN(count) ? undefined : monthsOf(count, unit, isRange);
  return months === undefined ? undefined : groupOf(months, GROUPS);
}

function sizeAt(tokens: readonly Token[], at: number): string | undefined {
  const size = numberIn(tokens[at]);
  const next = numberIn(tokens[at + 1]);
  const isPair = next - size === SIZES.step && tokens[at + 1]?.before !== 'space';
  const isSize = size >= SIZES.min && size <= SIZES.max && (size - SIZES.min) % SIZES.step === 0;
  const isChild = isSize && (isPair || !SHARED_SIZES.has(size));
  const isNamed = isPair || SIZE_WORD.test(tokens[at - 1]?.text ?? '');
  return isChild && isNamed ? groupOf(size, HEIGHTS) : undefined;
}

/** Returns the age group of a size in a text, by age or height: "Gr. 128", "8 ans", "Maat 5-6Y"; undefined for none. */
export function ageGroupOfSize(tokens: readonly Token[]): string | undefined {
  for (let at = 0; at < tokens.length; at++) {
    if (!STARTS_WITH_DIGIT.test(tokens[at]?.text ?? '')) continue;
    const group = ageAt(tokens, at) ?? sizeAt(tokens, at);
    if (group) return group;
  }
  return undefined;
}

/** Sizes that mean nothing else, and those that a number or a title may end with: "M". */
const LETTERS = /^(xx?s|x{1,4}l|[2-9]xl)$/;
const LAST_LETTERS = /^(xx?s|[sml]|x{1,4}l|[2-9]xl)$/;
/** "T38", "W32", "UK8", of men "40R" and of bras "85D". */
const CODE = /^((t|tg|gr|mt|uk|eu|us|w)\d{1,3}|\d{1,2}r|(2[89]|[3-9]\d|1[0-2]\d)[a-f]{1,2})$/;
const MAX_SIZE_CHARS = 5;
const REGION_WORD = /^(t|uk|eu|us|au|w)$/;
/** Adults' sizes, and how far the two of a pair are apart at most: "39-42", "W33/L32". */
const ADULT_SIZES = { min: 26, max: 62, range: 6 } as const;

const isAdultSize = (size: number): boolean => size >= ADULT_SIZES.min && size <= ADULT_SIZES.max;

function isSizeAt(tokens: readonly Token[], at: number): boolean {
  const { text = '' } = tokens[at] ?? {};
  if (text.length > MAX_SIZE_CHARS) return false;
  if (LETTERS.test(text) || CODE.test(text)) return true;
  const before = tokens[at - 1]?.text ?? '';
  const size = numberIn(tokens[at]);
  const isLast = at === tokens.length - 1;
  if (Number.isNaN(size))
    return (
      LAST_LETTERS.test(text) &&
      (SIZE_WORD.test(before) || (isLast && !STARTS_WITH_DIGIT.test(before)))
    );
  const next = tokens[at + 1];
  const isPair =
    /list|hyphen/.test(next?.before ?? '') &&
    Math.abs(numberIn(next) - size) <= ADULT_SIZES.range &&
    !CENTIMETRES.test(tokens[at + 2]?.text ?? '');
  const isNamed = SIZE_WORD.test(before) || REGION_WORD.test(before);
  return isNamed || (isAdultSize(size) && (isLast || isPair));
}

/** Whether a title ends with a size of clothes or shoes, or has one that means nothing else: things have none. */
export const hasSize = (tokens: readonly Token[]): boolean =>
  tokens.some((_, at) => isSizeAt(tokens, at)) || ageGroupOfSize(tokens) !== undefined;
