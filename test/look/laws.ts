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

/** A source of numbers in 0..1, the same again from the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), bits | 61)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (low: number, high: number, at: number): number => low + (high - low) * at;
const pick = <T>(list: readonly T[], at: number): T =>
  list[Math.min(list.length - 1, Math.floor(at * list.length))]!;

/** Any request that is accepted: 20 numbers in 0..1 spread over the whole box, edges included. */
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

/** What of `more` lies below the same of `less`, or undefined. */
function fallen(less: Situation, more: Situation): string | undefined {
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

/** Two requests of which the second asks for at least as much clothing. `step` in 0..1 says how far. */
type Pair = (request: TargetsRequest, step: number) => [TargetsRequest, TargetsRequest];

// biome-ignore format: a table reads best aligned
const RISING: Readonly<Record<string, Pair>> = {
  'colder asks for more': (r, step) => [r, withWeather(r, { tempC: between(-60, r.weather.tempC, step) })],
  'windier asks for more': (r, step) => [r, withWeather(r, { windMs: between(r.weather.windMs, 60, step) })],
  'less activity asks for more': (r, step) => [r, { ...r, met: between(0.7, r.met, step) }],
  'drier air asks for more': (r, step) => [r, withWeather(r, { humidityPct: between(0, r.weather.humidityPct, step) })],
  'feeling colder asks for more': (r, step) => {
    const offsetC = r.userProfile?.offsetC ?? 0;
    const of = (value: number) => ({ ...r, userProfile: { ...r.userProfile, offsetC: value } });
    return [of(offsetC), of(between(offsetC, 6, step))];
  },
  'a part that feels colder asks for more': (r, step) => {
    const part = pick(BODY_PARTS, (step * 13) % 1);
    const offsets = r.userProfile?.regionOffsetC ?? {};
    const from = offsets[part] ?? 0;
    const of = (value: number) => ({ ...r, userProfile: { ...r.userProfile, regionOffsetC: { ...offsets, [part]: value } } });
    return [of(from), of(between(from, 3, step))];
  },
  'a clo offset asks for more': (r, step) => [r, { ...r, cloOffset: between(r.cloOffset ?? 0, 1.5, step) }],
  'less sun asks for more': (r) => [withWeather(r, { condition: 'clear' }), withWeather(r, { condition: 'partly-cloudy' })],
  'no sun asks for more': (r) => [withWeather(r, { condition: 'partly-cloudy' }), withWeather(r, { condition: 'cloudy' })],
  'rain asks for more': (r) => [withWeather(r, { condition: 'cloudy' }), withWeather(r, { condition: 'rain' })],
  'night asks for more': (r) => [withWeather(r, { isDay: true }), withWeather(r, { isDay: false })],
};

/** A law: undefined where it holds for the request, else what broke it. */
export type Law = (model: Model, request: TargetsRequest, step: number) => string | undefined;

const rising =
  (pair: Pair): Law =>
  (model, request, step) => {
    const [less, more] = pair(request, step);
    return fallen(situationOf(model, less), situationOf(model, more));
  };

const MOST_CLO_PER_K = 0.6;

function isSteady(model: Model, request: TargetsRequest, step: number): string | undefined {
  const tempC = Math.min(60, request.weather.tempC + step);
  const stepK = tempC - request.weather.tempC;
  const before = situationOf(model, request).outdoor.iclRequired;
  const after = situationOf(model, withWeather(request, { tempC })).outdoor.iclRequired;
  const moved = Math.abs(after - before);
  return moved > MOST_CLO_PER_K * stepK + TOLERANCE ? `${moved} clo in ${stepK} K` : undefined;
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
  const odd = numbersIn(unsignedTargets(model, situation)).find((n) => !Number.isFinite(n));
  return odd === undefined ? undefined : `an answer holds ${odd}`;
}

const missingOuter = ({ outdoor, indoor }: Situation): number =>
  outdoor.regions.top + outdoor.regions.outerwear - indoor.regions.top;

/** What is put on to go out does not grow as it gets warmer, in a room that stays as it is. */
function shellFalls(model: Model, request: TargetsRequest, step: number): string | undefined {
  const indoors = { ...request, indoorTempC: request.indoorTempC ?? 22 };
  const warmer = withWeather(indoors, { tempC: between(request.weather.tempC, 60, step) });
  const before = missingOuter(situationOf(model, indoors));
  const after = missingOuter(situationOf(model, warmer));
  return after > before + TOLERANCE ? `shell ${before} grows to ${after}` : undefined;
}

const isRepeatable: Law = (model, request) => {
  const once = JSON.stringify(unsignedTargets(model, situationOf(model, request)));
  const again = JSON.stringify(
    unsignedTargets(model, situationOf(model, structuredClone(request))),
  );
  return once === again ? undefined : `${once} is not ${again}`;
};

/** Everything that holds for targets over the whole accepted box. */
export const LAWS: Readonly<Record<string, Law>> = {
  ...Object.fromEntries(Object.entries(RISING).map(([name, pair]) => [name, rising(pair)])),
  'a kelvin moves the need by at most 0.6 clo': isSteady,
  'the heat balance closes': balances,
  'all results are finite and within bounds': isBounded,
  'the shell does not grow with warmth': shellFalls,
  'the same request gives the same bytes': isRepeatable,
};
