import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { computeTargets } from '../../src/look/comfort/signed-targets.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { someOf } from '../support/many.ts';
import { recompute } from './independent/recompute.ts';
import { requestFrom } from './properties.ts';
import { createRandom } from './wardrobes.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k1:a-secret-of-the-test');
const paramsText = JSON.stringify(PARAMS);
const HALF_OF_LAST = { three: 0.0005 + 1e-9, one: 0.05 + 1e-9 };

test('a client with only /params computes the same targets for random requests', () => {
  const { next } = createRandom(20261120);
  const drawn = Array.from({ length: 1000 }, () => Array.from({ length: 20 }, next));
  for (const request of someOf(drawn, 10).map(requestFrom)) {
    const ours = computeTargets(model, keys, request);
    const theirs = recompute(paramsText, request);
    const near = (name: string, rounded: number | undefined, exact: number, within: number) => {
      const apart = Math.abs((rounded ?? Number.NaN) - exact);
      expect(apart, `${name}: ${rounded} or ${exact} for ${JSON.stringify(request)}`).toBeLessThan(
        within,
      );
    };
    const { targets, indoorTargets } = ours;
    near('iA', targets.iA, theirs.outdoor.iA, HALF_OF_LAST.three);
    near('kHumidity', targets.kHumidity, theirs.outdoor.kHumidity, HALF_OF_LAST.three);
    near('hEff', targets.hEff, theirs.outdoor.hEff, HALF_OF_LAST.one);
    near('indoorTempC', ours.indoorTempC, theirs.indoorTempC, HALF_OF_LAST.three);
    for (const name of ['iclRequired', 'iclResultant', 'iclRaw', 'sumIclu'] as const)
      near(name, targets.total[name], theirs.outdoor[name], HALF_OF_LAST.three);
    near('indoor', indoorTargets.total?.iclRequired, theirs.indoor.iclRequired, HALF_OF_LAST.three);
    for (const name of ['top', 'outerwear', 'dress', 'bottom', 'shoes', 'accessory'] as const) {
      const { regionalTargets } = targets;
      near(name, regionalTargets[name], theirs.outdoor.regions[name], HALF_OF_LAST.three);
      const inside = indoorTargets.regionalTargets?.[name];
      near(`indoor ${name}`, inside, theirs.indoor.regions[name], HALF_OF_LAST.three);
    }
    expect(targets.thermalProfile).toBe(theirs.label);
    expect(ours.isHotRegime).toBe(theirs.isHot);
  }
});

test('the independent computation imports nothing', () => {
  const text = readFileSync(join(import.meta.dirname, 'independent/recompute.ts'), 'utf8');
  expect(text).toContain('export function recompute');
  expect(text).not.toMatch(/^import|import\(|require\(/m);
});
