import type { WornItem } from '../scoring/context.ts';
import { type Ensemble, EXTRA_SLOTS } from '../wardrobe/ensemble.ts';
import type { Accessory, Underlayer } from '../wardrobe/extras.ts';
import type { CoreSlot } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { Path, Sums } from './bound.ts';
import type { Space } from './space.ts';

/** The groups of an outfit without its extras. */
type Core = { readonly [S in CoreSlot]?: Group };

/** A complete outfit with its score, 0-1. */
export interface Solution {
  readonly score: number;
  readonly core: Core;
  readonly ensemble: Ensemble<WornItem>;
}

/**
 * What a bound must have above a score to promise a better one: half of 1e-9, to which scores are rounded,
 * less a tenth of it for the rounding errors of the bound itself.
 */
export const MARGIN = 0.4e-9;

/** Groups of a core in these slots: in whatever places they are worn, they are the same outfit. */
export function keyOf(core: Core, slots: readonly CoreSlot[]): string {
  const indexes: number[] = [];
  for (const slot of slots) if (core[slot]) indexes.push(core[slot].index);
  return indexes.sort((a, b) => a - b).join('/');
}

/** The extras of an outfit, by their ids. */
export const extrasKey = (ensemble: Ensemble<WornItem>): string =>
  EXTRA_SLOTS.map((slot) => ensemble[slot]?.garment.id ?? '').join('|');

/** The groups of a path by slot. */
export function coreOf({ levels }: Space, path: Path): Core {
  const core: { [S in CoreSlot]?: Group } = {};
  for (const [depth, { slot }] of levels.entries()) if (path[depth]) core[slot] = path[depth].group;
  return core;
}

/** The extras that complete a core. */
interface Completion {
  readonly value: number;
  readonly under: Underlayer;
  readonly accessory: Accessory;
}

/**
 * The extras with which a core scores `needed` or more.
 * @param sums of the whole core
 * @param isEvery whether each combination is an outfit of its own; else, the best is the last
 */
export function completionsOf(
  space: Space,
  sums: Sums,
  needed: number,
  isEvery: boolean,
): Completion[] {
  const { context, tables, regionWeight, isOnePiece, isOutdoor, accessoryBound } = space;
  const { protection, thermal } = context.model.tables.weights;
  const { low, high } = space.under.accessory;
  const base =
    protection * (1 - Math.max(sums.water, sums.wind)) +
    space.occasionWeight * sums.leastOccasion * sums.occasions +
    sums.gain;
  const found: Completion[] = [];
  let floor = needed;
  for (const under of space.underlayers) {
    const top = sums.top + under.top;
    const body = isOnePiece
      ? 2 * tables.fits.dress.at(top + under.bottom)
      : tables.fits.top.at(top) + tables.fits.bottom.at(sums.legs + under.bottom);
    const dressed = base + regionWeight * (body + tables.fits.shoes.at(sums.shoes + under.shoes));
    const warmth = sums.milliClo + under.total;
    const warmest = sums.curve!.upperBound(warmth + low, warmth + high);
    if (dressed + accessoryBound + thermal * warmest < floor) continue;
    for (const accessory of space.accessories) {
      const fit = isOutdoor ? regionWeight * tables.fits.accessory.at(accessory.milliClo) : 0;
      const value = dressed + fit + thermal * sums.curve!.at(warmth + accessory.milliClo);
      if (value < floor) continue;
      found.push({ value, under, accessory });
      if (!isEvery) floor = value;
    }
  }
  return found;
}

/** Places of the garments in the order of preference, so that equal scores have that order. */
export const tieBreakerOf = (core: Core): string =>
  Object.values(core)
    .map(({ index }) => String(index).padStart(4, '0'))
    .sort()
    .join(' ');
