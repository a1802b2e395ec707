import { describe, expect, test } from 'vitest';
import { categories, LOCALES } from '../../../src/taxonomy/dictionary/schema.ts';
import { BRANDS, SPORTS_BRANDS } from '../../../src/taxonomy/text/brands.ts';
import { MORE_NAMES } from '../../../src/taxonomy/text/names.ts';
import { NOT_GARMENTS } from '../../../src/taxonomy/text/not-garments.ts';
import { tokenize } from '../../../src/taxonomy/text/tokens.ts';

const split = (words: string | undefined): string[] => (words ?? '').split('|').filter(Boolean);
const folded = (phrase: string): string =>
  tokenize(phrase)
    .map(({ text }) => text)
    .join(' ');

describe.each(LOCALES)('additional names in %s', (locale) => {
  const owners = new Map<string, string>();
  const twice: string[] = [];
  for (const [id, words] of Object.entries(MORE_NAMES)) {
    for (const name of split(words[locale]).map(folded)) {
      if ((owners.get(name) ?? id) !== id) twice.push(`${name}: ${owners.get(name)}, ${id}`);
      owners.set(name, id);
    }
  }

  test('name one category each', () => {
    expect(owners.size).toBeGreaterThan(100);
    expect(twice).toEqual([]);
  });

  test('are none of the things that are no garment', () => {
    const others = split(NOT_GARMENTS[locale]).map(folded);
    expect(others.filter((name) => owners.has(name))).toEqual([]);
  });

  test('are no makers', () => {
    const makers = [...split(BRANDS), ...split(SPORTS_BRANDS)].map(folded);
    expect(makers.filter((name) => owners.has(name))).toEqual([]);
  });
});

test('every category with additional names exists', () => {
  expect(Object.keys(MORE_NAMES).filter((id) => !categories.has(id))).toEqual([]);
});
