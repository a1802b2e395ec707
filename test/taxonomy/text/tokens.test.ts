import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Locale } from '../../../src/taxonomy/dictionary/schema.ts';
import { splitCompound } from '../../../src/taxonomy/text/compounds.ts';
import { stem } from '../../../src/taxonomy/text/stem.ts';
import { tokenize } from '../../../src/taxonomy/text/tokens.ts';

const words = (text: string) => tokenize(text).map((token) => token.text);

describe('tokens', () => {
  test.each([
    ["Men's T-Shirt", ['mens', 't', 'shirt']],
    ['Piuma d’oca', ['piuma', 'd', 'oca']],
    ['Größe: Öl/Weiß', ['grosse', 'ol', 'weiss']],
    ['cœur e\u0301te\u0301', ['coeur', 'ete']],
    ['80% Wolle, 20 % Polyamid', ['80', '%', 'wolle', '20', '%', 'polyamid']],
    ['Levi’s® 501™', ['levis', '501']],
    ['ジャケット black', ['black']],
    ['', []],
  ])('of %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('a dash separates, a hyphen joins, a full stop ends a sentence but not a number', () => {
    const gaps = tokenize('T-Shirt - blue, 2.5 cm. New').map(({ before }) => before);
    expect(gaps).toEqual(['sentence', 'hyphen', 'break', 'break', 'space', 'space', 'sentence']);
  });

  test('every token is at its span, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const token of tokenize(text)) {
          expect(words(text.slice(token.start, token.end))).toEqual([token.text]);
        }
      }),
    );
  });
});

test.each<[Locale, string, string]>([
  ['en', 'dress', 'dresses'],
  ['en', 'hoodie', 'hoodies'],
  ['en', 'tie', 'ties'],
  ['en', 'watch', 'watches'],
  ['de', 'jacke', 'jacken'],
  ['de', 'rock', 'rocke'],
  ['de', 'kleid', 'kleider'],
  ['fr', 'manteau', 'manteaux'],
  ['fr', 'robe', 'robes'],
  ['fr', 'noir', 'noires'],
  ['es', 'pantalon', 'pantalones'],
  ['es', 'camiseta', 'camisetas'],
  ['it', 'giacca', 'giacche'],
  ['it', 'pantalone', 'pantaloni'],
  ['it', 'camicia', 'camicie'],
  ['nl', 'broek', 'broeken'],
  ['nl', 'jas', 'jassen'],
  ['nl', 'laars', 'laarzen'],
  ['nl', 'muts', 'mutsen'],
])('%s: %s and %s share a stem', (locale, one, many) => {
  expect(stem(many, locale)).toBe(stem(one, locale));
});

test.each<[Locale, string, string]>([
  ['en', 'short', 'shorts'],
  ['de', 'cap', 'cape'],
  ['es', 'gorro', 'gorra'],
])('%s: %s and %s do not', (locale, one, other) => {
  expect(stem(other, locale)).not.toBe(stem(one, locale));
});

describe('compounds', () => {
  test.each<[Locale, string, string, string[]]>([
    ['de', 'herrenwinterjacke', 'down_jacket', ['gender:male']],
    ['de', 'wollschal', 'scarf', ['wool']],
    ['de', 'kinderregenhose', 'rain_trousers', ['ageGroup:kids']],
    ['de', 'dunkelgrun', 'green', ['tone:dark']],
    ['nl', 'damesblazer', 'blazer', ['gender:female']],
    ['nl', 'herenregenbroek', 'rain_trousers', ['gender:male']],
    ['nl', 'zomerrok', 'skirt_light', ['season:summer']],
    ['en', 'woolscarf', 'scarf', ['wool']],
  ])('%s: %s is a %s', (locale, word, head, before) => {
    const compound = splitCompound(word, locale);
    expect(compound?.head.map(({ id }) => id)).toContain(head);
    expect(compound?.modifiers.map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  });

  test.each<[Locale, string]>([
    ['de', 'barock'],
    ['de', 'trinkflaschenhalter'],
    ['de', 'niemandsbody'],
    ['nl', 'laptop'],
    ['nl', 'qwjas'],
    ['en', 'unbelted'],
    ['fr', 'surpantalons'],
  ])('%s: %s is none', (locale, word) => {
    expect(splitCompound(word, locale)).toBeUndefined();
  });
});
