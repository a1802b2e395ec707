import { along } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { RegionalTargets, RegionOffsets } from '../schema.ts';

/** What the extremities feel, °C. Indoors both are the room's. */
export interface Around {
  tempC: number;
  windChillC: number;
}

/** Sum of Iclu, clo, of an ensemble of `icl` clo. Source: ISO 9920. */
export const sumIclu = ({ k }: Model, icl: number): number =>
  Math.max(0, (icl - k.icl.atNothing) / k.icl.perIclu);

/**
 * Splits a total into sums of Iclu per region, clo. `dress` stands for top and bottom together; what
 * exceeds a thick top is outerwear. Cold feet, hands and head have floors of their own, so that the
 * parts are no sum. A region's own offset multiplies its share and moves its floor.
 */
export function splitByRegion(
  model: Model,
  icl: number,
  around: Around,
  offsets: RegionOffsets = {},
): RegionalTargets {
  const { region } = model.k;
  const { feetRamp, windChillRamp, regionShare } = model.tables;
  const sum = sumIclu(model, icl);
  const part = (key: 'top' | 'bottom' | 'shoes' | 'accessory', offsetK: number): number =>
    along(regionShare[key], icl) * sum * (1 + region.perK * offsetK);

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
      along(feetRamp, around.tempC - feetK),
    ),
    accessory: Math.max(
      part('accessory', extremitiesK),
      along(windChillRamp, around.windChillC - extremitiesK),
    ),
  };
}
