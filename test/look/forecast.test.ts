import { describe, expect, test } from 'vitest';
import { readForecast, summarise } from '../../src/look/forecast.ts';
import { Forecast } from '../../src/look/forecast-schema.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { Problem } from '../../src/platform/problem.ts';

const HOURS = Array.from({ length: 48 }, (_, i) => i);
const at = (i: number) =>
  `2026-11-${24 + Math.floor(i / 24)}T${String(i % 24).padStart(2, '0')}:00`;

/** As api.open-meteo.com answers, with `hourly=temperature_2m,…&timezone=Europe/Berlin`. */
const openMeteo = (more: object = {}, units: object = {}) => ({
  latitude: 52.52,
  longitude: 13.419998,
  generationtime_ms: 0.0629425048828125,
  utc_offset_seconds: 3600,
  timezone: 'Europe/Berlin',
  timezone_abbreviation: 'GMT+1',
  elevation: 38.0,
  hourly_units: {
    time: 'iso8601',
    temperature_2m: '°C',
    relative_humidity_2m: '%',
    wind_speed_10m: 'km/h',
    weather_code: 'wmo code',
    ...units,
  },
  hourly: {
    time: HOURS.map(at),
    temperature_2m: HOURS.map((i) => i % 24),
    relative_humidity_2m: HOURS.map(() => 80),
    wind_speed_10m: HOURS.map(() => 18),
    weather_code: HOURS.map((i) => (i < 24 ? 61 : 3)),
    is_day: HOURS.map((i) => Number(i % 24 > 7 && i % 24 < 17)),
    ...more,
  },
});

/** As api.met.no answers: hours at first, then steps of six hours. */
const metNorway = (more: (i: number) => object = () => ({})) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [10.75, 59.91, 23] },
  properties: {
    meta: { updated_at: '2026-11-23T12:31:05Z', units: { air_temperature: 'celsius' } },
    timeseries: HOURS.filter((i) => i < 24 || i % 6 === 0).map((i) => ({
      time: `${at(i)}:00Z`,
      data: {
        instant: {
          details: {
            air_pressure_at_sea_level: 1012.3,
            air_temperature: -3.5,
            relative_humidity: 70.1,
            wind_speed: 4.2,
            ...more(i),
          },
        },
        next_12_hours: { summary: { symbol_code: 'cloudy' }, details: {} },
        ...(i < 24 && {
          next_1_hours: {
            summary: { symbol_code: i < 8 ? 'clearsky_night' : 'lightsnowshowers_day' },
          },
        }),
        next_6_hours: { summary: { symbol_code: 'heavyrainandthunder' }, details: {} },
      },
    })),
  },
});

const read = (forecast: object) => readForecast(Forecast.parse(forecast));
const hoursOf = (forecast: object, date = '2026-11-24') => read(forecast).hoursOf(date, '/date');
const rejected = (forecast: object, date?: string) => {
  try {
    hoursOf(forecast, date);
  } catch (error) {
    if (error instanceof Problem) return error.errors?.[0];
  }
  throw new Error('accepted');
};

