import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classify } from '../../src/taxonomy/classify.ts';
import { COLOUR_IDS } from '../../src/taxonomy/dictionary/schema.ts';
import { familyOfHex } from '../../src/taxonomy/photo/color.ts';
import { DEFAULT_SETTINGS } from '../../src/taxonomy/request-schema.ts';
import { readWords } from '../../src/taxonomy/text/lexicon-files.ts';

/** Colours of fashion by name, and the families that people may call them. */
const COLOURS = readFileSync(new URL('../fixtures/naming/colours.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [name: string, hex: string, families: string]);

test('of 150 named colours, 95 % have a right family', () => {
  const wrong = COLOURS.filter(
    ([, hex, right]) => !right.split('|').includes(familyOfHex(hex) ?? ''),
  );
  expect(COLOURS.length).toBeGreaterThan(149);
  expect(wrong.length, wrong.join('; ')).toBeLessThanOrEqual(0.05 * COLOURS.length);
});

test.each(['#a67c6d', '#8f6a5c', '#b08b78', '#7d5548', '#a57164', '#8b5e52'])(
  'brown leather in light and shadow (%s) is brown or tan',
  (hex) => {
    expect(['brown', 'tan']).toContain(familyOfHex(hex));
  },
);

test('every word for a colour names a family, which a title has', () => {
  const words = readWords('colours');
  expect(words.filter(({ meaning }) => !COLOUR_IDS.includes(meaning))).toEqual([]);
  const unread = words.filter(({ languages, word, meaning }) => {
    const attributes = { title: 'T-shirt', color: word, language: languages[0] };
    const { attributes: found } = classify({
      attributes,
      options: DEFAULT_SETTINGS,
      fallbackId: 'row',
    });
    return found.colors[0]?.family !== meaning;
  });
  expect(unread.map(({ word, meaning }) => `${word}: ${meaning}`)).toEqual([]);
});
