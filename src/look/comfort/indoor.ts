import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { OccasionRow } from '../tables.ts';

/**
 * Room temperature, °C, if the request has none: heated in the cold, cooled in the heat, linear
 * between. Source: ISO 7730 category B; EN 16798-1 for the change of season.
 */
export function defaultIndoorTempC({ k: { indoor } }: Model, outdoorTempC: number): number {
  const share = clamp((outdoorTempC - indoor.heatC) / (indoor.coolC - indoor.heatC), 0, 1);
  return indoor.winterC + (indoor.summerC - indoor.winterC) * share;
}

/**
 * Activity in the room, met. Up to a walk it is that of the way, and the room is for sitting and
 * standing; heavier work is done in the room. Sport has its own activity wherever it is done.
 */
export function indoorMet({ k: { indoor } }: Model, { place }: OccasionRow, met: number): number {
  const { metMax, walkMet, workMet } = indoor;
  if (place === 'outside' || place === 'sport') return met;
  const share = clamp((met - walkMet) / (workMet - walkMet), 0, 1);
  return Math.min(met, metMax + share * (met - metMax));
}

/** Where an outfit is worn, and why that follows from the request. */
export interface Place {
  plan: 'indoor' | 'outdoor';
  why: 'plan' | 'occasion' | 'activity' | 'indoor-temperature' | 'default';
}

/** The plan that a request asks for, else that of what it is for; a room is the default. */
export function placeOf(
  { k }: Model,
  { place }: OccasionRow,
  request: {
    plan?: Place['plan'] | undefined;
    indoorTempC?: number | null | undefined;
    met: number;
  },
): Place {
  const { plan, indoorTempC, met } = request;
  if (plan) return { plan, why: 'plan' };
  if (place === 'outside') return { plan: 'outdoor', why: 'occasion' };
  if (place === 'room' || (place === 'walk' && met <= k.indoor.walkMet))
    return { plan: 'indoor', why: 'default' };
  if (typeof indoorTempC === 'number') return { plan: 'indoor', why: 'indoor-temperature' };
  return { plan: 'outdoor', why: place === 'walk' ? 'activity' : 'occasion' };
}
