import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { scoreTerms, totalScore } from '../scoring/score.ts';
import { type Ensemble, EXTRA_SLOTS, mapEnsemble } from '../wardrobe/ensemble.ts';
import type { Accessory, Underlayer } from '../wardrobe/extras.ts';
import type { CoreSlot } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { leafBound, occasionRate } from './bounds.ts';
import type { SearchNode } from './node.ts';
import type { Relaxation } from './relaxation.ts';
import type { SearchSpace } from './search-space.ts';
import type { TopList } from './top-list.ts';

/** The groups of an outfit without its extras. */
export type Core = { readonly [S in CoreSlot]?: Group };

/** A complete outfit with its score, 0-1. */
export interface Solution {
  readonly score: number;
  readonly core: Core;
  readonly ensemble: Ensemble<WornItem>;
}

/** A solution with the template that it is of. */
export interface Found extends Solution {
  readonly relaxation: Relaxation;
}

/** Choices by level; undefined leaves the slot empty. */
export type Path = readonly (Group | undefined)[];

/** Scores are rounded to this, so that the order of additions never decides a comparison. */
const RESOLUTION = 1e-9;

/**
 * A node whose bound is below the threshold plus this is pruned: its outfits round to the threshold
 * or less. Half the resolution, less a tenth of it for rounding errors of the bound itself.
 */
export const PRUNING_MARGIN = 0.4 * RESOLUTION;

/** The score of an outfit, 0-1, rounded for comparison. */
export const comparableScore = (context: ScoringContext, ensemble: Ensemble<WornItem>): number =>
  Math.round(totalScore(context, scoreTerms(context, ensemble)) * 1e9) / 1e9;

/** What all templates of one search share. */
export interface Progress {
  /** The best solutions found so far, one for each key. */
  readonly incumbents: TopList<Found>;
  /** Outfits with the same groups in these slots count as one, represented by the best of them. */
  readonly keySlots: readonly CoreSlot[];
  /** Whether each combination of extras is an outfit of its own. */
  readonly isEveryExtras: boolean;
  /** Whether an outfit with the groups of `path` and then `group` may be a solution. */
  readonly accepts: ((space: SearchSpace, path: Path, group: Group) => boolean) | undefined;
  nodesLeft: number;
  /** The largest bound of the nodes that the budget left unexplored. */
  unexploredBound: number;
  /** Incumbents whose neighbours were tried. */
  readonly climbed: Set<Found>;
}

/** Groups of a core in these slots: in whatever places they are worn, they are the same outfit. */
export function keyOf(core: Core, { keySlots }: Pick<Progress, 'keySlots'>): string {
  const indexes: number[] = [];
  for (const slot of keySlots) if (core[slot]) indexes.push(core[slot].index);
  return indexes.sort((a, b) => a - b).join('/');
}

/** What a bound must reach for its node to be explored. */
export const cutoff = ({ incumbents }: Progress): number => incumbents.threshold() + PRUNING_MARGIN;

/** The groups of a path by slot. */
export function coreOf({ space }: Relaxation, path: Path): Core {
  const core: { [S in CoreSlot]?: Group } = {};
  for (const [depth, group] of path.entries()) if (group) core[space.levels[depth]!.slot] = group;
  return core;
}

/** Offers outfits with one core as incumbents. Most leaves offer none, so little is computed before. */
function createOffer(progress: Progress, relaxation: Relaxation, path: Path) {
  const { context, space } = relaxation;
  const core = coreOf(relaxation, path);
  const items = mapEnsemble(core, ({ item }) => item);
  const tieBreaker = () => tieBreakerOf(core);
  return {
    coreKey: () => keyOf(core, progress),
    offer(key: string, extras: Ensemble<WornItem>): void {
      const ensemble = { ...items, ...extras, ...space.style };
      const score = comparableScore(context, ensemble);
      progress.nodesLeft -= 1;
      progress.incumbents.add(key, score, tieBreaker, () => ({
        score,
        core,
        ensemble,
        relaxation,
      }));
    },
  };
}

/** Completes a leaf whose key is known with its best extras, and offers it as an incumbent. */
export function complete(
  progress: Progress,
  relaxation: Relaxation,
  leaf: SearchNode,
  path: Path,
  key: string,
): void {
  const needed = progress.incumbents.thresholdFor(key) + PRUNING_MARGIN;
  if (leafBound(relaxation, leaf) < needed) return;
  const extras = bestExtras(relaxation, leaf, needed);
  if (extras) createOffer(progress, relaxation, path).offer(key, extras);
}

