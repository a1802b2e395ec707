import type { Group } from '../wardrobe/wardrobe.ts';
import { copyNode, type SearchNode } from './node.ts';
import type { Relaxation } from './relaxation.ts';
import type { Level } from './search-space.ts';

/**
 * The child of a node by one more choice. It is overwritten by the next call: copy it to keep it.
 * @param gain weighted season of the choice and its harmony with the path
 */
export function branch(
  relaxation: Relaxation,
  parent: SearchNode,
  depth: number,
  choice: number,
  gain: number,
): SearchNode {
  const child = copyNode(parent, relaxation.scratch);
  const level = relaxation.space.levels[depth]!;
  const group = level.groups[choice];
  if (!group) return child;
  if (depth === 0) fixCurve(relaxation, child, group);
  addShelter(relaxation, child, level, choice);
  addInsulation(relaxation, child, level, choice, group);
  child.fixedGain += gain;
  if (level.slot === 'over') return child;
  const occasion = level.occasion[choice]!;
  child.occasionSum += occasion;
  child.occasionMin = Math.min(child.occasionMin, occasion);
  return child;
}

/** The first choice is the outermost layer: it fixes the thermal curve and what the rain reaches. */
export function fixCurve({ context }: Relaxation, child: SearchNode, group: Group): void {
  const { garment } = group.item;
  child.torsoWater = garment.water;
  child.curve = context.curveFor(garment);
}

/** Overtrousers shelter the legs instead of the trousers beneath; they count at the bottom level. */
function addShelter(relaxation: Relaxation, child: SearchNode, level: Level, choice: number): void {
  if (level.slot === 'over') {
    child.overChoice = choice;
    return;
  }
  const isCovered = level.slot === 'bottom' && child.overChoice >= 0;
  const shelter = isCovered ? relaxation.space.levels[relaxation.overDepth]! : level;
  const shelterChoice = isCovered ? child.overChoice : choice;
  child.missingWater += shelter.missingWater[shelterChoice]!;
  child.missingWind += shelter.missingWind[shelterChoice]!;
}

function addInsulation(
  { context, space, isRain, overDepth }: Relaxation,
  child: SearchNode,
  { slot, milliClo }: Level,
  choice: number,
  group: Group,
): void {
  const dry = milliClo[choice]!;
  const isTorso = slot === 'outer' || slot === 'mid' || slot === 'main';
  if (!isRain) child.milliClo += dry;
  else if (isTorso) child.milliClo += context.wetMilliClo(group.item, child.torsoWater);
  else {
    const over = slot === 'bottom' ? space.levels[overDepth]?.groups[child.overChoice] : undefined;
    child.milliClo += context.wetMilliClo(group.item, over?.item.garment.water ?? 0);
  }
  if (slot === 'mid' || slot === 'main') child.topMilliClo += dry;
  else if (slot === 'over' || slot === 'bottom') child.legsMilliClo += dry;
  else if (slot === 'outer') child.outerMilliClo = dry;
  else child.shoesMilliClo = dry;
}
