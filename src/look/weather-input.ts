import { z } from 'zod';
import { readTable } from '../taxonomy/tables.ts';
import { round } from './numeric.ts';
import { CONDITIONS, type Condition } from './tables.ts';

/**
 * How forecasts name the weather, in any of six languages: data/look/weather-words.tsv. A text is read in small letters,
 * without accents and punctuation. The first line that occurs in it decides; `also` is a second word that must occur too.
 */
const WORDS = readTable('look/weather-words').map(([condition, words = '', also = '']) => ({
  condition: condition as Condition,
  words: new RegExp(words),
  also: new RegExp(also),
}));

/** Codes of services, in data/look/weather-codes.tsv; where two use the same, that of the better known. */
const CODES = readTable('look/weather-codes').map(([from, to, condition]) => ({
  from: Number(from),
  to: Number(to),
  condition: condition as Condition,
}));

/** Groups of METAR, of pairs of letters: `+SHSN` is a heavy shower of snow. */
const METAR =
  /\b(?:vc|mi|pr|bc|dr|bl|sh|ts|fz|dz|ra|sn|sg|ic|pl|gr|gs|up|br|fg|fu|va|du|sa|hz|py|po|sq|fc|ss|ds){2,4}\b/g;

/** A minus of METAR: `-SHRA` is a light shower. */
const LIGHT = /(?<=^|\s)-(?=(?:[a-z]{2}){1,4}(?:\s|$))/g;

/** Says that something is not the case: `no rain`, `ohne Regen`. */
const NEGATED =
  /\b(no|not|without|kein\w*|ohne|pas de|sans|sin|senza|geen|zonder) (?!nuage|nub|cloud)\S+/g;

const NIGHT = /\b(night|nacht|nuit|noche|notte|polartwilight)\b|^\d\dn$/;

/** The weather that a text or a code names, and whether it says that it is night. */
export function readCondition(input: string | number): { condition: Condition; isNight: boolean } {
  const text = String(input)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(LIGHT, 'light ')
    .replaceAll(/[^a-z0-9+]+/g, ' ')
    .trim();
  return { condition: conditionOf(text), isNight: NIGHT.test(text) };
}

function conditionOf(text: string): Condition {
  const code = Number(text);
  const said = text
    .replaceAll(NEGATED, ' ')
    .replaceAll(METAR, (group) => group.replaceAll(/../g, '$& ').trim());
  const row = /^\d+$/.test(text)
    ? CODES.find(({ from, to }) => from <= code && code <= to)
    : WORDS.find(({ words, also }) => words.test(said) && also.test(said));
  return row?.condition ?? 'unknown';
}

/** What was read into a weather beyond what it says: a code of the diagnostics, and their values. */
interface WeatherNote {
  code:
    | 'weather-unknown'
    | 'humidity-assumed'
    | 'gusts-counted'
    | 'feels-like-ignored'
    | 'unit-doubtful';
  params: Readonly<Record<string, string>>;
}

/** The weather as the engine takes it: °C, m/s and percent. */
export interface Weather {
  /** Air at 2 m, °C. */
  tempC: number;
  /** Wind at 10 m, m/s. */
  windMs: number;
  /** Relative humidity, %. */
  humidityPct: number;
  condition: Condition;
  /** Whether the sun is up; default true. */
  isDay?: boolean | undefined;
  /** Absent if the weather says all by itself. */
  notes?: readonly WeatherNote[];
}

type Field = 'tempC' | 'windMs' | 'humidityPct';

interface Unit {
  /** Returns a value in the unit of requests. */
  convert(value: number): number;
  label: string;
}

/** Units by field and by the names that services give them; the first is that of requests. */
const UNITS: Readonly<Record<'temp' | 'wind' | 'humidity', Readonly<Record<string, Unit>>>> = {
  temp: {
    C: { convert: (value) => value, label: '°C' },
    F: { convert: (value) => ((value - 32) * 5) / 9, label: '°F' },
    K: { convert: (value) => value - 273.15, label: 'K' },
  },
  wind: {
    'm/s': { convert: (value) => value, label: 'm/s' },
    'km/h': { convert: (value) => value / 3.6, label: 'km/h' },
    mph: { convert: (value) => value * 0.44704, label: 'mph' },
    kn: { convert: (value) => value * 0.514444, label: 'kn' },
  },
  humidity: {
    '%': { convert: (value) => value, label: '%' },
    share: { convert: (value) => 100 * value, label: 'share' },
  },
};

