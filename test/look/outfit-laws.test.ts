import { expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { outfitFaults } from './outfit-laws.ts';
import { createChance } from './wardrobes.ts';

const model = readModel(PARAMS);

test('random small wardrobes are answered as the laws of outfits say', () => {
  for (let seed = 1; seed <= 40; seed++)
    expect(outfitFaults(model, createChance(seed)).faults, `seed ${seed}`).toEqual([]);
});
