import { z } from 'zod';
import { Problem } from '../platform/problem.ts';
import { waterNeed } from './comfort/weather.ts';
import type { Model } from './params.ts';
import { Weather } from './schema.ts';
import type { Condition } from './tables.ts';

/** Steps in one forecast: 16 days of hours are 384. */
const MAX_STEPS = 1000;

const series = z.array(z.number().nullable()).max(MAX_STEPS);
const unit = z.string().max(16).optional();

const OpenMeteo = z
  .object({
    hourly: z.object({
      time: z.array(z.string().max(40)).min(1).max(MAX_STEPS),
      temperature_2m: series,
      relative_humidity_2m: series.optional(),
      wind_speed_10m: series,
      weather_code: series.optional(),
      wind_gusts_10m: series.optional(),
      is_day: series.optional(),
    }),
    hourly_units: z.object({ temperature_2m: unit, wind_speed_10m: unit }).optional(),
  })
  .meta({
    description:
      'A response of api.open-meteo.com, unchanged, with these hourly variables and times as ISO 8601',
  });

const Period = z.object({ summary: z.object({ symbol_code: z.string().max(64) }) });

const MetNorway = z
  .object({
    properties: z.object({
      timeseries: z
        .array(
          z.object({
            time: z.string().max(40),
            data: z.object({
              instant: z.object({
                details: z.object({
                  air_temperature: z.number().optional(),
                  relative_humidity: z.number().optional(),
                  wind_speed: z.number().optional(),
                  wind_speed_of_gust: z.number().optional(),
                }),
              }),
              next_1_hours: Period.optional(),
              next_6_hours: Period.optional(),
            }),
          }),
        )
        .min(1)
        .max(MAX_STEPS),
    }),
  })
  .meta({ description: 'A response of api.met.no, Locationforecast, unchanged' });

const hour = (low: number, high: number) => z.number().int().min(low).max(high).optional();

/** An hourly forecast of one of two services, as it comes, and which hours of a day to read. */
export const Forecast = z
  .strictObject({
    openMeteo: OpenMeteo.optional(),
    metNorway: MetNorway.optional(),
    utcOffsetMinutes: z
      .number()
      .int()
      .min(-14 * 60)
      .max(14 * 60)
      .optional()
      .meta({ description: 'Local time of MET Norway’s UTC; Open-Meteo has local times already' }),
    fromHour: hour(0, 23).meta({ description: 'First hour of a day that counts; default 7' }),
    toHour: hour(1, 24).meta({ description: 'End of the last hour that counts; default 22' }),
  })
  .refine(({ openMeteo, metNorway }) => (openMeteo === undefined) !== (metNorway === undefined), {
    message: 'needs either `openMeteo` or `metNorway`',
  })
  .refine(({ fromHour = FROM_HOUR, toHour = TO_HOUR }) => fromHour < toHour, {
    message: '`fromHour` must be before `toHour`',
  })
  .meta({ id: 'Forecast' });
export type Forecast = z.infer<typeof Forecast>;

const FROM_HOUR = 7;
const TO_HOUR = 22;

export const ForecastDate = z.iso.date();

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

const TIME = /^(19|20)\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z?$/;

/** Reads a time in UTC, or a local one as if it were in UTC, milliseconds. */
function readTime(text: string, pointer: string): number {
  const millis = TIME.test(text) ? Date.parse(text.endsWith('Z') ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(millis)) throw invalid(pointer, 'is not a time such as `2026-11-24T07:00`');
  return millis;
}

/** Units as Open-Meteo names them -> those of requests. */
const TEMP_UNITS = { '°C': 'C', '°F': 'F' } as const;
const WIND_UNITS = { 'km/h': 'km/h', 'm/s': 'm/s', mph: 'mph', 'mp/h': 'mph', kn: 'kn' } as const;

const inTable = <T extends object>(table: T, key: string): T[keyof T] | undefined =>
  Object.hasOwn(table, key) ? table[key as keyof T] : undefined;

function openMeteoSteps({ hourly, hourly_units: units }: z.infer<typeof OpenMeteo>): Step[] {
  const at = '/forecast/openMeteo/hourly';
  const temp = inTable(TEMP_UNITS, units?.temperature_2m ?? '°C');
  const wind = inTable(WIND_UNITS, units?.wind_speed_10m ?? 'km/h');
  if (!temp) throw invalid(`${at}_units/temperature_2m`, 'is not °C or °F');
  if (!wind) throw invalid(`${at}_units/wind_speed_10m`, 'is not km/h, m/s, mph or kn');
  return hourly.time.map((time, i) => {
    const valueAt = (name: 'temperature_2m' | 'wind_speed_10m') =>
      present(hourly[name][i], `${at}/${name}/${i}`);
    return {
      startMillis: readTime(time, `${at}/time/${i}`),
      span: 1,
      read() {
        const isDay = hourly.is_day?.[i];
        return checked(`${at}/time/${i}`, {
          tempC: valueAt('temperature_2m'),
          windMs: valueAt('wind_speed_10m'),
          gustMs: hourly.wind_gusts_10m?.[i],
          humidityPct: hourly.relative_humidity_2m?.[i],
          condition: hourly.weather_code?.[i] ?? '',
          ...(typeof isDay === 'number' && { isDay: isDay > 0 }),
          units: { temp, wind },
        });
      },
    };
  });
}

function present<T>(value: T | null | undefined, pointer: string): T {
  if (value === null || value === undefined)
    throw invalid(pointer, 'is missing in an hour that counts; see `fromHour` and `toHour`');
  return value;
}

/** A weather within the bounds of requests. */
function checked(pointer: string, weather: z.input<typeof Weather>): Weather {
  const result = Weather.safeParse(weather);
  if (result.success) return result.data;
  const [field] = result.error.issues[0]?.path ?? [];
  throw invalid(pointer, `has a value of ${String(field)} that is out of bounds`);
}

function metNorwaySteps(
  { properties }: z.infer<typeof MetNorway>,
  utcOffsetMinutes: number,
): Step[] {
  return properties.timeseries.map(({ time, data }, i) => {
    const at = '/forecast/metNorway/properties/timeseries';
    const details = `${at}/${i}/data/instant/details`;
    const { air_temperature, relative_humidity, wind_speed, wind_speed_of_gust } =
      data.instant.details;
    return {
      startMillis: readTime(time, `${at}/${i}/time`) + utcOffsetMinutes * MINUTE_MILLIS,
      span: data.next_1_hours ? 1 : 6,
      read() {
        const period = data.next_1_hours ?? data.next_6_hours;
        return checked(`${at}/${i}`, {
          tempC: present(air_temperature, `${details}/air_temperature`),
          windMs: present(wind_speed, `${details}/wind_speed`),
          gustMs: wind_speed_of_gust,
          humidityPct: relative_humidity,
          condition: period?.summary.symbol_code ?? '',
        });
      },
    };
  });
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
  const { openMeteo, metNorway, utcOffsetMinutes = 0 } = forecast;
  const steps = openMeteo
    ? openMeteoSteps(openMeteo)
    : metNorwaySteps(metNorway!, utcOffsetMinutes);
  const byHour = new Map<string, Step>();
  for (const step of steps) {
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
