import { expect, test } from 'vitest';
import { Occasion } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { OCCASION_IDS } from '../../src/taxonomy/dictionary/schema.ts';
import { readTable } from '../../src/taxonomy/tables.ts';

const rows = readTable('taxonomy/occasion-words').map(([id = '', words = '']) => ({
  id,
  words: words.split(', '),
}));

/** What the error of an unknown occasion suggests. */
function adviceFor(word: string): string {
  const [issue] = Occasion.safeParse(word).error?.issues ?? [];
  const { advice } = (issue as { params?: { advice?: () => string } })?.params ?? {};
  return advice?.() ?? '';
}

test('every occasion has words, and no word is of two', () => {
  expect(rows.map(({ id }) => id)).toEqual(OCCASION_IDS);
  const words = rows.flatMap((row) => [...new Set(row.words)]);
  expect(words.filter((word, at) => words.indexOf(word) < at)).toEqual([]);
});

test.each([
  ['gym', 'sport'],
  ['Fitness', 'sport'],
  ['wedding', 'ceremony'],
  ['Hochzeit', 'ceremony'],
  ['job interview', 'business_formal'],
  ['Büro', 'work'],
  ['buro', 'work'],
  ['randonnée', 'outdoor'],
  ['piscina', 'beach'],
  ['night-out', 'party'],
  ['Arbeit', 'work'],
  ['vakantie', 'travel'],
])('%s is no occasion, and %s is suggested first', (word, id) => {
  expect(adviceFor(word)).toMatch(new RegExp(`^nearest: \`${id}\`, `));
});

test('a misspelt occasion is found by its letters', () => {
  expect(adviceFor('bussines_formal')).toMatch(/^nearest: `business_formal`/);
});
