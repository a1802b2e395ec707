import type { ThermalCurve } from '../comfort/comfort.ts';
import { isUnder } from '../wardrobe/templates.ts';
import type { Choice, Rest, Space } from './space.ts';

/** Choices made by level; undefined where none is made yet. */
export type Path = readonly (Choice | undefined)[];

/** What the choices of a path add up to. */
export interface Sums {
  /** Thermal curve of the outermost layer, and how much rain it and overtrousers keep off. */
  curve: ThermalCurve | undefined;
  torsoCover: number;
  legCover: number;
  /** Insulation in the weather, milliclo. */
  milliClo: number;
  /** Insulation by region, dry. */
  top: number;
  legs: number;
  shoes: number;
  /** Weighted terms that the choices fix, and bounds on the fits of legs and feet. */
  gain: number;
  fits: number;
  occasions: number;
  leastOccasion: number;
  /** Shelter that is missing. */
  water: number;
  wind: number;
}

/**
 * Adds a choice at `depth` to the sums of the other choices of a path.
 * @param to is overwritten and returned: no object is made in the innermost loop
 */
export function extend(
  space: Space,
  from: Sums,
  path: Path,
  depth: number,
  choice: Choice,
  to: Sums,
): Sums {
  const { context, levels, pairWeight, tables, regionWeight, under } = space;
  const { slot, isTorso, area } = levels[depth]!;
  const { group } = choice;
  const { garment, milliClo } = group.item;
  to.curve = depth === 0 ? context.curveFor(garment) : from.curve;
  to.torsoCover = depth === 0 ? garment.water : from.torsoCover;
  to.legCover = slot === 'over' ? garment.water : from.legCover;
  const cover = isTorso ? to.torsoCover : slot === 'bottom' ? to.legCover : 0;
  to.milliClo = from.milliClo + context.wetMilliClo(group.item, cover);
  to.top = from.top + (slot === 'mid' || slot === 'main' ? milliClo : 0);
  to.legs = from.legs + (slot === 'over' || slot === 'bottom' ? milliClo : 0);
  to.shoes = from.shoes + (slot === 'shoes' ? milliClo : 0);
  to.fits = from.fits;
  if (slot === 'bottom' || slot === 'shoes') {
    const own = slot === 'bottom' ? to.legs : to.shoes;
    const { low, high } = under[slot];
    to.fits += regionWeight * tables.fits[slot].upperBound(own + low, own + high);
  }
  let gain = from.gain + choice.gain;
  const weight = pairWeight * area;
  for (let at = 0; at < path.length; at++) {
    const other = path[at]?.group;
    if (!other) continue;
    gain += weight * levels[at]!.area * tables.harmony(other, group) - tables.clash(other, group);
  }
  to.gain = gain;
  to.occasions = from.occasions + choice.occasion;
  const occasion = slot === 'over' ? 1 : choice.occasion;
  to.leastOccasion = Math.min(from.leastOccasion, occasion);
  to.water = from.water + choice.water;
  to.wind = from.wind + choice.wind;
  return to;
}

/** At least the score of every outfit with these choices. @param rest of the levels that are open */
export function upperBound(space: Space, sums: Sums, rest: Rest): number {
  const { context, tables, under, regionWeight } = space;
  const { protection, thermal } = context.model.tables.weights;
  const low = sums.top + rest.top.low + under.top.low;
  const high = sums.top + rest.top.high + under.top.high;
  const torso = space.isOnePiece
    ? 2 * tables.fits.dress.upperBound(low + under.bottom.low, high + under.bottom.high)
    : tables.fits.top.upperBound(low, high);
  const coldest = sums.milliClo + rest.milliClo.low + under.total.low + under.accessory.low;
  const warmest = sums.milliClo + rest.milliClo.high + under.total.high + under.accessory.high;
  return (
    protection * (1 - Math.max(sums.water + rest.water, sums.wind + rest.wind)) +
    space.occasionWeight * sums.leastOccasion * (sums.occasions + rest.occasions) +
    sums.gain +
    sums.fits +
    rest.gain +
    regionWeight * torso +
    space.accessoryBound +
    thermal * (sums.curve?.upperBound(coldest, Math.min(warmest, context.maxMilliClo)) ?? 1)
  );
}

/** The sums of a path. */
export function sumsOf(space: Space, path: Path): Sums {
  const sums: Sums = { ...space.root };
  for (const [depth, choice] of path.entries())
    if (choice) extend(space, sums, path.slice(0, depth), depth, choice, sums);
  return sums;
}

/**
 * At least what an outfit scores that differs at `depth` alone, less the `best` of its choice there.
 * @param others sums of the other choices
 */
export function openBound(space: Space, others: Sums, depth: number): number {
  const { slot, choices } = space.levels[depth]!;
  // The fit of trousers is known only with what is over them.
  if (slot === 'over') return Number.POSITIVE_INFINITY;
  return upperBound(space, others, space.alone[depth]!) - choices[0]!.best;
}

/** Whether each garment of a path can be worn under the one of the level before. */
export const isWearable = ({ context, levels }: Space, path: Path): boolean =>
  path.every((choice, depth) => {
    const { slot, isUnder: isInner } = levels[depth]!;
    const above = path[depth - 1];
    return !isInner || !choice || !above || isUnder(context, slot, above.group, choice.group);
  });
