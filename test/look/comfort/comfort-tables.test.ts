import { describe, expect, test } from 'vitest';
import {
  type Climate,
  dryHeat,
  indoorClimate,
  neutralIcl,
  outdoorClimate,
  totalInsulation,
} from '../../../src/look/comfort/heat.ts';
import { windChillC } from '../../../src/look/comfort/weather.ts';
import { PARAMS, type ParamsDocument, readModel } from '../../../src/look/params.ts';
import pmvTable from '../../fixtures/comfort/pmv-ppd.json' with { type: 'json' };
import setTable from '../../fixtures/comfort/set.json' with { type: 'json' };
import utciTable from '../../fixtures/comfort/utci.json' with { type: 'json' };
import chillTable from '../../fixtures/comfort/wind-chill.json' with { type: 'json' };
import ireq from '../../fixtures/ireq.json' with { type: 'json' };
import { pmv, ppd } from '../reference/iso-7730.ts';
import { rankCorrelation } from './rank-correlation.ts';

const model = readModel(PARAMS);

/** The engine's model with other coefficients and another sunshine on a clear day. */
function modelWith(values: Readonly<Record<string, number>>, sunK = 12) {
  const { condition } = PARAMS.tables;
  const clear = { ...condition.rows.clear, sunK };
  const document: ParamsDocument = {
    ...PARAMS,
    coefficients: PARAMS.coefficients.map((row) => ({
      ...row,
      value: values[row.key] ?? row.value,
    })),
    tables: { ...PARAMS.tables, condition: { ...condition, rows: { ...condition.rows, clear } } },
  };
  return readModel(document);
}

/** A climate of the published tables: air at `v` m/s around the body, radiant temperature `tr`. */
function surroundings(tdb: number, tr: number, rh: number, v: number, met: number): Climate {
  const exact = modelWith({ 'wind.bodyShare': 1, 'wind.minMs': 0.1 }, tr - tdb);
  const weather = { tempC: tdb, windMs: v, humidityPct: rh, condition: 'clear' as const };
  return { ...outdoorClimate(exact, weather, met, 0), storage: 0 };
}

/** Heat beyond balance in clothing of `clo` in use, W/m². */
const surplus = (climate: Climate, clo: number): number =>
  dryHeat(climate, clo) -
  (climate.skinC - climate.operativeC) /
    (climate.model.k.unit.cloSi * totalInsulation(climate, clo));

type PmvRow = [number, number, number, number, number, number, string, number, number];
// For fast air ASHRAE 55 has another method, by the cooling effect.
const pmvRows = (pmvTable.rows as unknown as PmvRow[]).filter(
  ([, , , vr, , , standard]) => standard === 'ISO' || vr <= 0.2,
);

describe('PMV and PPD', () => {
  test.each(pmvRows)(
    'the reference agrees with the table: %d °C, radiant %d, %d %%, %d m/s, %d met, %d clo (%s): %d, %d %%',
    (tdb, tr, rh, vr, met, clo, _, vote, dissatisfied) => {
      const ours = pmv({ tdb, tr, rh, vr, met, clo });
      expect(Math.abs(ours - vote)).toBeLessThanOrEqual(pmvTable.tolerance.pmv);
      expect(Math.abs(ppd(ours) - dissatisfied)).toBeLessThanOrEqual(pmvTable.tolerance.ppd);
    },
  );

  /** PMV of ISO 7730 in the clothing that the engine requires; the air is that of a walk at least. */
  function voteInNeed(tempC: number, humidityPct: number, airMs: number, met: number) {
    const walk = Math.max(0, 0.0052 * (58.15 * met - 58));
    const indoors = modelWith({ 'indoor.rhPct': humidityPct, 'indoor.airMs': airMs });
    const clo = neutralIcl(indoorClimate(indoors, tempC, met, 0));
    const room = { tdb: tempC, tr: tempC, rh: humidityPct, vr: airMs + walk, met, clo };
    return { clo, vote: pmv(room) };
  }

  test('the clothing required in a room is neutral by ISO 7730 within 0.15 votes', () => {
    const votes: number[] = [];
    for (let tempC = 5; tempC <= 32; tempC++)
      for (const met of [1, 1.2, 1.4, 1.6, 2, 2.6, 3, 4])
        for (const humidityPct of [10, 30, 50, 70, 90])
          for (const airMs of [0.1, 0.2, 0.4]) {
            const { clo, vote } = voteInNeed(tempC, humidityPct, airMs, met);
            if (clo > 0 && clo <= 2) votes.push(vote);
          }
    expect(votes.length).toBeGreaterThan(1500);
    expect(Math.max(...votes.map(Math.abs))).toBeLessThanOrEqual(0.15);
  });

  test.each(pmvRows.filter(([, , , , , , standard]) => standard === 'ISO'))(
    'and in the room of the table: %d °C, radiant %d, %d %%, %d m/s, %d met',
    (tdb, tr, rh, vr, met) => {
      const { clo, vote } = voteInNeed((tdb + tr) / 2, rh, vr, met);
      // Without any clothes a room may still be too warm.
      if (clo > 0) expect(Math.abs(vote)).toBeLessThanOrEqual(0.15);
      else expect(vote).toBeGreaterThan(0);
    },
  );
});

