import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CLOSET } from '../look/closet.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { postJson } = await useSharedStack();

const post = (path: string, body: unknown) => postJson(`/look/v1/${path}`, body);

async function answered<T>(schema: z.ZodType<T>, response: Response): Promise<T> {
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  expect(response.headers.get('x-request-id')).toBeTruthy();
  return schema.parse(body);
}

const Problem = z.looseObject({
  type: z.string(),
  requestId: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});
const problem = async (response: Response) => {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return Problem.parse(await response.json());
};
const pointersOf = async (response: Response) =>
  (await problem(response)).errors?.map(({ pointer }) => pointer);

const day = {
  weather: { tempC: 8, windMs: 5, humidityPct: 80, condition: 'rain' },
  met: 2,
  occasion: 'work',
};

/** As Open-Meteo returns it: two days by the hour. */
const time = Array.from(
  { length: 48 },
  (_, i) => `2026-11-${i < 24 ? 24 : 25}T${String(i % 24).padStart(2, '0')}:00`,
);
const openMeteo = {
  latitude: 52.5,
  hourly_units: { temperature_2m: '°C', wind_speed_10m: 'km/h' },
  hourly: {
    time,
    temperature_2m: time.map((_, i) => 4 + (i % 24) / 3),
    relative_humidity_2m: time.map(() => 70),
    wind_speed_10m: time.map(() => 14),
    weather_code: time.map(() => 61),
  },
};
const Named = z.looseObject({ itemIds: z.array(z.string()), name: z.string() });

describe('a forecast as it comes', () => {
  test('/day takes it', async () => {
    const body = { forecast: { openMeteo }, date: '2026-11-25', met: 2, items: CLOSET };
    const planned = await answered(
      z.looseObject({ outfit: Named, hours: z.array(z.looseObject({ at: z.string() })) }),
      await post('day', body),
    );
    expect(planned.hours.map(({ at }) => at)).toEqual(time.slice(24 + 7, 24 + 22));
    const both = await post('day', { ...body, hours: [{ weather: day.weather, met: 2 }] });
    expect(await pointersOf(both)).toEqual(['/hours']);
    const none = await post('day', { items: CLOSET });
    expect(await pointersOf(none)).toEqual(['/hours']);
    const still = await post('day', { ...body, met: undefined });
    expect(await pointersOf(still)).toEqual(['/met']);
    const past = await post('day', { ...body, date: '2025-01-01' });
    expect(past.status).toBe(400);
    expect((await problem(past)).errors).toEqual([
      {
        pointer: '/date',
        detail:
          'The forecast has no weather for 2025-01-01T07:00; `fromHour` and `toHour` say which hours count',
      },
    ]);
  });

  test('/trip takes it, and packs for all days', async () => {
    const Trip = z.looseObject({
      itemIds: z.array(z.string()),
      days: z.array(z.looseObject({ date: z.string(), outfit: Named })),
      gap: z.number(),
    });
    const days = ['2026-11-24', '2026-11-25'].map((date) => ({ date, met: 2, occasion: 'work' }));
    const body = { days, forecast: { openMeteo }, items: CLOSET, maxItems: 8, locale: 'de' };
    const response = await post('trip', { ...body, wearsBeforeWash: 1 });
    expect(response.headers.get('content-language')).toBe('de');
    const trip = await answered(Trip, response);
    expect(trip.days.map(({ date }) => date)).toEqual(days.map(({ date }) => date));
    expect(trip.itemIds.length).toBeLessThanOrEqual(8);
    const long = Array.from({ length: 60 }, (_, i) => ({ ...days[0], date: `20${10 + i}-01-01` }));
    const rejected = await post('trip', { ...body, days: long });
    expect(rejected.status).toBe(400);
    expect(await pointersOf(rejected)).toEqual(['/days']);
  });
});
