import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { LAWS, requestFrom } from './laws.ts';

const model = readModel(PARAMS);
// Of doubles between 0 and 1 nearly all are next to nothing; parts of a million spread evenly.
const unit = fc.integer({ min: 0, max: 1_000_000 }).map((parts) => parts / 1_000_000);
const requests = fc.array(unit, { minLength: 20, maxLength: 20 }).map(requestFrom);

describe('over the whole accepted box', () => {
  test.each(Object.entries(LAWS))('%s', (_, law) => {
    fc.assert(
      fc.property(requests, unit, (request, step) => {
        expect(law(model, request, step)).toBeUndefined();
      }),
      { numRuns: 1500 },
    );
  });
});

describe('a law notices when it is broken', () => {
  const spoilt = (key: string, value: number) =>
    readModel({
      ...PARAMS,
      coefficients: PARAMS.coefficients.map((row) => (row.key === key ? { ...row, value } : row)),
    });

  test.each([
    ['drier air asks for more', 'sweat.diffusion', -3],
    ['windier asks for more', 'air.convection', -2],
    ['less sun asks for more', 'air.radiation', -1],
    ['a part that feels colder asks for more', 'region.perK', -0.08],
    ['all results are finite and within bounds', 'wear.airRef', -8],
    ['a kelvin moves the need by at most 0.6 clo', 'unit.cloSi', 0.05],
  ])('%s, with %s at %d', (name, key, value) => {
    const broken = fc.check(
      fc.property(requests, unit, (request, step) => {
        return LAWS[name]?.(spoilt(key, value), request, step) === undefined;
      }),
      { numRuns: 2000, seed: 1 },
    );
    expect(broken.failed).toBe(true);
  });
});
