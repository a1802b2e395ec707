import { areaFactor, dryHeat } from '../../src/look/comfort/heat.ts';
import {
  type Need,
  type Situation,
  situationOf,
  unsignedTargets,
} from '../../src/look/comfort/targets.ts';
import type { Model } from '../../src/look/params.ts';
import type { TargetsRequest } from '../../src/look/schema.ts';
import { BODY_PARTS, CONDITIONS, THERMAL_PROFILES } from '../../src/look/tables.ts';
import { OCCASION_IDS } from '../../src/taxonomy/dictionary/schema.ts';

const between = (low: number, high: number, at: number): number => low + (high - low) * at;
const pick = <T>(list: readonly T[], at: number): T =>
  list[Math.min(list.length - 1, Math.floor(at * list.length))]!;

/** A valid request from 20 numbers in 0..1, which cover the whole range of inputs, edges included. */
export function requestFrom(numbers: readonly number[]): TargetsRequest {
  let next = 0;
  const u = () => numbers[next++ % numbers.length]!;
  const maybe = <T>(value: T): T | undefined => (u() < 0.5 ? value : undefined);
  return {
    weather: {
      tempC: between(-60, 60, u()),
      windMs: between(0, 60, u() ** 2),
      humidityPct: between(0, 100, u()),
      condition: pick(CONDITIONS, u()),
      isDay: u() < 0.7,
    },
    met: between(0.7, 7, u() ** 1.5),
    userProfile: {
      thermalProfile: pick(THERMAL_PROFILES, u()),
      offsetC: maybe(between(-6, 6, u())),
      sensitivity: maybe(between(0.5, 2, u())),
      regionOffsetC: maybe(
        Object.fromEntries(BODY_PARTS.map((part, i) => [part, between(-3, 3, (u() + i / 7) % 1)])),
      ),
      coldHands: u() < 0.2,
      coldFeet: u() < 0.2,
    },
    cloOffset: maybe(between(-1.5, 1.5, u())),
    occasion: maybe(pick(OCCASION_IDS, u())),
    indoorTempC: maybe(between(5, 40, u())),
  };
}

const TOLERANCE = 1e-9;
const needs = (need: Need): [string, number][] => [
  ['iclRequired', need.iclRequired],
  ...Object.entries(need.regions),
];

/** The first value of `more` that is below that of `less`, or undefined. */
function findDecrease(less: Situation, more: Situation): string | undefined {
  for (const place of ['outdoor', 'indoor'] as const) {
    const before = needs(less[place]);
    for (const [i, [name, value]] of needs(more[place]).entries()) {
      if (value < before[i]![1] - TOLERANCE)
        return `${place} ${name} falls from ${before[i]![1]} to ${value}`;
    }
  }
  return undefined;
}

const withWeather = (request: TargetsRequest, weather: Partial<TargetsRequest['weather']>) => ({
  ...request,
  weather: { ...request.weather, ...weather },
});

/** Two requests; the second needs at least as much clothing. `step` in 0..1 is the size of the change. */
type Pair = (request: TargetsRequest, step: number) => [TargetsRequest, TargetsRequest];

// biome-ignore format: a table reads best aligned
const RISING: Readonly<Record<string, Pair>> = {
  'colder needs more': (r, step) => [r, withWeather(r, { tempC: between(-60, r.weather.tempC, step) })],
  'windier needs more': (r, step) => [r, withWeather(r, { windMs: between(r.weather.windMs, 60, step) })],
  'less activity needs more': (r, step) => [r, { ...r, met: between(0.7, r.met, step) }],
  'drier air needs more': (r, step) => [r, withWeather(r, { humidityPct: between(0, r.weather.humidityPct, step) })],
  'feeling colder needs more': (r, step) => {
    const offsetC = r.userProfile?.offsetC ?? 0;
    const of = (value: number) => ({ ...r, userProfile: { ...r.userProfile, offsetC: value } });
    return [of(offsetC), of(between(offsetC, 6, step))];
  },
  'a part that feels colder needs more': (r, step) => {
    const part = pick(BODY_PARTS, (step * 13) % 1);
    const offsets = r.userProfile?.regionOffsetC ?? {};
    const from = offsets[part] ?? 0;
    const of = (value: number) => ({ ...r, userProfile: { ...r.userProfile, regionOffsetC: { ...offsets, [part]: value } } });
    return [of(from), of(between(from, 3, step))];
  },
  'a clo offset needs more': (r, step) => [r, { ...r, cloOffset: between(r.cloOffset ?? 0, 1.5, step) }],
  'less sun needs more': (r) => [withWeather(r, { condition: 'clear' }), withWeather(r, { condition: 'partly-cloudy' })],
  'no sun needs more': (r) => [withWeather(r, { condition: 'partly-cloudy' }), withWeather(r, { condition: 'cloudy' })],
  'rain needs more': (r) => [withWeather(r, { condition: 'cloudy' }), withWeather(r, { condition: 'rain' })],
  'night needs more': (r) => [withWeather(r, { isDay: true }), withWeather(r, { isDay: false })],
};

