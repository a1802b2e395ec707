import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { Condition, Weather } from '../schema.ts';

/** Saturation pressure of water vapour, kPa. Source: ISO 7730. */
export const vapourKpa = ({ k: { vapour } }: Model, tempC: number): number =>
  Math.exp(vapour.a - vapour.b / (tempC + vapour.c));

/** Wind at the height of the body, m/s, from the forecast's wind at 10 m. */
export const windAtBody = ({ k: { wind } }: Model, windMs: number): number =>
  clamp(wind.bodyShare * windMs, wind.minMs, wind.maxMs);

/** Speed at which a body that gives off `metW` W/m² moves through the air, m/s. Source: ISO 11079. */
export const walkMs = ({ k: { walk } }: Model, metW: number): number =>
  clamp(walk.perW * (metW - walk.restW), 0, walk.maxMs);

const KMH_PER_MS = 3.6;

/**
 * Wind chill temperature, °C, never above the air's; below 5 km/h linear to the air temperature.
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

/** Rise of the mean radiant temperature by the sun, K. */
export const sunK = ({ tables }: Model, { condition, isDay }: Weather): number =>
  isDay === false ? 0 : tables.condition[condition].sunK;

/** How much shelter from water the weather asks for, 0–1. */
export const waterNeed = ({ tables }: Model, condition: Condition): number =>
  tables.condition[condition].water;

/** How much shelter from wind the weather asks for, 0–1. */
export function windNeed(model: Model, weather: Pick<Weather, 'windMs' | 'tempC'>): number {
  const { gust } = model.k;
  const blows = (windAtBody(model, weather.windMs) - gust.fromMs) / gust.spanMs;
  const cools = (gust.warmC - weather.tempC) / gust.spanC;
  return clamp(blows, 0, 1) * clamp(cools, 0, 1);
}
