import { expect, test } from 'vitest';
import { fitSecondOpinion, quantised } from '../../../bench/fit-second-opinion.ts';
import { CATEGORY_IDS } from '../../../src/taxonomy/dictionary/schema.ts';
import {
  CLASS_COUNT,
  classProbabilities,
  rowsOf,
} from '../../../src/taxonomy/text/second-opinion.ts';
import { tokenize } from '../../../src/taxonomy/text/tokens.ts';

test('fitting learns the names of the dictionary, and one byte a weight is enough', () => {
  const model = fitSecondOpinion([], 1);
  const rows = rowsOf(tokenize('Zyxo wool poncho'));
  for (const each of [model, quantised(model)]) {
    const probabilities = classProbabilities(rows, each);
    expect(probabilities).toHaveLength(CLASS_COUNT);
    expect(probabilities.reduce((a, b) => a + b)).toBeCloseTo(1);
    const best = probabilities.indexOf(Math.max(...probabilities));
    expect(CATEGORY_IDS[best]).toBe('cape_poncho');
  }
});
