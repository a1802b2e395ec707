import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { columnNames, columnOf, plainName } from '../../src/feed-formats/columns.ts';
import { EXPORT_NAMES, PRESETS } from '../../src/feed-formats/mapping.ts';

const [heading, ...lines] = readFileSync(
  new URL('../../data/feeds/columns.tsv', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

/** What a line may name, by export; the columns of Google are those that it knows by their own name. */
const isColumn = (of: string, column: string): boolean => {
  if (of === 'google') return columnOf(column) === column;
  if (of === 'nested') return ['around', 'picture', 'address'].includes(column);
  return column in PRESETS.shopify;
};

test('data/feeds/columns.tsv has lines of an export, a column and its names, each once', () => {
  expect(heading).toEqual(['export', 'column', 'names']);
  const known = ['google', 'plain', 'nested', ...EXPORT_NAMES];
  const wrong = lines.filter(([of = '', column = '', names = '', ...more]) => {
    const isLine = known.includes(of) && isColumn(of, column) && names !== '' && !more.length;
    return !isLine || names.split(' ').some((name) => plainName(name) === '');
  });
  expect(wrong).toEqual([]);
  for (const [of = '', column = ''] of lines) {
    const names = columnNames(of, column);
    expect(names, `${of} ${column}`).toEqual([...new Set(names)]);
  }
});

test('every export has an id and an image, and no name of Google is that of two columns', () => {
  for (const { id, image } of Object.values(PRESETS))
    expect([id.length, image.length]).not.toContain(0);
  const names = lines.filter(([of]) => of === 'google').map(([, column = '']) => column);
  for (const column of new Set(names)) {
    for (const name of columnNames('google', column)) expect(columnOf(name)).toBe(column);
  }
});
