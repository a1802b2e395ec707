import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calibrationError } from '../../bench/statistics.ts';
import { measureTitles, PARTS, readLabelledRows } from '../../bench/titles.ts';
import { useFolder } from '../support/use-folder.ts';

const shared = await useFolder();

const truth = (title: string, truthLeaves: string[], region: string) => ({
  title,
  locale: 'en',
  truthLeaves,
  acceptedRegions: [region],
  notAGarment: truthLeaves.length === 0,
  acceptNotAGarment: false,
});
const titles = [
  ...['Wool scarf', 'Rain jacket', 'Leather belt', 'Silk tie', 'Denim skirt', 'Parka'].map(
    (title) =>
      truth(title, ['scarf', 'rain_jacket', 'belt', 'tie', 'skirt_light', 'parka'], 'accessory'),
  ),
  truth('Phone case', [], ''),
  truth('Blue jeans', ['sneakers'], 'shoes'),
];
mkdirSync(join(shared, 'eval', 'titles'), { recursive: true });
mkdirSync(join(shared, 'training'));
writeFileSync(
  join(shared, 'eval', 'titles', 'en.jsonl'),
  titles.map((row) => JSON.stringify(row)).join('\n'),
);
writeFileSync(
  join(shared, 'training', 'store-products.json'),
  JSON.stringify({
    products: [
      {
        ...truth('', ['tank_top'], 'top'),
        name: 'Zoe',
        categories: ['Women > Tops > Tanks'],
        titleOnlyAlsoAccepted: [],
      },
    ],
  }),
);

test('each title is in one part, whatever follows its first comma', () => {
  const parts = PARTS.map((part) => readLabelledRows(shared, part).map(({ row }) => row.title));
  expect(parts.flat().toSorted()).toEqual(
    [...titles.map(({ title }) => title), 'Zoe', 'Zoe'].toSorted(),
  );
});

test('answers are scored by set and together', () => {
  const all = PARTS.map((part) => measureTitles(shared, part).at(-1));
  const count = (holds: (each: NonNullable<(typeof all)[number]>) => number) =>
    Math.round(all.reduce((sum, each) => sum + (each ? holds(each) : 0), 0));
  expect(count(({ titles: n }) => n)).toBe(10);
  // All but the shop's bare "Zoe".
  expect(count(({ titles: n, answered }) => n * answered)).toBe(9);
  expect(count(({ titles: n, surelyWrong }) => n * surelyWrong)).toBe(1);
  expect(count(({ titles: n, answered, leaf }) => n * answered * leaf)).toBe(8);
});

test('a folder without titles has no rows', () => {
  expect(readLabelledRows(join(shared, 'none'), 'judging')).toEqual([]);
});

test('calibration error is the gap between confidence and accuracy', () => {
  const predictions = [0.9, 0.9, 0.9, 0.9].map((confidence, i) => ({ confidence, isRight: i > 0 }));
  expect(calibrationError(predictions)).toBeCloseTo(0.15);
});
