import type { z } from 'zod';
import { Problem } from '../platform/problem.ts';
import { waterNeed } from './comfort/weather.ts';
import {
  type Forecast,
  FROM_HOUR,
  SOURCES,
  type SourceId,
  TO_HOUR,
  UNITLESS,
  valueAt,
} from './forecast-schema.ts';
import type { Model } from './params.ts';
import { Weather } from './schema.ts';
import type { Condition } from './tables.ts';

/** One step of a forecast. */
interface Step {
  /** Local time, as milliseconds of the same time in UTC. */
  startMillis: number;
  /** Hours after its own that the step covers, if none follows. */
  span: number;
  /** Reads the weather. @throws Problem invalid-request if a value is missing */
  read(): Weather;
}

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;

const hourOf = (millis: number): string => new Date(millis).toISOString().slice(0, 13);

function invalid(pointer: string, detail: string): Problem {
  const errors = [{ pointer, detail }];
  return new Problem('invalid-request', 'The forecast cannot be used', { errors });
}

const TIME = /^(19|20)\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/;
/** `2026-11-24T07:00`. */
const MINUTE_LENGTH = 16;

/** Local time as milliseconds of the same time in UTC; one in UTC is shifted, others are local. */
function readTime(time: unknown, pointer: string, utcOffsetMinutes: number): number {
  const shift = utcOffsetMinutes * MINUTE_MILLIS;
  const seconds = typeof time === 'number' && time > 0 && time < 2 ** 32 ? time : Number.NaN;
  const text = typeof time === 'string' && TIME.test(time) ? time : '';
  const millis =
    typeof time === 'number' ? seconds * 1000 : Date.parse(`${text.slice(0, MINUTE_LENGTH)}Z`);
  if (Number.isNaN(millis)) throw invalid(pointer, 'is not a time such as `2026-11-24T07:00`');
  return typeof time === 'number' || /(Z|[+-]00:00)$/.test(text) ? millis + shift : millis;
}

type Units = NonNullable<z.input<typeof Weather>['units']>;

/** Units as services name them -> those of requests. */
const TEMP_UNITS = { '°C': 'C', '°F': 'F' } as const;
const WIND_UNITS = { 'km/h': 'km/h', 'm/s': 'm/s', mph: 'mph', 'mp/h': 'mph', kn: 'kn' } as const;

/** Reads names of units. @throws Problem invalid-request */
function readUnits(at: string, temp = '°C', wind = 'km/h', names = UNIT_NAMES): Units {
  if (!Object.hasOwn(TEMP_UNITS, temp)) throw invalid(`${at}/${names.temp}`, 'is not °C or °F');
  if (!Object.hasOwn(WIND_UNITS, wind))
    throw invalid(`${at}/${names.wind}`, 'is not km/h, m/s, mph or kn');
  return {
    temp: TEMP_UNITS[temp as keyof typeof TEMP_UNITS],
    wind: WIND_UNITS[wind as keyof typeof WIND_UNITS],
  };
}
const UNIT_NAMES = { temp: 'temperature_unit', wind: 'wind_speed_unit' };

/** Where a service has what, as paths in a step, the first that is there. */
interface Source {
  readonly steps: (forecast: Forecast) => { readonly all: readonly object[]; readonly at: string };
  readonly units: (forecast: Forecast) => Units;
  /** Series of values by name instead of steps with values. */
  readonly isColumns?: true;
  readonly time: readonly string[];
  readonly tempC: readonly string[];
  readonly windMs: readonly string[];
  readonly gustMs: readonly string[];
  readonly humidityPct: readonly string[];
  readonly condition: readonly string[];
  readonly isDay?: readonly string[];
}

const DETAILS = 'data/instant/details';

