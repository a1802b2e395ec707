import { describe, expect, test } from 'vitest';
import { parse } from '../../src/http/parse.ts';
import { computeTargets } from '../../src/look/comfort/signed-targets.ts';
import { readSigningKeys } from '../../src/look/digest.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { TargetsRequest } from '../../src/look/schema.ts';
import { CONDITIONS } from '../../src/look/tables.ts';
import { readCondition, Weather } from '../../src/look/weather-input.ts';
import { Problem } from '../../src/platform/problem.ts';
import { readTable } from '../../src/taxonomy/tables.ts';

// biome-ignore format: a table reads best aligned
const WORDS: Readonly<Record<string, readonly (string | number)[]>> = {
  clear: ['NCD', 'bright', 'bel tempo', 'zonnig en droog', 113, 1000, 1100, 'clear', 'sunny', 'Sunny', 'clear-night', 'clearsky_day', 'clearsky_polartwilight', 'fair_day', 'Clear sky', 'Mainly clear', 'sonnig', 'heiter', 'klar', 'wolkenlos', 'ensoleillé', 'dégagé', 'ciel clair', 'soleado', 'despejado', 'sereno', 'soleggiato', 'zonnig', 'helder', 'onbewolkt', 'CAVOK', 'SKC', 0, 1, '0', 800, '01d', 'no clouds', 'Klarer Himmel', 'Überwiegend sonnig'],
  'partly-cloudy': ['03d', 'nubes y claros', 'sonnige Abschnitte', 'aufgelockert bewölkt', 'nuages épars', 'poche nuvole', 'nubi sparse', 'variabile', 'schiarite', 'Sonne und Wolken', 'alternance de nuages et de soleil', 116, 1003, 1101, 'partlycloudy', 'partly-cloudy', 'partlycloudy_day', 'Partly cloudy', 'few clouds', 'scattered clouds', 'teilweise bewölkt', 'leicht bewölkt', 'heiter bis wolkig', 'wolkig', 'partiellement nuageux', 'peu nuageux', 'éclaircies', 'parcialmente nublado', 'intervalos nubosos', 'poco nuvoloso', 'parzialmente nuvoloso', 'half bewolkt', 'licht bewolkt', 'FEW030', 'SCT020', 2, 801, 'partly-cloudy-night'],
  cloudy: ['dichte Bewölkung', 'Dreary', 'gloomy', 'grau', 122, 1001, 1009, 'cloudy', 'Clouds', 'broken clouds', 'overcast', 'overcast clouds', 'bedeckt', 'bewölkt', 'stark bewölkt', 'nuageux', 'couvert', 'nublado', 'cubierto', 'nuvoloso', 'coperto', 'bewolkt', 'betrokken', 'BKN012', 'OVC008', 3, 803, 'mostly cloudy', 'dry'],
  fog: ['BCFG', 'FZFG', 'VV001', 'BlowingDust', 143, 2000, 1030, 'fog', 'Mist', 'Haze', 'Smoke', 'Dust', 'Nebel', 'neblig', 'brouillard', 'brume', 'niebla', 'neblina', 'nebbia', 'foschia', 'mist', 'nevel', 'FG', 'BR', 'HZ', 45, 48, 701, 741, 'patchy fog', 'Gefrierender Nebel'],
  drizzle: ['-RA', '-SHRA', 'METAR EDDF 281150Z 24012KT 9999 -SHRA BKN020', 'drizzling', '-RADZ', 296, 4000, 1183, 'drizzle', 'light rain', 'lightrain', 'lightrainshowers_day', 'Sprühregen', 'Nieselregen', 'leichter Regen', 'bruine', 'pluie faible', 'pluie légère', 'llovizna', 'lluvia ligera', 'pioviggine', 'pioggia leggera', 'motregen', 'lichte regen', 'DZ', 51, 53, 300, 500],
  rain: ['VCSH', 'regnerisch', 531, 356, 4001, 1189, 'rain', 'rainy', 'Rain showers', 'moderate rain', 'shower rain', 'Regen', 'Regenschauer', 'Schauer', 'pluie', 'averses', 'lluvia', 'chubascos', 'pioggia', 'rovesci', 'regen', 'buien', 'RA', 'SHRA', 61, 63, 80, 501, 521, '10d', 'rainshowers_night'],
  'heavy-rain': ['pluie battante', 'chubascos fuertes', 'plensbui', 'stortregen', 359, 4201, 1195, 'heavy rain', 'heavyrain', 'pouring', 'starker Regen', 'Starkregen', 'fortes pluies', 'forte pluie', 'lluvia fuerte', 'fuertes lluvias', 'pioggia forte', 'zware regen', '+RA', '+SHRA', 65, 82, 502, 'heavy intensity rain', 'very heavy rain'],
  thunderstorm: ['T-Storms', 'StrongStorms', '+TSRAGR', 'chubascos tormentosos', 386, 8000, 1276, 'thunderstorm', 'Thunderstorm', 'lightning', 'lightning-rainy', 'Gewitter', 'orage', 'orages', 'tormenta', 'tormenta eléctrica', 'temporale', 'onweer', 'TSRA', 'heavyrainandthunder', 'thunderstorm with light rain', 95, 96, 99, 211, '11n'],
  sleet: ['bruine verglaçante', 'lluvia congelada', 'gelicidio', 'black ice', 'onderkoelde regen', '-SNRA', 6001, 7000, 350, 1204, 'sleet', 'snowy-rainy', 'Schneeregen', 'freezing rain', 'gefrierender Regen', 'pluie verglaçante', 'pluie et neige', 'aguanieve', 'lluvia helada', 'nevischio', 'pioggia gelata', 'ijzel', 'natte sneeuw', 'FZRA', 'heavysleet', 'lightsleetshowers_day', 56, 66, 67, 511, 611, 'rain and snow', 'Light freezing drizzle'],
  hail: ['Graupel', 'grésil', 'hail', 'Hagel', 'grêle', 'granizo', 'grandine', 'hagel', 'GR', 'GS'],
  snow: ['Snow grains', 'Snow fall: Slight intensity', 'BLSN', 'SunFlurries', 'schneit', 5001, 326, 1213, 'snow', 'snowy', 'light snow', 'lightsnow', 'Schnee', 'Schneefall', 'leichter Schneefall', 'Schneeschauer', 'neige', 'averses de neige', 'nieve', 'nevadas', 'neve', 'nevicata', 'sneeuw', 'SN', '-SN', 71, 73, 77, 85, 600, 'snow showers', 'lightsnowshowers_day'],
  'heavy-snow': ['tempesta di neve', 'tormenta de nieve', '+SHSN', 338, 5101, 'heavy snow', 'heavysnow', 'starker Schneefall', 'fortes chutes de neige', 'nieve fuerte', 'forte nevicata', 'zware sneeuwval', 'blizzard', '+SN', 75, 86, 602],
  windy: ['gusty', 'blustery', 'Gale force winds', 'ráfagas', 'windy', 'windy-variant', 'wind', 'windig', 'Sturm', 'venteux', 'vent fort', 'ventoso', 'viento', 'winderig', 'storm', 'squalls', 'tornado', 771],
  unknown: ['exceptional', 'foo', '', 150, 999, 'unknown', '天气'],
};