describe('Open-Meteo', () => {
  test('hours from 7 to 22 of a date, in the units of requests', () => {
    const hours = hoursOf({ openMeteo: openMeteo() });
    expect(hours).toHaveLength(15);
    expect(hours[2]).toEqual({
      at: '2026-11-24T09:00',
      weather: { tempC: 9, windMs: 5, humidityPct: 80, condition: 'rain', isDay: true },
    });
    expect(hours.at(-1)?.weather.isDay).toBe(false);
    expect(hoursOf({ openMeteo: openMeteo() }, '2026-11-25')[0]?.weather.condition).toBe('cloudy');
    expect(read({ openMeteo: openMeteo() }).firstDate).toBe('2026-11-24');
  });

  test.each(['mph', 'mp/h'])('other units (%s), other hours, no daylight', (wind_speed_10m) => {
    const units = { temperature_2m: '°F', wind_speed_10m };
    const values = { temperature_2m: HOURS.map(() => 50), is_day: undefined };
    const hours = hoursOf({ openMeteo: openMeteo(values, units), fromHour: 0, toHour: 1 });
    expect(hours).toHaveLength(1);
    expect(hours[0]?.weather.tempC).toBeCloseTo(10);
    expect(hours[0]?.weather.windMs).toBeCloseTo(8.05, 2);
    expect(hours[0]?.weather).not.toHaveProperty('isDay');
    expect(rejected({ openMeteo: openMeteo({}, { wind_speed_10m: 'Bft' }) })).toEqual({
      pointer: '/forecast/openMeteo/hourly_units/wind_speed_10m',
      detail: 'is not km/h, m/s, mph or kn',
    });
  });

  test('every weather code of the service has a condition', () => {
    const codes = [
      0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85,
      86, 95, 96, 99,
    ];
    const weather_code = HOURS.map((i) => codes[i % codes.length]!);
    const all = { openMeteo: openMeteo({ weather_code }), fromHour: 0, toHour: 24 };
    expect([...hoursOf(all), ...hoursOf(all, '2026-11-25')]).toHaveLength(48);
    const unknown = openMeteo({ weather_code: HOURS.map(() => 150) });
    expect(hoursOf({ openMeteo: unknown })[0]?.weather.condition).toBe('unknown');
  });

  test('a gap is an error that names it, unless the hour does not count', () => {
    const temperature_2m = HOURS.map((i) => (i === 13 ? null : 5));
    const forecast = { openMeteo: openMeteo({ temperature_2m }) };
    expect(rejected(forecast)).toEqual({
      pointer: '/forecast/openMeteo/hourly/temperature_2m/13',
      detail: 'is missing in an hour that counts; see `fromHour` and `toHour`',
    });
    expect(hoursOf({ ...forecast, toHour: 13 })).toHaveLength(6);
    expect(hoursOf(forecast, '2026-11-25')).toHaveLength(15);
    const short = openMeteo({ wind_speed_10m: [18] });
    expect(rejected({ openMeteo: short })?.pointer).toMatch(/wind_speed_10m\/7$/);
    const codeless = openMeteo({ weather_code: undefined, relative_humidity_2m: undefined });
    const [first] = hoursOf({ openMeteo: codeless });
    expect(first?.weather).toMatchObject({ condition: 'unknown', humidityPct: 60 });
    expect(first?.weather.notes?.map(({ code }) => code)).toEqual([
      'weather-unknown',
      'humidity-assumed',
    ]);
    expect(rejected({ openMeteo: openMeteo() }, '2026-11-26')).toEqual({
      pointer: '/date',
      detail:
        'The forecast has no weather for 2026-11-26T07:00; `fromHour` and `toHour` say which hours count',
    });
  });

  test.each(['', 'yesterday', '275760-09-13T00:00', '-271821-04-20T00:00Z', '2026-13-45T99:99'])(
    'a time such as %j is an error',
    (time) => {
      const forecast = { openMeteo: openMeteo({ time: HOURS.map(() => time) }) };
      expect(rejected(forecast)?.pointer).toBe('/forecast/openMeteo/hourly/time/0');
    },
  );

  test('weather that no request could have is an error', () => {
    const temperature_2m = HOURS.map(() => 1e9);
    expect(rejected({ openMeteo: openMeteo({ temperature_2m }) })).toEqual({
      pointer: '/forecast/openMeteo/hourly/time/7',
      detail: 'has a value of tempC that is out of bounds',
    });
  });
});

describe('MET Norway', () => {
  test('hours in local time, and steps of six hours', () => {
    const forecast = { metNorway: metNorway(), utcOffsetMinutes: 60 };
    const [first, second] = hoursOf(forecast);
    expect(first).toEqual({
      at: '2026-11-24T07:00',
      weather: { tempC: -3.5, windMs: 4.2, humidityPct: 70.1, condition: 'clear', isDay: false },
    });
    expect(second?.weather.isDay).toBe(false);
    expect(hoursOf(forecast)[2]?.weather.condition).toBe('snow');
    const later = hoursOf(forecast, '2026-11-25').map(({ weather }) => weather.condition);
    expect(new Set(later)).toEqual(new Set(['thunderstorm']));
  });

  test('a gap is an error that names it', () => {
    const forecast = { metNorway: metNorway((i) => (i === 9 ? { wind_speed: undefined } : {})) };
    expect(rejected(forecast)?.pointer).toBe(
      '/forecast/metNorway/properties/timeseries/9/data/instant/details/wind_speed',
    );
  });
});

/** The same day as other services write it. */
const SERVICES = {
  /** As api.openweathermap.org/data/2.5/forecast answers, steps of three hours. */
  openWeather: {
    cod: '200',
    city: { name: 'Berlin', timezone: 3600 },
    list: HOURS.filter((i) => i % 3 === 0).map((i) => ({
      dt: Date.parse(`${at(i)}Z`) / 1000,
      main: { temp: 278.15, feels_like: 274.2, humidity: 81 },
      weather: [{ id: 500, main: 'Rain', description: 'light rain', icon: '10d' }],
      wind: { speed: 5, deg: 240, gust: 6 },
      dt_txt: '2026-11-24 06:00:00',
    })),
  },
  /** As api.brightsky.dev/weather answers, times in UTC. */
  brightSky: {
    weather: HOURS.map((i) => ({
      timestamp: `${at(i)}:00+00:00`,
      temperature: 5,
      wind_speed: 18,
      wind_gust_speed: null,
      relative_humidity: 81,
      condition: 'rain',
      icon: 'rain',
    })),
    sources: [{ id: 1, observation_type: 'forecast' }],
  },
  /** As `weather.get_forecasts` of Home Assistant returns. */
  homeAssistant: {
    temperature_unit: '°F',
    wind_speed_unit: 'mph',
    forecast: HOURS.map((i) => ({
      datetime: `${at(i)}:00+00:00`,
      condition: 'rainy',
      temperature: 41,
      wind_speed: 11.184681,
      humidity: 81,
    })),
  },
};