// biome-ignore format: a table reads best aligned
const READERS: Readonly<Record<SourceId, Source>> = {
  openMeteo: {
    steps: ({ openMeteo }) => ({ all: openMeteo!.hourly.time.map(() => openMeteo!.hourly), at: 'hourly' }),
    units: ({ openMeteo }) => readUnits('/forecast/openMeteo/hourly_units', openMeteo!.hourly_units?.temperature_2m, openMeteo!.hourly_units?.wind_speed_10m, { temp: 'temperature_2m', wind: 'wind_speed_10m' }),
    isColumns: true,
    time: ['time'], tempC: ['temperature_2m'], windMs: ['wind_speed_10m'], gustMs: ['wind_gusts_10m'],
    humidityPct: ['relative_humidity_2m'], condition: ['weather_code'], isDay: ['is_day'],
  },
  metNorway: {
    steps: ({ metNorway }) => ({ all: metNorway!.properties.timeseries, at: 'properties/timeseries' }),
    units: () => ({ temp: 'C', wind: 'm/s' }),
    time: ['time'], tempC: [`${DETAILS}/air_temperature`], windMs: [`${DETAILS}/wind_speed`], gustMs: [`${DETAILS}/wind_speed_of_gust`],
    humidityPct: [`${DETAILS}/relative_humidity`],
    condition: ['data/next_1_hours/summary/symbol_code', 'data/next_6_hours/summary/symbol_code'],
  },
  openWeather: {
    steps: ({ openWeather }) => ({ all: openWeather!.list ?? openWeather!.hourly ?? [], at: openWeather!.list ? 'list' : 'hourly' }),
    units: ({ units }) => ({ temp: units?.temp ?? 'K', wind: units?.wind ?? 'm/s' }),
    time: ['dt'], tempC: ['main/temp', 'temp'], windMs: ['wind/speed', 'wind_speed'], gustMs: ['wind/gust', 'wind_gust'],
    humidityPct: ['main/humidity', 'humidity'], condition: ['weather/0/id', 'weather/0/description'],
  },
  brightSky: {
    steps: ({ brightSky }) => ({ all: brightSky!.weather, at: 'weather' }),
    units: () => ({ temp: 'C', wind: 'km/h' }),
    time: ['timestamp'], tempC: ['temperature'], windMs: ['wind_speed'], gustMs: ['wind_gust_speed'],
    humidityPct: ['relative_humidity'], condition: ['icon', 'condition'],
  },
  homeAssistant: {
    steps: ({ homeAssistant }) => ({ all: homeAssistant!.forecast, at: 'forecast' }),
    units: ({ homeAssistant, units }) => ({ ...readUnits('/forecast/homeAssistant', homeAssistant!.temperature_unit, homeAssistant!.wind_speed_unit), ...units }),
    time: ['datetime'], tempC: ['temperature'], windMs: ['wind_speed'], gustMs: ['wind_gust_speed'],
    humidityPct: ['humidity'], condition: ['condition'],
  },
};

function readSteps(forecast: Forecast): Step[] {
  const id = SOURCES.find((one) => forecast[one] !== undefined)!;
  const source = READERS[id];
  const { all, at } = source.steps(forecast);
  const units = source.units(forecast);
  const pathOf = (path: string, i: number) => (source.isColumns ? `${path}/${i}` : path);
  const pointerTo = (path: string, i: number) =>
    `/forecast/${id}/${at}/${source.isColumns ? `${path}/${i}` : `${i}/${path}`}`;
  const starts = all.map((step, i) => {
    const [path] = source.time;
    const time = valueAt(step, pathOf(path!, i));
    return readTime(time, pointerTo(path!, i), forecast.utcOffsetMinutes ?? 0);
  });
  const span = spanOf(starts, `/forecast/${id}/${at}`);
  return all.map((step, i) => {
    const read = (paths: readonly string[] = []) =>
      paths
        .map((path) => ({ path, value: valueAt(step, pathOf(path, i)) }))
        .find(({ value }) => value !== undefined && value !== null);
    const numberAt = (paths: readonly string[]): number | undefined => {
      const found = read(paths);
      if (found && typeof found.value !== 'number')
        throw invalid(pointerTo(found.path, i), 'is not a number');
      return found?.value as number | undefined;
    };
    const needed = (paths: readonly string[]): number => {
      const value = numberAt(paths);
      if (value === undefined)
        throw invalid(
          pointerTo(paths[0]!, i),
          'is missing in an hour that counts; see `fromHour` and `toHour`',
        );
      return value;
    };
    return {
      startMillis: starts[i]!,
      // MET Norway has steps of an hour at first, then of six.
      span: id !== 'metNorway' ? span : valueAt(step, 'data/next_1_hours') ? 1 : MAX_SPAN_HOURS,
      read() {
        const weather = {
          tempC: needed(source.tempC),
          windMs: needed(source.windMs),
          gustMs: numberAt(source.gustMs),
          humidityPct: numberAt(source.humidityPct),
          condition: read(source.condition)?.value ?? '',
          ...(source.isDay && typeof numberAt(source.isDay) === 'number'
            ? { isDay: numberAt(source.isDay)! > 0 }
            : {}),
          units,
        };
        const result = Weather.safeParse(weather);
        if (result.success) return result.data;
        const [issue] = result.error.issues;
        const hint = UNITLESS.includes(id) ? '; `forecast.units` says in which units it is' : '';
        throw invalid(
          pointerTo(source.time[0]!, i),
          `has a value of ${String(issue?.path[0])} that is out of bounds${hint}`,
        );
      },
    };
  });
}

