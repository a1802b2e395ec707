import type { Group } from '../wardrobe/wardrobe.ts';
import { addPairs, leafBound } from './bounds.ts';
import { branch } from './branch.ts';
import { complete, coreOf, cutoff, type Found, keyOf, type Progress } from './leaf.ts';
import { copyNode, isFeasible, type SearchNode } from './node.ts';
import type { Relaxation } from './relaxation.ts';

/** A complete core, one of whose choices is replaced at a time. */
interface Variant {
  readonly relaxation: Relaxation;
  readonly path: (Group | undefined)[];
  readonly choices: number[];
}

/** Sums of a core, or of all its levels but one. */
function sumUp({ relaxation, path, choices }: Variant, without = -1): SearchNode {
  const { ownLevels, space, harmony, pairWeight, root } = relaxation;
  const { levels } = space;
  const sums = { ...root };
  for (const [at, { area }] of levels.entries()) {
    if (at === without) continue;
    const group = path[at];
    let gain = ownLevels.gains[at]![choices[at]!]!;
    for (let before = 0; before < at && group; before++) {
      const other = path[before];
      const pair = pairWeight * area * levels[before]!.area;
      if (before === without || !other) continue;
      gain -= harmony.clash(other, group);
      if (pair > 0) gain += pair * harmony.of(other, group);
    }
    copyNode(branch(relaxation, sums, at, choices[at]!, gain), sums);
  }
  return sums;
}

/** The gain of each choice of a level with what the other levels have. */
function gainsAmong({ relaxation, path }: Variant, depth: number): Float64Array {
  const { levels } = relaxation.space;
  const gains = Float64Array.from(relaxation.ownLevels.gains[depth]!);
  for (const [at, { area }] of levels.entries())
    if (at !== depth) addPairs(relaxation, depth, path[at], area, gains);
  return gains;
}

/** Tries every outfit that differs from one that was found in one choice. */
function tryNeighbours(progress: Progress, { core, relaxation }: Found): void {
  const { context, space, isRain } = relaxation;
  const { levels } = space;
  const path = levels.map(({ slot }) => core[slot]);
  const variant: Variant = {
    relaxation,
    path,
    choices: path.map((group, at) => levels[at]!.groups.indexOf(group)),
  };
  const isAllowed = (): boolean =>
    path.every(
      (group, at) =>
        isFeasible(context, levels, at, path, group) &&
        (!progress.accepts || !group || progress.accepts(space, path.slice(0, at), group)),
    );
  for (const [depth, { groups, slot }] of levels.entries()) {
    const own = path[depth];
    const ownChoice = variant.choices[depth]!;
    // What covers others decides how wet these get; overtrousers shelter the legs in place of trousers.
    const isCover = slot === 'over' || (isRain && depth === 0);
    const others = isCover ? undefined : sumUp(variant, depth);
    const gains = others && gainsAmong(variant, depth);
    for (const [choice, group] of groups.entries()) {
      if (group === own) continue;
      path[depth] = group;
      variant.choices[depth] = choice;
      const leaf =
        others && gains
          ? branch(relaxation, others, depth, choice, gains[choice]!)
          : sumUp(variant);
      if (leafBound(relaxation, leaf) < cutoff(progress) || !isAllowed()) continue;
      complete(progress, relaxation, leaf, path, keyOf(coreOf(relaxation, path), progress));
    }
    path[depth] = own;
    variant.choices[depth] = ownChoice;
  }
}

/** Tries the neighbours of the best outfit, as long as that finds a better one. */
export function climb(progress: Progress): void {
  const { incumbents, climbed } = progress;
  for (let best = incumbents.best(); best && !climbed.has(best); best = incumbents.best()) {
    climbed.add(best);
    tryNeighbours(progress, best);
  }
}

/** Outfits of a full list whose neighbours are tried, besides the best. */
const WIDENING_ROUNDS = 4;

/** Fills the list with neighbours of its best outfits. */
export function widen(progress: Progress): void {
  const { incumbents, climbed } = progress;
  for (let round = 0; round < WIDENING_ROUNDS; round++) {
    const next = incumbents.list().find((one) => !climbed.has(one));
    if (!next) return;
    climbed.add(next);
    tryNeighbours(progress, next);
    climb(progress);
  }
}
