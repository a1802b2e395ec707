import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { randomRuns } from '../support/many.ts';
import { PROPERTIES, requestFrom } from './properties.ts';

const model = readModel(PARAMS);
// Random doubles between 0 and 1 are mostly close to 0; millionths are spread evenly.
const unit = fc.integer({ min: 0, max: 1_000_000 }).map((parts) => parts / 1_000_000);
const requests = fc.array(unit, { minLength: 20, maxLength: 20 }).map(requestFrom);

describe('over the whole range of inputs', () => {
  test.each(Object.entries(PROPERTIES))('%s', (_, property) => {
    fc.assert(
      fc.property(requests, unit, (request, step) => {
        const broken = property(model, request, step);
        // Tens of thousands of `expect` take longer than what they look at.
        if (broken !== undefined) throw new Error(broken);
      }),
      randomRuns(1500),
    );
  });
});

describe('a property fails if the model is broken', () => {
  const modelWith = (key: string, value: number) =>
    readModel({
      ...PARAMS,
      coefficients: PARAMS.coefficients.map((row) => (row.key === key ? { ...row, value } : row)),
    });

  test.each([
    ['drier air needs more', 'sweat.diffusion', -3],
    ['windier needs more', 'air.convection', -2],
    ['less sun needs more', 'air.radiation', -1],
    ['a part that feels colder needs more', 'region.perK', -0.08],
    ['all results are finite and within bounds', 'wear.airRef', -8],
    ['a kelvin moves the need by at most 0.65 clo', 'unit.cloSi', 0.05],
  ])('%s, with %s at %d', (name, key, value) => {
    const broken = fc.check(
      fc.property(requests, unit, (request, step) => {
        return PROPERTIES[name]?.(modelWith(key, value), request, step) === undefined;
      }),
      { numRuns: 2000, seed: 1, endOnFailure: true },
    );
    expect(broken.failed).toBe(true);
  });
});
