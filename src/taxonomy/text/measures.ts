import { categories } from '../dictionary/schema.ts';
import { amountsIn, isPieces } from './amounts.ts';
import type { Naming } from './features.ts';
import { grammarWords } from './lexicon-files.ts';

/** Clothes are not sold in so many pieces; a year is no number of them. */
const BULK = { min: 40, max: 1500 } as const;

/** "100 pcs", "x100": what is sold by the hundred is no garment. */
export const isBulk = ({ field: { tokens } }: Naming): boolean =>
  amountsIn(tokens).some(
    ({ count, unit, isTimes }) =>
      count >= BULK.min && count <= BULK.max && (isTimes || isPieces(unit)),
  );

/** A side of what is laid or hung, in centimetres: "32x34" is a size of trousers. */
const MIN_AREA_SIDE = 45;
const AREA = /(\d{2,4})(?:[.,]\d+)? ?(?:cm)? ?[x×] ?(\d{2,4})/i;
/** Bulbs have more watts than this; "30 W" is a width of trousers. */
const MAX_WIDTH = 99;

/** "300 ml", "1600 W", "140 x 200": clothes are not sold so. */
export function isMeasured({ field: { text, tokens }, mention: { match } }: Naming): boolean {
  const { id } = match.entry;
  const region = categories.get(id)?.region;
  if (region === 'accessory') return false;
  const [, width = 0, height = 0] = AREA.exec(text) ?? [];
  if (Math.max(Number(width), Number(height)) >= MIN_AREA_SIDE) return true;
  if (tokens.some((token) => grammarWords('format', 'en').has(token.text))) return true;
  const isThick = id !== 'swimwear' && region !== 'shoes';
  return amountsIn(tokens).some(({ count, unit }) =>
    unit === 'w'
      ? count > MAX_WIDTH
      : grammarWords('unit', 'en').has(unit) ||
        (isThick && grammarWords('thickness', 'en').has(unit)),
  );
}
