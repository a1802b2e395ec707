import { describe, expect, test } from 'vitest';
import { dryHeat } from '../../../src/look/comfort/heat.ts';
import { situationOf, toRequest, unsignedTargets } from '../../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { TargetsRequest } from '../../../src/look/schema.ts';
import golden from '../../fixtures/look-golden.json' with { type: 'json' };

const model = readModel(PARAMS);
const REGIONS = ['top', 'outerwear', 'dress', 'bottom', 'shoes', 'accessory'] as const;

describe('targets agree with the golden vectors to 1e-9', () => {
  test.each(golden.cases.map(({ in: given, out }) => [JSON.stringify(given), given, out] as const))(
    '%s',
    (_, given, out) => {
      const request = TargetsRequest.parse(given);
      const { outdoor, indoor, isHot, indoorTempC } = situationOf(model, request);
      const indoorPairs: [number, number][] = [
        [indoor.iclRequired, out.iclIndoor],
        ...REGIONS.map((region): [number, number] => [
          indoor.regions[region],
          out.regionalIndoor[region],
        ]),
      ];
      const pairs: [number, number][] = [
        [outdoor.climate.iA, out.iA],
        [outdoor.climate.kHumidity, out.kHumidity],
        [dryHeat(outdoor.climate, outdoor.iclResultant), out.hEff],
        [outdoor.iclResultant, out.iclResultant],
        [outdoor.iclRaw, out.iclRaw],
        [outdoor.iclRequired, out.icl],
        [indoorTempC, out.indoorTempC],
        // In a room, the vectors are of at most 1.4 met; work beyond a walk has its own since.
        ...(request.met > model.k.indoor.walkMet ? [] : indoorPairs),
        ...REGIONS.map((region): [number, number] => [
          outdoor.regions[region],
          out.regional[region],
        ]),
      ];
      for (const [actual, expected] of pairs) expect(actual).toBeCloseTo(expected, 9);
      expect(isHot).toBe(out.isHotRegime);
    },
  );
});

test('the request can be restored from its targets', () => {
  const request = TargetsRequest.parse({
    weather: { tempC: 3.3, windMs: 4, humidityPct: 71, condition: 'Heavy Rain', isDay: false },
    met: 1.7,
    occasion: 'work',
    cloOffset: 0.2,
    userProfile: { offsetC: 1.2, sensitivity: 1.5, coldHands: true, regionOffsetC: { feet: -1 } },
  });
  const targets = unsignedTargets(model, situationOf(model, request));
  const again = situationOf(model, toRequest({ ...targets, digest: '' }));
  expect(unsignedTargets(model, again)).toEqual(targets);
});
