import { expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { outfitViolations } from './outfit-properties.ts';
import { createRandom } from './wardrobes.ts';

const model = readModel(PARAMS);

test('responses to random small wardrobes have all properties of outfits', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const maxItems = seed % 2 === 0 ? 29 : 8;
    const { violations } = outfitViolations(model, createRandom(seed), maxItems);
    expect(violations, `seed ${seed}`).toEqual([]);
  }
});