/** Steps of more hours say too little about a day. */
const MAX_SPAN_HOURS = 6;

/** Hours from each step to the next, the fewest. @throws Problem invalid-request if they are many */
function spanOf(starts: readonly number[], pointer: string): number {
  const gaps = starts.slice(1).map((start, i) => (start - starts[i]!) / HOUR_MILLIS);
  const span = Math.min(...gaps.filter((gap) => gap > 0));
  if (span <= MAX_SPAN_HOURS) return Math.max(1, Math.round(span));
  if (span === Number.POSITIVE_INFINITY) return 1;
  throw invalid(pointer, `has steps of ${Math.round(span)} hours; send an hourly forecast`);
}

/** An hour of a forecast, local time. */
interface ForecastHour {
  /** `2026-11-24T07:00`. */
  at: string;
  weather: Weather;
}

/** Reads a forecast by dates. */
interface ForecastReader {
  /** The first date with all hours that count, else the first that the forecast has, `2026-11-24`. */
  readonly firstDate: string;
  /**
   * The hours of a date that count.
   * @param pointer of the date in the request
   * @throws Problem invalid-request that names the first hour or value that is missing
   */
  hoursOf(date: string, pointer: string): ForecastHour[];
}

/** Prepares a forecast for reading. @throws Problem invalid-request */
export function readForecast(forecast: Forecast): ForecastReader {
  const byHour = new Map<string, Step>();
  for (const step of readSteps(forecast)) {
    for (let later = 0; later < step.span; later++) {
      const hour = hourOf(step.startMillis + later * HOUR_MILLIS);
      if (later === 0 || !byHour.has(hour)) byHour.set(hour, step);
    }
  }
  const { fromHour = FROM_HOUR, toHour = TO_HOUR } = forecast;
  const hoursThatCount = (date: string) =>
    Array.from(
      { length: toHour - fromHour },
      (_, i) => `${date}T${String(fromHour + i).padStart(2, '0')}`,
    );
  const dates = [...new Set([...byHour.keys()].map((hour) => hour.slice(0, 10)))].sort();
  const isComplete = (date: string) => hoursThatCount(date).every((hour) => byHour.has(hour));
  return {
    firstDate: dates.find(isComplete) ?? dates[0]!,
    hoursOf: (date, pointer) =>
      hoursThatCount(date).map((hour) => {
        const at = `${hour}:00`;
        const step = byHour.get(hour);
        if (!step)
          throw invalid(
            pointer,
            `The forecast has no weather for ${at}; \`fromHour\` and \`toHour\` say which hours count`,
          );
        return { at, weather: step.read() };
      }),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * One weather for several hours: mean temperature and humidity, the strongest wind, and the condition
 * that needs most shelter from water, else the most frequent.
 */
export function summarise(model: Model, hours: readonly ForecastHour[]): Weather {
  const all = hours.map(({ weather }) => weather);
  const count = (condition: Condition) => all.filter((one) => one.condition === condition).length;
  const [worst] = [...new Set(all.map(({ condition }) => condition))].sort(
    (a, b) => waterNeed(model, b) - waterNeed(model, a) || count(b) - count(a) || (a < b ? -1 : 1),
  );
  const notes = all.flatMap((one) => one.notes ?? []);
  return {
    ...(notes.length > 0 && { notes }),
    tempC: mean(all.map(({ tempC }) => tempC)),
    windMs: Math.max(...all.map(({ windMs }) => windMs)),
    humidityPct: mean(all.map(({ humidityPct }) => humidityPct)),
    condition: worst!,
  };
}
