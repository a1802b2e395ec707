import { expect, test } from 'vitest';
import { readWritten, scoreBySet, WRITTEN_SETS } from '../../../bench/titles.ts';

test.each(WRITTEN_SETS)('%s: few wrong answers are sure, few things are garments', (set) => {
  const all = scoreBySet(readWritten(set)).at(-1);
  expect(all?.titles).toBeGreaterThan(90);
  expect(all?.answered).toBeGreaterThanOrEqual(0.95);
  expect(all?.leaf).toBeGreaterThanOrEqual(0.975);
  expect(all?.surelyWrong).toBeLessThanOrEqual(0.005);
  expect(all?.acceptedOfThings).toBeLessThanOrEqual(0.05);
});