describe('other services', () => {
  test.each(Object.entries(SERVICES))('%s', (id, response) => {
    const hours = hoursOf({ [id]: response, utcOffsetMinutes: 60 });
    expect(hours).toHaveLength(15);
    expect(hours[0]?.weather.tempC).toBeCloseTo(5);
    expect(hours[0]?.weather.windMs).toBeCloseTo(5);
    expect(hours[0]?.weather).toMatchObject({ humidityPct: 81 });
    expect(['rain', 'drizzle']).toContain(hours[0]?.weather.condition);
  });

  test('One Call, hourly, in Fahrenheit', () => {
    const hourly = HOURS.map((i) => ({
      dt: Date.parse(`${at(i)}Z`) / 1000,
      temp: 41,
      wind_speed: 10,
      weather: [{ id: 801 }],
    }));
    const units = { temp: 'F', wind: 'mph' } as const;
    const [first] = hoursOf({ openWeather: { hourly }, units });
    expect(first?.weather).toMatchObject({ condition: 'partly-cloudy', humidityPct: 60 });
    expect(first?.weather.tempC).toBeCloseTo(5);
    expect(rejected({ openWeather: { hourly } })).toEqual({
      pointer: '/forecast/openWeather/hourly/7/dt',
      detail:
        'has a value of tempC that is out of bounds; `forecast.units` says in which units it is',
    });
  });

  test('a time with an offset is local, one in UTC is shifted', () => {
    const brightSky = {
      weather: HOURS.map((i) => ({
        ...SERVICES.brightSky.weather[i],
        timestamp: `${at(i)}:00+02:00`,
      })),
    };
    expect(hoursOf({ brightSky, utcOffsetMinutes: 120 })[0]?.at).toBe('2026-11-24T07:00');
    expect(read({ brightSky, utcOffsetMinutes: 120 }).firstDate).toBe('2026-11-24');
  });

  test('holes, values that are no numbers, and days as steps are named', () => {
    const withHole = (more: object) => ({
      brightSky: {
        weather: SERVICES.brightSky.weather.map((hour, i) =>
          i === 9 ? { ...hour, ...more } : hour,
        ),
      },
    });
    expect(rejected(withHole({ wind_speed: null }))?.pointer).toBe(
      '/forecast/brightSky/weather/9/wind_speed',
    );
    expect(rejected(withHole({ temperature: '5' }))).toEqual({
      pointer: '/forecast/brightSky/weather/9/temperature',
      detail: 'is not a number',
    });
    const missing = {
      brightSky: { weather: SERVICES.brightSky.weather.filter((_, i) => i !== 9) },
    };
    expect(rejected(missing, '2026-11-24')?.detail).toMatch(/no weather for 2026-11-24T09:00/);
    const forecast = SERVICES.homeAssistant.forecast.filter((_, i) => i % 24 === 0);
    expect(rejected({ homeAssistant: { forecast } })?.detail).toMatch(/steps of 24 hours/);
  });

  test('a response under the name of another service is told from its shape', () => {
    const said = (forecast: object) =>
      Forecast.safeParse(forecast).error?.issues.map(({ message }) => message) ?? [];
    expect(said({ metNorway: openMeteo() })).toContain(
      'looks like a response for `openMeteo`; send it as that',
    );
    expect(said({ openMeteo: metNorway() })).toContain(
      'looks like a response for `metNorway`; send it as that',
    );
    expect(said({ openWeather: SERVICES.brightSky })).toContain(
      'looks like a response for `brightSky`; send it as that',
    );
    expect(said({ openMeteo: openMeteo(), units: { temp: 'F' } })).toEqual([
      '`openMeteo` names its units',
    ]);
    expect(said({ openWeather: { list: [{ __proto__: null }] } })).toEqual([]);
  });
});

test('a forecast from now on: the first date is the first with all hours that count', () => {
  const from = (hour: number) => ({
    openMeteo: openMeteo({ time: HOURS.slice(hour).map(at) }),
  });
  expect(read(from(7)).firstDate).toBe('2026-11-24');
  expect(read(from(8)).firstDate).toBe('2026-11-25');
  expect(read({ ...from(8), fromHour: 9 }).firstDate).toBe('2026-11-24');
  expect(read(from(40)).firstDate).toBe('2026-11-25');
});

test('a forecast is of one service, with hours in order', () => {
  for (const forecast of [
    {},
    { openMeteo: openMeteo(), metNorway: metNorway() },
    { openMeteo: openMeteo(), fromHour: 12, toHour: 12 },
  ])
    expect(Forecast.safeParse(forecast).success).toBe(false);
});

test('the weather of a day: mean warmth, strongest wind, wettest condition', () => {
  const model = readModel(PARAMS);
  const hours = hoursOf({
    openMeteo: openMeteo({
      wind_speed_10m: HOURS.map((i) => (i === 12 ? 36 : 18)),
      weather_code: HOURS.map((i) => (i === 14 ? 61 : 3)),
    }),
  });
  expect(summarise(model, hours)).toEqual({
    tempC: 14,
    windMs: 10,
    humidityPct: 80,
    condition: 'rain',
  });
});
