import type { ScoringContext } from '../scoring/context.ts';
import { maxHarmony, patternBonus } from '../scoring/harmony.ts';
import type { CoreSlot } from '../wardrobe/templates.ts';
import { createJointCache } from './joint-bound.ts';
import { EMPTY_NODE } from './node.ts';
import type {
  HarmonyTable,
  NodeBuffers,
  OpenExtremes,
  OpenLevels,
  Relaxation,
} from './relaxation.ts';
import { type Level, mapChoices, type SearchSpace } from './search-space.ts';

const sumOf = <T>(all: readonly T[], select: (one: T, at: number) => number): number =>
  all.reduce((sum, one, at) => sum + select(one, at), 0);

const pairArea = (levels: readonly Pick<Level, 'area'>[]): number =>
  levels.reduce(
    (sum, a, i) => levels.slice(i + 1).reduce((more, b) => more + a.area * b.area, sum),
    0,
  );

function openExtremes(levels: readonly Level[]): OpenExtremes {
  const torso = levels.filter(({ slot }) => slot === 'mid' || slot === 'main');
  return {
    total: {
      low: sumOf(levels, (level) => level.minMilliClo),
      high: sumOf(levels, (level) => level.maxMilliClo),
    },
    top: {
      low: sumOf(torso, (level) => level.minDryMilliClo),
      high: sumOf(torso, (level) => level.maxMilliClo),
    },
    pairArea: pairArea(levels),
    area: sumOf(levels, ({ area }) => area),
  };
}

function addToPatterned({ groups, localBound }: Level, bonus: number): Float64Array {
  const row = Float64Array.from(localBound);
  for (let choice = 0; choice < row.length; choice++)
    if (groups[choice]?.item.garment.patterned) row[choice]! += bonus;
  return row;
}

/** Room for as many choices as each level has; all of them are left. */
const createOpenLevels = (levels: readonly Level[]): OpenLevels => ({
  gains: levels.map(({ groups }) => new Float64Array(groups.length)),
  choices: levels.map(({ groups }) => ({
    count: groups.length,
    indexes: Int32Array.from(groups.keys()),
  })),
});

const createNodeBuffers = (levels: readonly Level[], depth: number): NodeBuffers => {
  const rowAt = (at: number) => new Float64Array(levels[at]?.groups.length ?? 0);
  return {
    bounds: rowAt(depth),
    deficits: levels.map((_, at) => rowAt(at > depth ? at : -1)),
  };
};

/** Prepares the bounds of one template: everything that is the same at all its nodes. */
export function createRelaxation(
  context: ScoringContext,
  space: SearchSpace,
  harmony: HarmonyTable,
): Relaxation {
  const { levels, missingAtRoot } = space;
  const { k, tables } = context.model;
  const { weights } = tables;
  const depthOf = (slot: CoreSlot) => levels.findIndex((level) => level.slot === slot);
  const style = space.template.style.map(({ item }) => item);
  const scored = levels.filter(({ slot }) => slot !== 'over').length + style.length;
  const styleArea = tables.visibleArea.accessory;
  const allPairs = pairArea([...levels, ...style.map(() => ({ area: styleArea }))]);
  const pairWeight = allPairs > 0 ? weights.color / allPairs : 0;
  const seasonWeight = weights.season / scored;
  const ownGains = levels.map(({ slot, groups, area }) =>
    mapChoices(groups, (group) => {
      if (!group) return 0;
      if (slot === 'over') return -group.item.sense;
      const harmonies = sumOf(style, (item) => context.harmonyOf(group.item, item));
      return (
        seasonWeight * group.item.season +
        pairWeight * area * styleArea * harmonies -
        group.item.sense
      );
    }),
  );
  const open = [...levels, undefined].map((_, depth) => openExtremes(levels.slice(depth)));
  const isRain = k.rain.loss * context.shelter.torso.water > 0;
  const bonus = pairWeight * patternBonus(context.model);
  const locals = levels.map((_, depth) =>
    levels.map((level, at) => {
      const ofPattern = bonus * level.area * (open[depth]!.area - level.area);
      return at < depth || ofPattern === 0 ? level.localBound : addToPatterned(level, ofPattern);
    }),
  );
  const styleHarmony = sumOf(style, (item, at) =>
    sumOf(style.slice(at + 1), (other) => context.harmonyOf(item, other)),
  );
  return {
    context,
    space,
    harmony,
    root: {
      ...EMPTY_NODE,
      missingWater: missingAtRoot.water,
      missingWind: missingAtRoot.wind,
      // Without any pair the colour term has the value of unknown data.
      fixedGain:
        (allPairs > 0 ? 0 : weights.color * k.fit.unknown) +
        pairWeight * styleArea * styleArea * styleHarmony +
        seasonWeight * sumOf(style, ({ season }) => season),
      occasionSum: sumOf(style, ({ occasion }) => occasion),
      occasionMin: Math.min(
        1,
        ...levels.map(({ maxOccasion }) => maxOccasion),
        ...style.map(({ occasion }) => occasion),
      ),
    },
    ownLevels: { ...createOpenLevels(levels), gains: ownGains },
    joint: createJointCache(),
    locals,
    open,
    pairWeight,
    maxHarmony: maxHarmony(context.model),
    occasionWeight: weights.occasion / scored,
    isOutdoor: context.plan === 'outdoor',
    isRain,
    mainDepth: depthOf('main'),
    bottomDepth: depthOf('bottom'),
    shoesDepth: depthOf('shoes'),
    overDepth: depthOf('over'),
    scratch: { ...EMPTY_NODE },
    openBuffers: levels.map(() => createOpenLevels(levels)),
    nodeBuffers: levels.map((_, depth) => createNodeBuffers(levels, depth)),
  };
}