/** Completes a leaf with each promising combination of extras, and offers each as an incumbent. */
export function completeInEveryWay(
  progress: Progress,
  relaxation: Relaxation,
  leaf: SearchNode,
  path: Path,
): void {
  let offers: ReturnType<typeof createOffer> | undefined;
  let coreKey = '';
  forPromisingExtras(
    relaxation,
    leaf,
    () => cutoff(progress),
    (extras) => {
      if (!offers) {
        offers = createOffer(progress, relaxation, path);
        coreKey = offers.coreKey();
      }
      offers.offer(`${coreKey}|${extrasKey(extras)}`, extras);
    },
  );
}

/** The extras of an outfit, by their ids. */
export const extrasKey = (ensemble: Ensemble<WornItem>): string =>
  EXTRA_SLOTS.map((slot) => ensemble[slot]?.garment.id ?? '').join('|');

/** Scores a leaf with any extras, fast: all that does not depend on them is computed once. */
function createLeafScore(relaxation: Relaxation, leaf: SearchNode) {
  const { context, space, isOutdoor } = relaxation;
  const { extras, isOnePiece, regionWeight, fits } = space;
  const { weights } = context.model.tables;
  const { low, high } = extras.accessory;
  const curve = leaf.curve!;
  const base =
    weights.protection * (1 - Math.max(leaf.missingWater, leaf.missingWind)) +
    occasionRate(relaxation, leaf) * leaf.occasionSum +
    leaf.fixedGain +
    (isOutdoor ? regionWeight * fits.outer.at(leaf.outerMilliClo) : 0);
  const accessoryWeight = isOutdoor ? regionWeight : 0;
  const accessoryBound = accessoryWeight * fits.accessory.upperBound(low, high);
  return {
    /** All but the accessories and warmth. */
    dressed(under: Underlayer): number {
      const top = leaf.topMilliClo + under.top;
      const body = isOnePiece
        ? 2 * fits.dress.at(top + leaf.legsMilliClo + under.bottom)
        : fits.top.at(top) + fits.bottom.at(leaf.legsMilliClo + under.bottom);
      return base + regionWeight * (body + fits.shoes.at(leaf.shoesMilliClo + under.shoes));
    },
    /** At least the score with any accessories. */
    upperBound(dressed: number, under: Underlayer): number {
      const milliClo = leaf.milliClo + under.total;
      const thermal = weights.thermal * curve.upperBound(milliClo + low, milliClo + high);
      return dressed + (thermal + accessoryBound);
    },
    at: (dressed: number, under: Underlayer, { milliClo }: Accessory): number =>
      dressed +
      accessoryWeight * fits.accessory.at(milliClo) +
      weights.thermal * curve.at(leaf.milliClo + under.total + milliClo),
  };
}

/** The extras with which a leaf scores best; undefined if that is below `needed`. */
function bestExtras(
  relaxation: Relaxation,
  leaf: SearchNode,
  needed: number,
): Ensemble<WornItem> | undefined {
  const { underlayers, accessories } = relaxation.space;
  const score = createLeafScore(relaxation, leaf);
  let best = needed;
  let bestUnder: Underlayer | undefined;
  let bestAccessory: Accessory | undefined;
  for (const under of underlayers) {
    const dressed = score.dressed(under);
    if (score.upperBound(dressed, under) < best) continue;
    for (const accessory of accessories) {
      const value = score.at(dressed, under, accessory);
      if (value < best || (value === best && bestUnder)) continue;
      best = value;
      bestUnder = under;
      bestAccessory = accessory;
    }
  }
  return bestUnder && bestAccessory && { ...bestUnder.ensemble, ...bestAccessory.ensemble };
}

/**
 * Calls `visit` with the extras of a leaf whose score reaches `needed`, which may rise meanwhile. The
 * best come first: few outfits enter a list only to be evicted.
 */
function forPromisingExtras(
  relaxation: Relaxation,
  leaf: SearchNode,
  needed: () => number,
  visit: (extras: Ensemble<WornItem>) => void,
): void {
  const { underlayers, accessories } = relaxation.space;
  const score = createLeafScore(relaxation, leaf);
  const least = needed();
  const promising: { value: number; under: Underlayer; accessory: Accessory }[] = [];
  for (const under of underlayers) {
    const dressed = score.dressed(under);
    if (score.upperBound(dressed, under) < least) continue;
    for (const accessory of accessories) {
      const value = score.at(dressed, under, accessory);
      if (value >= least) promising.push({ value, under, accessory });
    }
  }
  promising.sort((a, b) => b.value - a.value);
  for (const { value, under, accessory } of promising) {
    if (value < needed()) return;
    visit({ ...under.ensemble, ...accessory.ensemble });
  }
}

/** Digits of the largest index of a group. */
const INDEX_DIGITS = 4;

/** Places of the garments in the order of preference, so that equal scores have that order. */
const tieBreakerOf = (core: Core): string =>
  Object.values(core)
    .map(({ index }) => String(index).padStart(INDEX_DIGITS, '0'))
    .sort()
    .join(' ');
