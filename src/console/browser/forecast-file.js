import { say } from './texts.js';

/**
 * A forecast as a weather service sent it.
 * @typedef {{source: string, body: Record<string, unknown>, dates: string[]}} ForecastFile
 *   `body` as `/look/v1/trip` takes it; `dates` that the forecast covers from morning to evening
 */

/** A day counts from 7 to 22; the last step of a day is 18:00 if there is one every six hours. */
const [FIRST_HOUR, LAST_HOUR] = [7, 18];
const MAX_BYTES = 4_000_000;

/** @param {readonly string[]} times local ISO 8601 times */
function wholeDays(times) {
  /** @type {Map<string, number[]>} */
  const hours = new Map();
  for (const time of times) {
    const date = time.slice(0, 10);
    hours.set(date, [...(hours.get(date) ?? []), Number(time.slice(11, 13))]);
  }
  return [...hours].flatMap(([date, all]) =>
    Math.min(...all) <= FIRST_HOUR && Math.max(...all) >= LAST_HOUR ? [date] : [],
  );
}

/** @param {any} json @returns {ForecastFile | undefined} */
function readOpenMeteo(json) {
  const times = json?.hourly?.time;
  if (!Array.isArray(times)) return undefined;
  return { source: 'Open-Meteo', body: { openMeteo: json }, dates: wholeDays(times.map(String)) };
}

/** @param {any} json @returns {ForecastFile | undefined} */
function readMetNorway(json) {
  const steps = json?.properties?.timeseries;
  if (!Array.isArray(steps)) return undefined;
  const utcOffsetMinutes = -new Date().getTimezoneOffset();
  const local = steps.map(({ time }) =>
    new Date(Date.parse(String(time)) + utcOffsetMinutes * 60_000).toISOString(),
  );
  return {
    source: 'MET Norway',
    body: { metNorway: json, utcOffsetMinutes },
    dates: wholeDays(local),
  };
}

/**
 * Reads a file with the JSON of a weather service.
 * @param {File} file
 * @returns {Promise<ForecastFile>}
 * @throws {Error} that says what is wrong with the file
 */
export async function readForecastFile(file) {
  if (file.size > MAX_BYTES) throw new Error(say('forecast.large'));
  const text = await file.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(say('forecast.notJson'));
  }
  const read = tryRead(json);
  if (!read) throw new Error(say('forecast.unknown'));
  if (read.dates.length === 0) throw new Error(say('forecast.noDay'));
  return read;
}

/** @param {any} json @returns {ForecastFile | undefined} */
function tryRead(json) {
  try {
    return readOpenMeteo(json) ?? readMetNorway(json);
  } catch {
    return undefined; // times that are none
  }
}