/** A property: returns undefined if it holds for the request, else the violation. */
export type Property = (model: Model, request: TargetsRequest, step: number) => string | undefined;

const rising =
  (pair: Pair): Property =>
  (model, request, step) => {
    const [less, more] = pair(request, step);
    return findDecrease(situationOf(model, less), situationOf(model, more));
  };

/** The steepest found: .605 at rest in dry air of 34 °C, heavy rain and 35 m/s, for somebody who runs very cold. */
const MAX_CLO_PER_K = 0.65;

function isSteady(model: Model, request: TargetsRequest, step: number): string | undefined {
  const tempC = Math.min(60, request.weather.tempC + step);
  const stepK = tempC - request.weather.tempC;
  const before = situationOf(model, request).outdoor.iclRequired;
  const after = situationOf(model, withWeather(request, { tempC })).outdoor.iclRequired;
  const moved = Math.abs(after - before);
  return moved > MAX_CLO_PER_K * stepK + TOLERANCE ? `${moved} clo in ${stepK} K` : undefined;
}

function balances(model: Model, request: TargetsRequest): string | undefined {
  const { outdoor, indoor } = situationOf(model, request);
  for (const { climate, iclResultant } of [outdoor, indoor]) {
    if (iclResultant <= 0 || iclResultant >= model.k.icl.solveMax) continue;
    const total = iclResultant + climate.iA / areaFactor(model, iclResultant);
    const passed =
      (climate.skinC - climate.operativeC) / (model.k.unit.cloSi * dryHeat(climate, iclResultant));
    if (Math.abs(total - passed) > TOLERANCE * Math.max(1, total))
      return `${climate.place}: ${total} is not ${passed}`;
  }
  return undefined;
}

const numbersIn = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return value instanceof Object ? Object.values(value).flatMap(numbersIn) : [];
};

function isBounded(model: Model, request: TargetsRequest): string | undefined {
  const situation = situationOf(model, request);
  const floorClo = model.tables.occasion[request.occasion ?? 'casual']!.floorClo;
  for (const { iclRequired, regions } of [situation.outdoor, situation.indoor]) {
    if (!(iclRequired >= floorClo && iclRequired <= model.k.icl.max)) return `icl ${iclRequired}`;
    const outside = Object.entries(regions).find(([, clo]) => !(clo >= 0 && clo < 10));
    if (outside) return `${outside[0]} ${outside[1]}`;
  }
  const invalid = numbersIn(unsignedTargets(model, situation)).find((n) => !Number.isFinite(n));
  return invalid === undefined ? undefined : `the response contains ${invalid}`;
}

const missingOuter = ({ outdoor, indoor }: Situation): number =>
  outdoor.regions.top + outdoor.regions.outerwear - indoor.regions.top;

/** The shell does not grow as it gets warmer outside, with the room at the same temperature. */
function shellFalls(model: Model, request: TargetsRequest, step: number): string | undefined {
  const indoors = { ...request, indoorTempC: request.indoorTempC ?? 22 };
  const warmer = withWeather(indoors, { tempC: between(request.weather.tempC, 60, step) });
  const before = missingOuter(situationOf(model, indoors));
  const after = missingOuter(situationOf(model, warmer));
  return after > before + TOLERANCE ? `shell ${before} grows to ${after}` : undefined;
}

const isRepeatable: Property = (model, request) => {
  const once = JSON.stringify(unsignedTargets(model, situationOf(model, request)));
  const again = JSON.stringify(
    unsignedTargets(model, situationOf(model, structuredClone(request))),
  );
  return once === again ? undefined : `${once} is not ${again}`;
};

/** Properties of targets that hold over the whole range of inputs. */
export const PROPERTIES: Readonly<Record<string, Property>> = {
  ...Object.fromEntries(Object.entries(RISING).map(([name, pair]) => [name, rising(pair)])),
  'a kelvin moves the need by at most 0.65 clo': isSteady,
  'the heat balance closes': balances,
  'all results are finite and within bounds': isBounded,
  'the shell does not grow with warmth': shellFalls,
  'the same request gives the same bytes': isRepeatable,
};
