import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { Condition, Weather } from '../schema.ts';

/** Saturation pressure of water vapour, kPa. Source: ISO 7730. */
export const vapourKpa = ({ k: { vapour } }: Model, tempC: number): number =>
  Math.exp(vapour.a - vapour.b / (tempC + vapour.c));

/** Wind at body height, m/s, from the forecast's wind at 10 m. */
export const windAtBody = ({ k: { wind } }: Model, windMs: number): number =>
  clamp(wind.bodyShare * windMs, wind.minMs, wind.maxMs);

/** Walking speed of a person who produces `metW` W/m², m/s. Source: ISO 11079. */
export const walkMs = ({ k: { walk } }: Model, metW: number): number =>
  clamp(walk.perW * (metW - walk.restW), 0, walk.maxMs);

const KMH_PER_MS = 3.6;

/**
 * Wind chill temperature, °C, never above the air temperature; below 5 km/h linear towards it.
 * @param windMs wind at 10 m
 * @see Environment Canada, wind chill index 2001
 */
export function windChillC({ k: { chill } }: Model, tempC: number, windMs: number): number {
  const kmh = KMH_PER_MS * windMs;
  const power = Math.max(kmh, chill.fromKmh) ** chill.power;
  const chilledC = chill.a + chill.perC * tempC + (chill.both * tempC - chill.wind) * power;
  const share = Math.min(1, kmh / chill.fromKmh);
  return Math.min(tempC, tempC + share * (chilledC - tempC));
}

/** Rise of the mean radiant temperature in sunshine, K. */
export const sunK = ({ tables }: Model, { condition, isDay }: Weather): number =>
  isDay === false ? 0 : tables.condition[condition].sunK;

/** Shelter from water that the weather requires, 0–1. */
export const waterNeed = ({ tables }: Model, condition: Condition): number =>
  tables.condition[condition].water;

/** Shelter from wind that the weather requires, 0–1. */
export function windNeed(model: Model, weather: Pick<Weather, 'windMs' | 'tempC'>): number {
  const { gust } = model.k;
  const windShare = (windAtBody(model, weather.windMs) - gust.fromMs) / gust.spanMs;
  const coldShare = (gust.warmC - weather.tempC) / gust.spanC;
  return clamp(windShare, 0, 1) * clamp(coldShare, 0, 1);
}
