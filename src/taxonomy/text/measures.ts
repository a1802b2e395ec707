import { categories } from '../dictionary/schema.ts';
import type { Naming } from './features.ts';
import { grammarWords } from './lexicon-files.ts';

/** Clothes are not sold in so many pieces; a year is no number of them. */
const BULK = { min: 40, max: 1500 } as const;

/** "100 pcs", "x100": what is sold by the hundred is no garment. */
export const isBulk = ({ field: { tokens } }: Naming): boolean =>
  tokens.some(({ text }, at) => {
    if (!/\d/.test(text)) return false;
    const [, times, digits, unit] = /^(x?)(\d{2,4})([a-z]*)$/.exec(text) ?? [];
    const count = Number(digits);
    if (!digits || count < BULK.min || count > BULK.max) return false;
    return times === 'x'
      ? unit === ''
      : grammarWords('pieces', 'en').has(unit || (tokens[at + 1]?.text ?? ''));
  });

/** A side of what is laid or hung, in centimetres: "32x34" is a size of trousers. */
const MIN_AREA_SIDE = 45;
const AREA = /(\d{2,4})(?:[.,]\d+)? ?(?:cm)? ?[x×] ?(\d{2,4})/i;

/** "300 ml", "1600 W", "140 x 200": clothes are not sold so. */
export function isMeasured({ field: { text, tokens }, mention: { match } }: Naming): boolean {
  const { id } = match.entry;
  const region = categories.get(id)?.region;
  if (region === 'accessory') return false;
  const [, width = 0, height = 0] = AREA.exec(text) ?? [];
  if (Math.max(Number(width), Number(height)) >= MIN_AREA_SIDE) return true;
  const isThick = id !== 'swimwear' && region !== 'shoes';
  return tokens.some(({ text: word }, at) => {
    const [, digits = '', own = ''] = /^(\d+)([a-z]*)$/.exec(word) ?? [];
    const unit = own || (tokens[at + 1]?.text ?? '');
    if (grammarWords('format', 'en').has(word)) return true;
    if (unit === 'w') return digits.length > 2;
    return (
      digits !== '' &&
      (grammarWords('unit', 'en').has(unit) ||
        (isThick && grammarWords('thickness', 'en').has(unit)))
    );
  });
}
