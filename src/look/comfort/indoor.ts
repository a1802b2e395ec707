import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';

/**
 * Room temperature, °C, if the request has none: heated in the cold, cooled in the heat, linear
 * between. Source: ISO 7730 category B; EN 16798-1 for the change of season.
 */
export function defaultIndoorTempC({ k: { indoor } }: Model, outdoorTempC: number): number {
  const share = clamp((outdoorTempC - indoor.heatC) / (indoor.coolC - indoor.heatC), 0, 1);
  return indoor.winterC + (indoor.summerC - indoor.winterC) * share;
}
