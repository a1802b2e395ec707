import { ok } from 'node:assert/strict';
import { classifyText } from '../../src/taxonomy/text/classify-text.ts';
import type { Input } from './target.ts';

export const dictionary = [
  'jacke',
  'shirt',
  '100% ',
  'wolle',
  'Apparel & Accessories > ',
  'damen',
  '\n',
];

export const seeds: readonly Input[] = [
  "Men's Wool Coat, 80% Wolle\nCoats & Jackets\n212\nA warm coat. Lining: 100% viscose.",
  'Damen T-Shirt aus Bio-Baumwolle\n\n\n',
  'Camicia d\u2019uomo\nApparel & Accessories > Clothing > Shirts\n5322\n',
  '\u0130\u00df\u0301%%%\n1\n9999999999\n\u{1f9e5}',
];

export const regressions: readonly Input[] = ['jackeDamen T-Shirt aus Bio-Baumwolle\n\n\n'];

/** Lines are the columns of a row; the probabilities of all categories are positive and sum to 1. */
export function fuzz(input: Buffer): void {
  const [title = '', product_type = '', google_product_category = '', ...rest] = input
    .toString()
    .split('\n');
  const row = { title, product_type, google_product_category, description: rest.join('\n') };
  const { categories, notGarment } = classifyText(row);
  for (const share of [...categories, notGarment]) ok(share > 0 && share < 1, `${share}`);
  const sum = categories.reduce((a, b) => a + b, notGarment);
  ok(Math.abs(sum - 1) < 1e-9, `${sum}`);
}
