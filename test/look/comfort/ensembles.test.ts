import { expect, test } from 'vitest';
import { situationOf } from '../../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { createScoringContext } from '../../../src/look/scoring/context.ts';
import { thermalSensation } from '../../../src/look/scoring/explain.ts';
import { sumEnsemble } from '../../../src/look/scoring/score.ts';
import { assembleEnsemble, mapEnsemble } from '../../../src/look/wardrobe/ensemble.ts';
import { readGarment } from '../../../src/look/wardrobe/garment-clo.ts';

/** Ensembles that people wear in buildings and their insulation, clo. Source: ASHRAE 55-2020, table 5-3. */
// biome-ignore format: a table reads best aligned
const ENSEMBLES: readonly (readonly [name: string, clo: number, categories: readonly string[]])[] = [
  ['walking shorts, short-sleeve shirt',                   0.36, ['short_sleeve_shirt', 'shorts', 'sandals']],
  ['knee-length skirt, short-sleeve shirt, sandals',       0.54, ['short_sleeve_shirt', 'skirt_light', 'sandals']],
  ['trousers, short-sleeve shirt',                         0.57, ['short_sleeve_shirt', 'trousers', 'dress_shoes']],
  ['trousers, long-sleeve shirt',                          0.61, ['shirt', 'trousers', 'dress_shoes']],
  ['knee-length skirt, long-sleeve shirt, full slip',      0.67, ['shirt', 'skirt_heavy', 'flats']],
  ['sweat pants, long-sleeve sweatshirt',                  0.74, ['sweatshirt', 'joggers', 'sneakers']],
  ['trousers, long-sleeve shirt, suit jacket',             0.96, ['dress_shirt', 'dress_trousers', 'blazer', 'dress_shoes']],
  ['trousers, long-sleeve shirt, sweater, T-shirt',        1.01, ['undershirt', 'shirt', 'thick_sweater', 'dress_trousers', 'dress_shoes']],
  ['knee-length skirt, long-sleeve shirt, suit jacket',    1.04, ['shirt', 'skirt_heavy', 'blazer', 'tights', 'flats']],
];

const model = readModel(PARAMS);

/** Insulation of an outfit, clo, as `/outfits` explains it. */
function cloOf(categories: readonly string[]): number {
  const situation = situationOf(model, {
    weather: { tempC: 22, windMs: 0, humidityPct: 50, condition: 'cloudy' },
    met: 1.2,
  });
  const garments = categories.map((category, i) => readGarment(model, { id: `i${i}`, category }));
  const ensemble = assembleEnsemble(model, garments);
  if (typeof ensemble === 'string') throw new Error(ensemble);
  const context = createScoringContext(model, situation, 'indoor');
  const sums = sumEnsemble(context, mapEnsemble(ensemble, context.toWornItem));
  return thermalSensation(context, sums).icl;
}

test.each(ENSEMBLES)('%s: %d clo, within .12 clo', (_, clo, categories) => {
  expect(Math.abs(cloOf(categories) - clo)).toBeLessThan(0.12);
});

test('the mean error over these ensembles is at most .06 clo', () => {
  const errors = ENSEMBLES.map(([, clo, categories]) => Math.abs(cloOf(categories) - clo));
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.06);
});
