import type { ThermalCurve } from '../comfort/comfort.ts';
import type { ScoringContext } from '../scoring/context.ts';
import { isUnder } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { Level } from './search-space.ts';

/** A node of the search tree: the running sums of the choices made so far. */
export interface SearchNode {
  /** Total insulation, in the rain if it rains. */
  milliClo: number;
  /** Insulation by region, dry. */
  topMilliClo: number;
  legsMilliClo: number;
  outerMilliClo: number;
  shoesMilliClo: number;
  /** Weighted season and colour: decided by the choices made and never changed by later ones. */
  fixedGain: number;
  occasionSum: number;
  /** At least the smallest occasion fit that any outfit below this node has. */
  occasionMin: number;
  missingWater: number;
  missingWind: number;
  /** Water resistance of the outermost layer on the torso. */
  torsoWater: number;
  /** Index of the overtrousers; -1 before that level. */
  overChoice: number;
  /** Thermal curve of the outermost layer; known from the first level on. */
  curve: ThermalCurve | undefined;
}

/** The empty outfit. */
export const EMPTY_NODE: Readonly<SearchNode> = {
  milliClo: 0,
  topMilliClo: 0,
  legsMilliClo: 0,
  outerMilliClo: 0,
  shoesMilliClo: 0,
  fixedGain: 0,
  occasionSum: 0,
  occasionMin: 1,
  missingWater: 0,
  missingWind: 0,
  torsoWater: 0,
  overChoice: -1,
  curve: undefined,
};

/** Copies field by field: several times as fast as a spread, in the innermost loop. */
export function copyNode(from: Readonly<SearchNode>, to: SearchNode): SearchNode {
  to.milliClo = from.milliClo;
  to.topMilliClo = from.topMilliClo;
  to.legsMilliClo = from.legsMilliClo;
  to.outerMilliClo = from.outerMilliClo;
  to.shoesMilliClo = from.shoesMilliClo;
  to.fixedGain = from.fixedGain;
  to.occasionSum = from.occasionSum;
  to.occasionMin = from.occasionMin;
  to.missingWater = from.missingWater;
  to.missingWind = from.missingWind;
  to.torsoWater = from.torsoWater;
  to.overChoice = from.overChoice;
  to.curve = from.curve;
  return to;
}

/** Whether a choice is valid after the path: layers fit over each other, no garment is worn twice. */
export function isFeasible(
  context: ScoringContext,
  levels: readonly Level[],
  depth: number,
  path: readonly (Group | undefined)[],
  group: Group | undefined,
): boolean {
  if (!group) return true;
  const { slot } = levels[depth]!;
  if (slot === 'bottom') return !path.includes(group) || path.indexOf(group) >= depth;
  if (slot !== 'main') return true;
  const mid = path[levels.findIndex((level) => level.slot === 'mid')];
  return !mid || isUnder(context, mid, group);
}
