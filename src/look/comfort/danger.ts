import type { Model } from '../params.ts';
import type { Weather } from '../schema.ts';
import type { Situation } from './targets.ts';
import { vapourKpa } from './weather.ts';

const KMH_PER_MS = 3.6;
const HPA_PER_KPA = 10;

/**
 * Minutes until bare skin freezes in most people, at the least 2; undefined if it hardly does.
 * @see Environment Canada, wind chill index 2001: time to frostbite
 */
function frostbiteMinutes(
  { k: { danger } }: Model,
  { tempC, windMs }: Pick<Weather, 'tempC' | 'windMs'>,
  windChillC: number,
): number | undefined {
  if (windChillC > danger.frostC) return undefined;
  const kmh = KMH_PER_MS * windMs;
  const driving = danger.frostA - danger.frostB * (0.667 * kmh + 4.8);
  const minutes = Math.max(0, driving) * Math.max(1, -4.8 - tempC) ** -danger.frostPower;
  return Math.min(30, Math.max(2, Math.round(minutes)));
}

/** Wet bulb globe temperature in light shade and light wind, °C. Source: Australian Bureau of Meteorology. */
function wbgtC(model: Model, { tempC, humidityPct }: Weather): number {
  const { danger } = model.k;
  const hPa = (HPA_PER_KPA * vapourKpa(model, tempC) * humidityPct) / 100;
  return danger.wbgtAir * tempC + danger.wbgtVapour * hPa + danger.wbgtRest;
}

export interface Danger {
  code: 'cold' | 'frostbite' | 'heat' | 'heat-caution';
  params: Readonly<Record<string, number>>;
}

/** What the weather outside can do to a person at this activity, the worst first. */
export function dangersOf(model: Model, { weather, windChillC, met }: Situation): Danger[] {
  const dangers: Danger[] = [];
  const minutes = frostbiteMinutes(model, weather, windChillC);
  if (minutes !== undefined)
    dangers.push({ code: 'frostbite', params: { minutes, chill: windChillC } });
  const wbgt = wbgtC(model, weather);
  const limit = model.tables.heatLimit.find(({ toMet }) => toMet === null || met <= toMet)!.wbgtC;
  const { heatC, cautionC } = model.k.danger;
  const over = wbgt - limit;
  if (over >= heatC) dangers.push({ code: 'heat', params: { wbgt, limit } });
  else if (over >= cautionC) dangers.push({ code: 'heat-caution', params: { wbgt, limit } });
  return dangers;
}