const READ = Object.entries(WORDS).flatMap(([condition, words]) =>
  words.map((word) => [word, condition] as const),
);

test.each(READ)('%j is %s', (word, condition) => {
  expect(readCondition(word).condition).toBe(condition);
});

test('the tables name weather that is known, and no code hides another', () => {
  for (const [condition] of readTable('look/weather-words'))
    expect(CONDITIONS).toContain(condition);
  for (const [from, to, condition] of readTable('look/weather-codes'))
    expect([from, to].map((code) => readCondition(code!).condition)).toEqual([
      condition,
      condition,
    ]);
});

test('a text can say that it is night', () => {
  const night = ['clear-night', 'fair_night', '01n', 'klare Nacht', 'clearsky_polartwilight'];
  expect(night.map((text) => readCondition(text).isNight)).toEqual(night.map(() => true));
  const read = (more: object) =>
    Weather.parse({ tempC: 5, windMs: 2, humidityPct: 60, condition: 'clear-night', ...more });
  expect(read({}).isDay).toBe(false);
  expect(read({ isDay: true }).isDay).toBe(true);
});

const CALM = { tempC: 12, windMs: 3, humidityPct: 60, condition: 'cloudy' };
const codesOf = (more: object) =>
  Weather.parse({ ...CALM, ...more }).notes?.map(({ code }) => code) ?? [];
const fieldsOf = (more: object) =>
  Weather.parse({ ...CALM, ...more }).notes?.map(({ params }) => params.field) ?? [];

function errorsOf(more: object) {
  try {
    parse(Weather, { ...CALM, ...more }, 'body');
  } catch (error) {
    if (error instanceof Problem) return error.errors?.map((one) => ({ ...one }));
  }
  throw new Error('accepted');
}

test('a code is a number or a text', () => {
  const read = (condition: unknown) => Weather.parse({ ...CALM, condition }).condition;
  expect([read(61), read('61')]).toEqual(['rain', 'rain']);
  expect(errorsOf({ condition: true })).toMatchObject([{ pointer: '/condition' }]);
});

