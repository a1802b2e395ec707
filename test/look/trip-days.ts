/** Weather and activity of a day like others, for tests of trips. */
const weather = { tempC: 8, windMs: 4, humidityPct: 70, condition: 'cloudy' };
export const dateAt = (day: number) => `2026-11-${String(day + 1).padStart(2, '0')}`;
export const daysOf = (temperatures: readonly number[], more: object = {}) =>
  temperatures.map((tempC, day) => ({
    date: dateAt(day),
    weather: { ...weather, tempC },
    met: 2,
    ...more,
  }));
