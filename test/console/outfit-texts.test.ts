import { expect, test } from 'vitest';
import {
  formatNumber,
  REGIONS,
  regionName,
  SHELL_REASONS,
  say,
  shellReasons,
  TEXTS,
} from '../../src/console/browser/outfit-texts.js';
import { REGION_NAMES } from '../../src/look/texts/explanations.ts';
import { LOCALES } from '../../src/taxonomy/dictionary/schema.ts';

const all: [string, Readonly<Record<string, string>>][] = Object.entries({
  ...TEXTS,
  ...REGIONS,
  ...SHELL_REASONS,
});

const placeholders = (text = ''): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

test.each(all)('%s is in every language, with the same values', (_, text) => {
  expect(Object.keys(text).sort()).toEqual([...LOCALES].sort());
  for (const locale of LOCALES) {
    expect(text[locale]).toMatch(/\S/);
    expect(placeholders(text[locale])).toEqual(placeholders(text.en));
  }
});

test('every region of a response has a name that fits under its bar', () => {
  expect(Object.keys(REGIONS).sort()).toEqual(Object.keys(REGION_NAMES).sort());
  for (const text of Object.values(REGIONS))
    for (const name of Object.values(text)) expect(name.length).toBeLessThan(12);
});

test('values are filled in; a language that is none is English', () => {
  expect(say('de', 'score', { score: 91 })).toBe('91 von 100');
  expect(say('xx', 'score', { score: 91 })).toBe('91 of 100');
  expect(regionName('nl', 'outerwear')).toBe('Jas');
  expect(regionName('nl', 'elbow')).toBe('elbow');
  expect(formatNumber('fr', 0.5, 2)).toBe('0,50');
});

test('reasons for more clothes are one list; codes without words are left out', () => {
  const reasons = ['colder-outside', 'rain', 'wind', 'no-sufficient-outerwear'];
  expect(shellReasons('de', reasons)).toBe('kälter, nass und windig');
  expect(shellReasons('es', reasons)).toBe('hace más frío, hay precipitaciones y hace viento');
  expect(shellReasons('en', ['wind'])).toBe('windy');
});
