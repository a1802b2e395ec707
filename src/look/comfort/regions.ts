import { interpolate } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { RegionalTargets, RegionOffsets } from '../schema.ts';

/** Temperatures at the extremities, °C; indoors both are the room's. */
export interface AmbientTemperatures {
  tempC: number;
  windChillC: number;
}

/** Sum of Iclu, clo, of an ensemble of `icl` clo. Source: ISO 9920. */
export const sumIclu = ({ k }: Model, icl: number): number =>
  Math.max(0, (icl - k.icl.atNothing) / k.icl.perIclu);

/**
 * Splits a total into sums of Iclu per region, clo. `dress` covers top and bottom together; demand
 * beyond a thick top goes to outerwear. Feet, hands and head have minimums of their own in the cold, so
 * the regions do not add up to the total. A region's own offset scales its share and shifts its minimum.
 */
export function splitByRegion(
  model: Model,
  icl: number,
  ambient: AmbientTemperatures,
  offsets: RegionOffsets = {},
): RegionalTargets {
  const { region } = model.k;
  const { feetRamp, windChillRamp, regionShare } = model.tables;
  const sum = sumIclu(model, icl);
  const part = (key: 'top' | 'bottom' | 'shoes' | 'accessory', offsetK: number): number =>
    interpolate(regionShare[key], icl) * sum * (1 + region.perK * offsetK);

  const { top: topK = 0, bottom: bottomK = 0, feet: feetK = 0, hands = 0, head = 0 } = offsets;
  const extremitiesK = hands + head;
  const trunk = part('top', topK);
  const top = Math.min(trunk, region.topMax);
  const bottom = Math.max(region.bottomMin, part('bottom', bottomK) - region.underwear);
  return {
    top,
    outerwear: trunk - top,
    dress: top + region.dressOfLegs * bottom,
    bottom,
    shoes: Math.max(
      region.shoesMin,
      part('shoes', feetK) - region.socks,
      interpolate(feetRamp, ambient.tempC - feetK),
    ),
    accessory: Math.max(
      part('accessory', extremitiesK),
      interpolate(windChillRamp, ambient.windChillC - extremitiesK),
    ),
  };
}
