import { z } from 'zod';

/** The value at a path of own members; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('/').reduce<unknown>((inner, name) => {
    const isThere = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name);
    return isThere ? (inner as Readonly<Record<string, unknown>>)[name] : undefined;
  }, value);
}

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

const steps = z.array(z.record(z.string(), z.unknown())).min(1).max(MAX_STEPS);

const OpenWeather = z
  .object({ list: steps.optional(), hourly: steps.optional() })
  .refine(({ list, hourly }) => list ?? hourly, { message: 'has neither `list` nor `hourly`' })
  .meta({
    description:
      'A response of api.openweathermap.org, unchanged, with a `list` of steps or the `hourly` of One Call. It does not name its units: K and m/s, unless `units` says otherwise',
  });

const BrightSky = z.object({ weather: steps }).meta({
  description: 'A response of api.brightsky.dev/weather, forecasts of the DWD, unchanged',
});

const HomeAssistant = z
  .object({ forecast: steps, temperature_unit: unit, wind_speed_unit: unit })
  .meta({
    description:
      'What `weather.get_forecasts` of Home Assistant returns for one entity, hourly, and of its attributes `temperature_unit` and `wind_speed_unit`; °C and km/h by default',
  });

const hour = (low: number, high: number) => z.number().int().min(low).max(high).optional();

export const SOURCES = [
  'openMeteo',
  'metNorway',
  'openWeather',
  'brightSky',
  'homeAssistant',
] as const;
export type SourceId = (typeof SOURCES)[number];
/** Services whose responses do not always name their units. */
export const UNITLESS: readonly SourceId[] = ['openWeather', 'homeAssistant'];

/** A name of each service's steps that no other has, to tell which response was sent. */
const SHAPES: Readonly<Record<SourceId, RegExp>> = {
  openMeteo: /"hourly":\{/,
  metNorway: /"timeseries":\[/,
  openWeather: /"list":\[|"hourly":\[/,
  brightSky: /"weather":\[\{"timestamp"|"sources":\[/,
  homeAssistant: /"forecast":\[/,
};

/** Characters of a response that are looked at to tell of which service it is. */
const MAX_SHAPE = 4000;

/** Checks that there is one response, of the service that it is said to be of. */
function checkSource(body: unknown, context: z.RefinementCtx): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const issue = (path: string[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  const given = SOURCES.filter((id) => valueAt(body, id) !== undefined);
  const [id] = given;
  if (!id || given.length > 1) {
    issue([], `needs one of ${SOURCES.map((name) => `\`${name}\``).join(', ')}`);
    return body;
  }
  if (valueAt(body, 'units') !== undefined && !UNITLESS.includes(id))
    issue(['units'], `\`${id}\` names its units`);
  const text = (JSON.stringify(valueAt(body, id)) ?? '').slice(0, MAX_SHAPE);
  const other = SOURCES.find((name) => SHAPES[name].test(text));
  if (other && other !== id && !SHAPES[id].test(text))
    issue([id], `looks like a response for \`${other}\`; send it as that`);
  return body;
}

/** An hourly forecast of one service, as it comes, and which hours of a day to read. */
const Fields = z
  .strictObject({
    openMeteo: OpenMeteo.optional(),
    metNorway: MetNorway.optional(),
    openWeather: OpenWeather.optional(),
    brightSky: BrightSky.optional(),
    homeAssistant: HomeAssistant.optional(),
    units: z
      .strictObject({
        temp: z.enum(['C', 'F', 'K']).optional(),
        wind: z.enum(['m/s', 'km/h', 'mph', 'kn']).optional(),
      })
      .optional()
      .meta({ description: 'Units of a forecast of OpenWeather or Home Assistant' }),
    utcOffsetMinutes: z
      .number()
      .int()
      .min(-14 * 60)
      .max(14 * 60)
      .optional()
      .meta({ description: 'Local time of times in UTC; others are local already' }),
    fromHour: hour(0, 23).meta({ description: 'First hour of a day that counts; default 7' }),
    toHour: hour(1, 24).meta({ description: 'End of the last hour that counts; default 22' }),
  })
  .refine(({ fromHour = FROM_HOUR, toHour = TO_HOUR }) => fromHour < toHour, {
    message: '`fromHour` must be before `toHour`',
  });

export const Forecast = z.preprocess(checkSource, Fields).meta({ id: 'Forecast' });
export type Forecast = z.infer<typeof Forecast>;

export const FROM_HOUR = 7;
export const TO_HOUR = 22;

export const ForecastDate = z.iso.date();
