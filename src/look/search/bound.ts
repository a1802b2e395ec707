import type { ThermalCurve } from '../comfort/comfort.ts';
import { isUnder } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { Space } from './space.ts';

/** Choices made, one for each level from the first on, as indexes of its groups. */
export type Path = readonly number[];

/** What the choices of a path add up to. */
export interface Sums {
  /** Thermal curve of the outermost layer, and how much rain it keeps off. */
  curve: ThermalCurve | undefined;
  cover: number;
  /** Insulation in the weather without overtrousers, milliclo; those may keep the trousers dry. */
  milliClo: number;
  /** What overtrousers can add to that at most. */
  over: number;
  /** Insulation by region, dry. */
  top: number;
  legs: number;
  shoes: number;
  /** Weighted terms that the choices fix, and the bounds on those that overtrousers change. */
  gain: number;
  fits: number;
  occasions: number;
  minOccasion: number;
  /** Shelter that is missing. */
  water: number;
  wind: number;
}

export const groupAt = ({ levels }: Space, path: Path, depth: number): Group =>
  levels[depth]!.groups[path[depth]!]!;

/**
 * Adds the choice `choice` of the level at `depth` to the sums of a path.
 * @param to is overwritten and returned: no object is made in the innermost loop
 */
export function extend(
  space: Space,
  from: Sums,
  path: Path,
  depth: number,
  choice: number,
  to: Sums,
): Sums {
  const { context, levels, pairWeight, tables, overs } = space;
  const level = levels[depth]!;
  const group = level.groups[choice]!;
  const { item } = group;
  to.curve = depth === 0 ? context.curveFor(item.garment) : from.curve;
  to.cover = depth === 0 ? item.garment.water : from.cover;
  const wet = context.wetMilliClo(item, level.isTorso ? to.cover : 0);
  to.milliClo = from.milliClo + wet;
  to.over = from.over;
  to.top = from.top;
  to.legs = from.legs;
  to.shoes = from.shoes;
  if (level.slot === 'bottom') {
    to.legs += item.milliClo;
    if (overs.length > 1 || overs[0]) to.over += item.milliClo - wet + space.maxOver;
  } else if (level.slot === 'shoes') to.shoes += item.milliClo;
  else if (level.slot !== 'outer') to.top += item.milliClo;
  let gain = from.gain + level.gains[choice]!;
  for (let at = 0; at < depth; at++) {
    const other = groupAt(space, path, at);
    const weight = pairWeight * level.area * levels[at]!.area;
    gain += weight * tables.harmony.of(other, group) - tables.clash.of(other, group);
  }
  to.gain = gain;
  to.fits = from.fits + level.fits[choice]!;
  to.occasions = from.occasions + item.occasion;
  to.minOccasion = Math.min(from.minOccasion, item.occasion);
  to.water = from.water + level.water[choice]!;
  to.wind = from.wind + level.wind[choice]!;
  return to;
}

/** At least the score of every outfit with these choices at the levels before `depth`. */
export function upperBound(space: Space, sums: Sums, depth: number): number {
  const { context, tables, under, regionWeight } = space;
  const { protection, thermal } = context.model.tables.weights;
  const rest = space.rest[depth]!;
  const low = sums.top + rest.top.low + under.top.low;
  const high = sums.top + rest.top.high + under.top.high;
  const torso = space.isOnePiece
    ? 2 * tables.dress.upperBound(low + under.bottom.low, high + under.bottom.high)
    : tables.top.upperBound(low, high);
  const least = sums.milliClo + rest.milliClo.low + under.total.low + under.accessory.low;
  const most =
    sums.milliClo + sums.over + rest.milliClo.high + under.total.high + under.accessory.high;
  return (
    protection * (1 - Math.max(sums.water + rest.water, sums.wind + rest.wind)) +
    space.occasionWeight * sums.minOccasion * (sums.occasions + rest.occasions) +
    sums.gain +
    sums.fits +
    rest.gain +
    regionWeight * torso +
    space.accessoryBound +
    thermal * sums.curve!.upperBound(least, Math.min(most, context.maxMilliClo))
  );
}

/** Whether the choices can be worn together: a middle layer fits over the top. */
export function isWearable({ context, levels, midDepth }: Space, path: Path): boolean {
  if (midDepth < 0 || path.length < midDepth + 2) return true;
  const mid = levels[midDepth]!.groups[path[midDepth]!]!;
  return isUnder(context, mid, levels[midDepth + 1]!.groups[path[midDepth + 1]!]!);
}