describe('SET', () => {
  type Row = [number, number, number, number, number, number, number];
  const rows = setTable.rows as Row[];

  // SET assumes standard clothing for each activity, so it compares people of one activity.
  test.each([[1], [1.5]])('at %d met the engine ranks the rows as SET does', (activity) => {
    const rowsAtMet = rows.filter((row) => row[4] === activity);
    const ours = rowsAtMet.map(([tdb, tr, rh, v, met, clo]) =>
      surplus(surroundings(tdb, tr, rh, v, met), clo),
    );
    expect(rowsAtMet.length).toBeGreaterThan(10);
    const theirs = rowsAtMet.map((row) => row[6]);
    expect(rankCorrelation(ours, theirs)).toBeGreaterThan(0.95);
  });
});

describe('UTCI', () => {
  type Row = [number, number, number, number, number];
  const rows = (utciTable.rows as Row[]).map(([tdb, tr, rh, v, utci]) => {
    const sunny = modelWith({}, tr - tdb);
    const weather = { tempC: tdb, windMs: v, humidityPct: rh, condition: 'clear' as const };
    return { v, utci, warm: surplus(outdoorClimate(sunny, weather, 2.32, 0), 0.6) };
  });

  test('in light wind the engine ranks the weather as UTCI does', () => {
    const light = rows.filter(({ v }) => v === 1);
    expect(light.length).toBeGreaterThan(6);
    expect(
      rankCorrelation(
        light.map(({ warm }) => warm),
        light.map(({ utci }) => utci),
      ),
    ).toBeGreaterThan(0.97);
  });

  test('more wind alone is colder for both', () => {
    const windy = rows.filter(({ v }) => v >= 10).sort((a, b) => a.v - b.v);
    expect(windy.map(({ utci }) => utci)).toEqual([20, 15.8]);
    expect(windy[0]?.warm).toBeGreaterThan(windy[1]?.warm ?? Number.NaN);
  });
});

describe('wind chill', () => {
  test.each(chillTable.rows as [number, number, number][])(
    '%d °C in %d km/h feels like %d °C',
    (tempC, kmh, wct) => {
      const ours = windChillC(model, tempC, kmh / 3.6);
      // Below 5 km/h the index exceeds the air temperature; the engine approaches it instead.
      if (kmh >= 5) expect(Math.abs(ours - wct)).toBeLessThanOrEqual(chillTable.tolerance.wct);
      else expect(ours).toBeLessThanOrEqual(tempC);
    },
  );
});

test('in the cold the need follows IREQ neutral of ISO 11079 within 12 % or 0.06 clo', () => {
  const apart = ireq.rows.map(({ M, Ta, v, w, rh, IREQneutral }) => {
    const weather = { tempC: Ta, windMs: v, humidityPct: rh, condition: 'cloudy' as const };
    const climate = outdoorClimate(modelWith({ 'unit.metW': M }), weather, 1, 0);
    const airLayer = 0.092 * Math.exp(-0.15 * Math.max(0.4, v) - 0.22 * w) - 0.0045;
    const clo = neutralIcl({ ...climate, coldShare: 1, storage: 0, iA: airLayer / 0.155 });
    return Math.abs(clo - IREQneutral) / Math.max(0.12 * IREQneutral, 0.06);
  });
  expect(apart.length).toBe(72);
  expect(Math.max(...apart)).toBeLessThan(1);
});
