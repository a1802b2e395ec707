import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { scoreTerms, totalScore } from '../scoring/score.ts';
import { type Ensemble, EXTRA_SLOTS } from '../wardrobe/ensemble.ts';
import type { Accessory, Underlayer } from '../wardrobe/extras.ts';
import type { CoreSlot } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { groupAt, type Path, type Sums } from './bound.ts';
import type { Space } from './space.ts';

/** The groups of an outfit without its extras. */
export type Core = { readonly [S in CoreSlot]?: Group };

/** A complete outfit with its score, 0-1. */
export interface Solution {
  readonly score: number;
  readonly core: Core;
  readonly ensemble: Ensemble<WornItem>;
}

/** Scores are rounded to this, so that the order of additions never decides a comparison. */
const RESOLUTION = 1e-9;

/**
 * What a bound must have above a score to promise a better one: half the resolution, less a tenth of it
 * for the rounding errors of the bound itself.
 */
export const MARGIN = 0.4 * RESOLUTION;

/** The score of an outfit, 0-1, rounded for comparison. */
export const comparableScore = (context: ScoringContext, ensemble: Ensemble<WornItem>): number =>
  Math.round(totalScore(context, scoreTerms(context, ensemble)) * 1e9) / 1e9;

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
export function coreOf(space: Space, path: Path): Core {
  const core: { [S in CoreSlot]?: Group } = {};
  for (const [depth, { slot }] of space.levels.entries())
    if (depth < path.length) core[slot] = groupAt(space, path, depth);
  return core;
}

/** What completes a core: overtrousers and extras. */
interface Completion {
  readonly value: number;
  readonly over: Group | undefined;
  readonly under: Underlayer;
  readonly accessory: Accessory;
}

/** Which completions of a core are outfits of their own. */
type Distinct = 'best' | 'overtrousers' | 'all';

/** A core without overtrousers as it is with these, or with none. */
function withOver(space: Space, path: Path, sums: Sums, over: Group | undefined) {
  const { context, levels, bottomDepth, tables } = space;
  let { milliClo, gain, legs, water, wind } = sums;
  if (bottomDepth >= 0) {
    const bottom = groupAt(space, path, bottomDepth);
    const level = levels[bottomDepth]!;
    const choice = path[bottomDepth]!;
    const missing = space.missingOn('legs', (over ?? bottom).item);
    water += missing.water - level.water[choice]!;
    wind += missing.wind - level.wind[choice]!;
    if (over) {
      const { item } = over;
      milliClo +=
        context.wetMilliClo(item, 0) +
        context.wetMilliClo(bottom.item, item.garment.water) -
        context.wetMilliClo(bottom.item, 0);
      legs += item.milliClo;
      gain -= item.sense;
      for (let at = 0; at < levels.length; at++)
        gain -= tables.clash.of(over, groupAt(space, path, at));
    }
  }
  const { protection } = context.model.tables.weights;
  const occasion = space.occasionWeight * sums.minOccasion * sums.occasions;
  return { milliClo, legs, base: protection * (1 - Math.max(water, wind)) + occasion + gain };
}

/**
 * The overtrousers and extras with which a core scores `needed` or more, best first; in vain are all
 * that are no outfit of their own and score less than others.
 */
export function completionsOf(
  space: Space,
  path: Path,
  sums: Sums,
  needed: number,
  distinct: Distinct,
): Completion[] {
  const { context, tables, regionWeight, isOnePiece, isOutdoor } = space;
  const { thermal } = context.model.tables.weights;
  const { low, high } = space.under.accessory;
  const curve = sums.curve!;
  const found: Completion[] = [];
  let floor = needed;
  for (const over of space.overs) {
    if (
      over &&
      path[space.bottomDepth] !== undefined &&
      over === groupAt(space, path, space.bottomDepth)
    )
      continue;
    const { milliClo, legs, base } = withOver(space, path, sums, over);
    if (distinct === 'overtrousers') floor = needed;
    for (const under of space.underlayers) {
      const top = sums.top + under.top;
      const body = isOnePiece
        ? 2 * tables.dress.at(top + legs + under.bottom)
        : tables.top.at(top) + tables.bottom.at(legs + under.bottom);
      const dressed = base + regionWeight * (body + tables.shoes.at(sums.shoes + under.shoes));
      const warmth = milliClo + under.total;
      const warmest = thermal * curve.upperBound(warmth + low, warmth + high);
      if (dressed + space.accessoryBound + warmest < floor) continue;
      for (const accessory of space.accessories) {
        const fit = isOutdoor ? regionWeight * tables.accessory.at(accessory.milliClo) : 0;
        const value = dressed + fit + thermal * curve.at(warmth + accessory.milliClo);
        if (value < floor) continue;
        found.push({ value, over, under, accessory });
        if (distinct !== 'all') floor = value;
      }
    }
  }
  return found.sort((a, b) => b.value - a.value);
}

/** Digits of the largest index of a group. */
const INDEX_DIGITS = 4;

/** Places of the garments in the order of preference, so that equal scores have that order. */
export const tieBreakerOf = (core: Core): string =>
  Object.values(core)
    .map(({ index }) => String(index).padStart(INDEX_DIGITS, '0'))
    .sort()
    .join(' ');