describe('units', () => {
  test('are converted if they are named', () => {
    const units = { temp: 'F', wind: 'mph', humidity: 'share' };
    const read = Weather.parse({ ...CALM, tempC: 68, windMs: 10, humidityPct: 0.8, units });
    expect(read.tempC).toBeCloseTo(20, 9);
    expect(read.windMs).toBeCloseTo(4.4704, 9);
    expect(read).toMatchObject({ humidityPct: 80, condition: 'cloudy' });
    expect(read).not.toHaveProperty('notes');
    expect(Weather.parse({ ...CALM, tempC: 283.15, units: { temp: 'K' } }).tempC).toBeCloseTo(10);
    expect(Weather.parse({ ...CALM, windMs: 36, units: { wind: 'km/h' } }).windMs).toBeCloseTo(10);
  });

  test.each<[object, string, string, string]>([
    [{ tempC: 68 }, '/tempC', 'at most 60', '"units": {"temp": "F"}'],
    [{ tempC: 283 }, '/tempC', 'at most 60', '"units": {"temp": "K"}'],
    [{ windMs: 80 }, '/windMs', 'at most 60', '"units": {"wind": "km/h"}'],
  ])('%j is an error that names the likely unit', (more, pointer, bound, advice) => {
    expect(errorsOf(more)).toEqual([
      { pointer, detail: expect.stringMatching(`^must be ${bound}; .*${advice}`) },
    ]);
  });

  test('contradictory units, and values that no unit makes plausible, are errors', () => {
    expect(errorsOf({ tempC: 68, units: { temp: 'C' } })).toEqual([
      { pointer: '/tempC', detail: 'must be at most 60' },
    ]);
    expect(errorsOf({ tempC: 10, units: { temp: 'K' } })).toEqual([
      { pointer: '/tempC', detail: 'must be at least -60 after conversion from K' },
    ]);
    expect(errorsOf({ tempC: 1e9, windMs: -1, humidityPct: 101 })).toEqual([
      { pointer: '/tempC', detail: 'must be at most 60' },
      { pointer: '/windMs', detail: 'must be at least 0' },
      { pointer: '/humidityPct', detail: 'must be at most 100' },
    ]);
    expect(errorsOf({ units: { temp: 'Rankine' } })?.[0]?.pointer).toBe('/units/temp');
  });

  test.each<[string, object, string[]]>([
    ['snow at 50 °', { tempC: 50, condition: 'snow', humidityPct: 20 }, ['tempC']],
    ['muggy air at 50 °', { tempC: 50, humidityPct: 70 }, ['tempC']],
    ['a wind of 36', { windMs: 36 }, ['windMs']],
    ['a humidity of .8', { humidityPct: 0.8 }, ['humidityPct']],
    ['a desert', { tempC: 48, humidityPct: 8, condition: 'clear' }, []],
    ['the tropics', { tempC: 34, humidityPct: 80 }, []],
    ['snow at 3 °', { tempC: 3, condition: 'snow' }, []],
    ['a gale', { windMs: 18, condition: 'windy' }, []],
  ])('%s: a doubt names its field', (_, more, fields) => {
    expect(fieldsOf(more)).toEqual(fields);
  });

  test('a doubt about a unit that was named is no doubt', () => {
    expect(codesOf({ windMs: 36, units: { wind: 'm/s' } })).toEqual([]);
  });
});

test('gusts count beyond what is usual, a felt temperature does not, humidity is assumed', () => {
  expect(Weather.parse({ ...CALM, gustMs: 4 }).windMs).toBe(3);
  expect(codesOf({ gustMs: 4 })).toEqual([]);
  expect(Weather.parse({ ...CALM, gustMs: 15 }).windMs).toBeCloseTo(10);
  expect(codesOf({ gustMs: 15 })).toEqual(['gusts-counted']);
  expect(codesOf({ feelsLikeC: -8 })).toEqual(['feels-like-ignored']);
  expect(Weather.parse({ ...CALM, feelsLikeC: -8 }).tempC).toBe(12);
  expect(Weather.parse({ ...CALM, humidityPct: null, condition: 'Regen' }).humidityPct).toBe(90);
  expect(codesOf({ humidityPct: undefined })).toEqual(['humidity-assumed']);
  expect(codesOf({ condition: 'exceptional' })).toEqual(['weather-unknown']);
});

test('the response says what was assumed, in the language of the request', () => {
  const model = readModel(PARAMS);
  const keys = readSigningKeys('k1:a-secret-of-the-test');
  const weather = { tempC: 50, windMs: 3, condition: 'Schneegestöber', feelsLikeC: 48 };
  const said = (locale: string) =>
    computeTargets(model, keys, TargetsRequest.parse({ weather, met: 1.6, locale })).diagnostics;
  expect(said('de').map(({ code }) => code)).toEqual([
    'humidity-assumed',
    'feels-like-ignored',
    'unit-doubtful',
  ]);
  expect(said('de')[2]?.detail).toBe(
    '50 °C passt kaum zu diesem Wetter; in °F wären es 10 °C: "units": {"temp": "F"} mitsenden',
  );
  expect(said('en')[0]?.detail).toBe('Humidity is missing; 90 % assumed');
});
