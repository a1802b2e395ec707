import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATEGORY_IDS, categories, groups, LOCALES } from '../../src/taxonomy/dictionary/schema.ts';
import { IMAGE_CLASSES } from '../../src/taxonomy/photo/image-classes.ts';
import { REVIEW_REASONS } from '../../src/taxonomy/response-schema.ts';
import { readTable } from '../../src/taxonomy/tables.ts';
import { readWords } from '../../src/taxonomy/text/lexicon-files.ts';

const FOLDER = new URL('../../data/taxonomy/', import.meta.url);

test.each(readdirSync(FOLDER))(
  'data/taxonomy/%s has no line twice and no blank at an edge',
  (file) => {
    const lines = readTable(`taxonomy/${file.replace(/\.tsv$/, '')}`);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => line.some((cell) => cell !== cell.trim()))).toEqual([]);
    const keys = lines.map((line) => line.slice(0, file === 'rules.tsv' ? 2 : 1).join('\t'));
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  },
);

describe('data/taxonomy/rules.tsv', () => {
  const THINGS = new Set(readWords('things').map(({ meaning }) => meaning));
  const rules = readTable('taxonomy/rules');
  const named = rules.map(([rule = '', name = '', values = '']) => [rule, name, values] as const);

  test.each(named)('%s %s: every value exists', (rule, _, values) => {
    const known = (value: string): boolean =>
      rule === 'things' ? THINGS.has(value) || value === 'holder' : categories.has(value);
    expect(values.split(' ').filter((value) => value !== '+' && !known(value))).toEqual([]);
  });

  test('names are groups, sets or words after their language', () => {
    const isName = (name: string): boolean =>
      groups.has(name) || LOCALES.some((locale) => name.startsWith(`${locale} `));
    const names = named.filter(([rule]) => /^(stands for|may be|mostly)$/.test(rule));
    expect(names.length).toBeGreaterThan(10);
    expect(names.map(([, name]) => name).filter((name) => !isName(name))).toEqual([]);
    const sets = named.filter(([rule, name]) => rule === 'set' && name !== 'names');
    expect(sets.filter(([, name]) => !categories.has(name))).toEqual([]);
  });
});

test('each category has a line in photo-classes.tsv, whose shares are of classes and sum to 1 at most', () => {
  const rows = readTable('taxonomy/photo-classes');
  expect(rows.map(([id]) => id).sort()).toEqual([...CATEGORY_IDS, 'none'].sort());
  const classes: readonly string[] = IMAGE_CLASSES;
  for (const [id, frequency, seenAs = '', alone = ''] of rows) {
    const shares = seenAs.split(' ').map((each) => each.split(':'));
    expect(shares.filter(([name = '']) => !classes.includes(name))).toEqual([]);
    const sum = shares.reduce((total, [, share]) => total + Number(share), 0);
    expect(sum, id).toBeGreaterThan(0.4);
    expect(sum, id).toBeLessThanOrEqual(1.0001);
    expect(alone, id).toMatch(/^(1|0?\.\d+)?$/);
    expect(Number(frequency), id).toBeGreaterThanOrEqual(id === 'none' ? 0 : 0.1);
  }
});

test('texts.tsv has every reason and warning in six languages', () => {
  const rows = readTable('taxonomy/texts');
  const keys = [
    ...REVIEW_REASONS.map((code) => `review.${code}`),
    'column.unknown',
    'column.unrecognised',
  ];
  expect(rows.map(([key]) => key).sort()).toEqual(keys.sort());
  expect(rows.filter((row) => row.filter(Boolean).length !== LOCALES.length + 1)).toEqual([]);
  const warnings = rows.filter(([key = '']) => key.startsWith('column.'));
  expect(warnings.flat().filter((text) => text.includes('{column}')).length).toBe(12);
});