interface FieldRow {
  unit: keyof typeof UNITS;
  min: number;
  max: number;
}

const FIELDS: Readonly<Record<Field, FieldRow>> = {
  tempC: { unit: 'temp', min: -60, max: 60 },
  windMs: { unit: 'wind', min: 0, max: 60 },
  humidityPct: { unit: 'humidity', min: 0, max: 100 },
};

const WeatherInput = z.strictObject({
  tempC: z.number().meta({ description: 'Air at 2 m, −60 to 60 °C' }),
  windMs: z.number().meta({ description: 'Mean wind at 10 m, 0 to 60 m/s' }),
  gustMs: z.number().nullable().optional().meta({
    description: 'Gusts at 10 m, m/s; two thirds of them count as wind if that is more',
  }),
  humidityPct: z.number().nullable().optional().meta({
    description: 'Relative humidity, 0 to 100 %; without it, one that is usual for the condition',
  }),
  feelsLikeC: z.number().nullable().optional().meta({
    description: 'Ignored: warmth is computed from air, wind, humidity and sun',
  }),
  condition: z
    .preprocess(
      (named: string | number) => (typeof named === 'number' ? String(named) : named),
      z.string().max(200),
    )
    .meta({
      description: `Any text is read, and any code, also as a number: \`light rain\`, \`Regen\`, \`-RA\`, 61 (WMO), 500 (OpenWeather), in English, German, French, Spanish, Italian and Dutch. It is taken as the nearest of these; what names none is \`unknown\`, and a diagnostic says so: ${CONDITIONS.join(', ')}`,
    }),
  isDay: z.boolean().optional().meta({
    description: 'Whether the sun is up; default true, unless the condition says night',
  }),
  units: z
    .strictObject({
      temp: z.enum(['C', 'F', 'K']).optional(),
      wind: z.enum(['m/s', 'km/h', 'mph', 'kn']).optional(),
      humidity: z.enum(['%', 'share']).optional(),
    })
    .optional()
    .meta({ description: 'Units of the values, if they are not °C, m/s and percent' }),
});
type WeatherInput = z.infer<typeof WeatherInput>;

/** Whether a value in this field is out of bounds. */
const isOut = ({ min, max }: FieldRow, value: number): boolean => !(value >= min && value <= max);

/** The unit in which a value would be usual weather; undefined if there is none. */
function likelyUnit(field: Field, value: number): string | undefined {
  if (field === 'tempC') return value > 200 && value < 335 ? 'K' : value > 40 ? 'F' : undefined;
  if (field === 'windMs') return value > 20 && value < 250 ? 'km/h' : undefined;
  return value > 0 && value <= 1 ? 'share' : undefined;
}

/** Dew point above which no weather was ever measured, °C. */
const HIGHEST_DEW_POINT_C = 35;
/** Hottest air that was ever measured, °C. */
const HOTTEST_C = 56.7;
/** Warmest air in which snow or sleet falls, °C. */
const SNOW_MAX_C = 10;
const FROZEN: readonly Condition[] = ['snow', 'heavy-snow', 'sleet'];
/** Wind of a severe gale (Beaufort 9), m/s. */
const GALE_MS = 20.8;

/** Dew point, °C, by the equation of Magnus. */
function dewPointC(tempC: number, humidityPct: number): number {
  const gamma = Math.log(Math.max(humidityPct, 1) / 100) + (17.62 * tempC) / (243.12 + tempC);
  return (243.12 * gamma) / (17.62 - gamma);
}

/** The unit that a value within bounds seems to have, if the weather is not plausible. */
function doubtfulUnit(field: Field, { tempC, windMs, humidityPct, condition }: Weather) {
  const isDoubtful = {
    tempC:
      tempC > HOTTEST_C ||
      (FROZEN.includes(condition) && tempC > SNOW_MAX_C) ||
      dewPointC(tempC, humidityPct) > HIGHEST_DEW_POINT_C,
    windMs: windMs > GALE_MS,
    humidityPct: humidityPct > 0 && humidityPct <= 1,
  }[field];
  if (!isDoubtful) return undefined;
  return { tempC: 'F', windMs: 'km/h', humidityPct: 'share' }[field];
}

