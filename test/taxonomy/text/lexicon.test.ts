import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  COLOUR_IDS,
  categories,
  dictionary,
  LOCALES,
  MATERIAL_IDS,
} from '../../../src/taxonomy/dictionary/schema.ts';
import { readTable } from '../../../src/taxonomy/tables.ts';
import { readWords } from '../../../src/taxonomy/text/lexicon-files.ts';
import { tokenize } from '../../../src/taxonomy/text/tokens.ts';

const FOLDER = new URL('../../../data/lexicon/', import.meta.url);
const FILES = readdirSync(FOLDER).map((name) => name.replace(/\.tsv$/, ''));
const WORD_FILES = FILES.filter((name) => !['refinements', 'google-nodes'].includes(name));
const folded = (phrase: string): string =>
  tokenize(phrase)
    .map(({ text }) => text)
    .join(' ');

describe.each(FILES)('data/lexicon/%s.tsv', (name) => {
  test('has three columns and perhaps a note in each line, and no line twice', () => {
    const lines = readTable(`lexicon/${name}`);
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.filter((line) => line.length < 3 || line.length > 4)).toEqual([]);
    expect(lines.filter((line) => line.some((cell) => cell !== cell.trim()))).toEqual([]);
    const keys = lines.map((line) => line.slice(0, 3).join('\t'));
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });
});

test.each(WORD_FILES)('every word of %s can be matched, in a language', (name) => {
  const words = readWords(name);
  expect(words.filter(({ languages }) => languages.length === 0)).toEqual([]);
  expect(words.filter(({ word }) => tokenize(word).length === 0)).toEqual([]);
});

describe.each(LOCALES)('names in %s', (locale) => {
  const owners = new Map<string, string>();
  const twice: string[] = [];
  for (const { languages, word, meaning } of readWords('names')) {
    if (!languages.includes(locale)) continue;
    const name = folded(word);
    if ((owners.get(name) ?? meaning) !== meaning) twice.push(name);
    owners.set(name, meaning);
  }

  test('name one category each', () => {
    expect(owners.size).toBeGreaterThan(100);
    expect(twice).toEqual([]);
  });

  test.each(['things', 'makers'])('are none of the %s', (file) => {
    const others = readWords(file).filter(({ languages }) => languages.includes(locale));
    expect(others.map(({ word }) => folded(word)).filter((name) => owners.has(name))).toEqual([]);
  });
});

test('every category that has names exists', () => {
  expect(readWords('names').filter(({ meaning }) => !categories.has(meaning))).toEqual([]);
});

test('every category of a Google node exists', () => {
  const ids = readTable('lexicon/google-nodes').flatMap(([, , filed = '']) => filed.split(' '));
  expect(
    ids.filter((id) => id !== '-' && !id.startsWith('region:') && !categories.has(id)),
  ).toEqual([]);
});

test('every hint of a refinement has words, or is a material or a colour', () => {
  const known = new Set([
    ...readWords('attributes').map(({ meaning }) => meaning),
    ...MATERIAL_IDS.map((id) => `material:${id}`),
    ...COLOUR_IDS.map((id) => `colour:${id}`),
    ...dictionary.attributes.sleeveLength.map(({ id }) => `sleeveLength:${id}`),
  ]);
  const hints = readTable('lexicon/refinements').flatMap(([, when = '']) => when.split(' '));
  expect(hints.filter((hint) => !known.has(hint))).toEqual([]);
});