/** Relative humidity that is usual in a condition, %, if a forecast has none. */
const usualHumidityPct = (condition: Condition): number =>
  ['clear', 'partly-cloudy', 'cloudy', 'windy', 'unknown'].includes(condition) ? 60 : 90;

/** Share of a gust that counts as wind: gusts are usually one and a half times the mean. */
const GUST_SHARE = 2 / 3;

const shown = (value: number): string => String(round(value, 1));

/** Reads one value in its unit. */
function readValue(
  input: WeatherInput,
  field: Field,
  value: number,
  context: z.RefinementCtx,
  path: string = field,
): number {
  const row = FIELDS[field];
  const given = input.units?.[row.unit];
  const unit = UNITS[row.unit][given ?? ''];
  const converted = unit ? unit.convert(value) : value;
  if (!isOut(row, converted)) return converted;
  const likely = given === undefined ? likelyUnit(field, value) : undefined;
  const as = likely && UNITS[row.unit][likely];
  const bound = converted < row.min ? `at least ${row.min}` : `at most ${row.max}`;
  const isUsable = as && !isOut(row, as.convert(value));
  context.addIssue({
    code: 'custom',
    path: [path],
    message: `must be ${bound}${unit && given !== Object.keys(UNITS[row.unit])[0] ? ` after conversion from ${unit.label}` : ''}`,
    ...(isUsable && {
      params: {
        advice: () =>
          `${shown(value)} looks like ${as.label}: send it with \`"units": {"${row.unit}": "${likely}"}\``,
      },
    }),
  });
  return Number.NaN;
}

/** Reads a weather into the units of the engine, with notes on what was assumed or is doubtful. */
function readWeather(input: WeatherInput, context: z.RefinementCtx): Weather {
  const { condition, isNight } = readCondition(input.condition);
  const notes: WeatherNote[] = [];
  const note = (code: WeatherNote['code'], params: WeatherNote['params'] = {}) =>
    notes.push({ code, params });
  if (condition === 'unknown' && input.condition !== 'unknown')
    note('weather-unknown', { text: input.condition.slice(0, 40) });

  const tempC = readValue(input, 'tempC', input.tempC, context);
  let windMs = readValue(input, 'windMs', input.windMs, context);
  if (typeof input.gustMs === 'number') {
    const gustMs = readValue(input, 'windMs', input.gustMs, context, 'gustMs');
    const counted = GUST_SHARE * gustMs;
    if (counted > windMs) {
      note('gusts-counted', { gust: shown(gustMs), wind: shown(counted) });
      windMs = counted;
    }
  }
  const hasHumidity = typeof input.humidityPct === 'number';
  const humidityPct = hasHumidity
    ? readValue(input, 'humidityPct', input.humidityPct!, context)
    : usualHumidityPct(condition);
  if (!hasHumidity) note('humidity-assumed', { humidity: shown(humidityPct) });
  if (typeof input.feelsLikeC === 'number')
    note('feels-like-ignored', { felt: shown(input.feelsLikeC) });

  const isDay = input.isDay ?? (isNight ? false : undefined);
  const weather: Weather = { tempC, windMs, humidityPct, condition };
  if (isDay !== undefined) weather.isDay = isDay;
  for (const field of ['tempC', 'windMs', 'humidityPct'] as const) {
    const { unit } = FIELDS[field];
    if (input.units?.[unit] !== undefined) continue;
    const likely = doubtfulUnit(field, weather);
    if (!likely) continue;
    const { convert, label } = UNITS[unit][likely]!;
    const [own] = Object.values(UNITS[unit]);
    const value = weather[field];
    note('unit-doubtful', {
      field,
      value: `${shown(value)} ${own!.label}`,
      likely: label,
      as: `${shown(convert(value))} ${own!.label}`,
      send: `"units": {"${unit}": "${likely}"}`,
    });
  }
  return notes.length > 0 ? { ...weather, notes } : weather;
}

export const Weather = WeatherInput.transform(readWeather).meta({ id: 'Weather' });
