import { describe, expect, test } from 'vitest';
import { situationOf } from '../../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { createScoringContext, type ScoringContext } from '../../../src/look/scoring/context.ts';
import {
  choiceBounds,
  firstBounds,
  leafBound,
  levelsAfter,
  quickBounds,
} from '../../../src/look/search/bounds.ts';
import { branch } from '../../../src/look/search/branch.ts';
import { readGarments } from '../../../src/look/search/candidates.ts';
import { createRelaxation } from '../../../src/look/search/create-relaxation.ts';
import { comparableScore } from '../../../src/look/search/leaf.ts';
import {
  copyNode,
  EMPTY_NODE,
  isFeasible,
  type SearchNode,
} from '../../../src/look/search/node.ts';
import { type Class, occasionClasses } from '../../../src/look/search/occasion-classes.ts';
import {
  createHarmonyTable,
  type OpenLevels,
  type Relaxation,
} from '../../../src/look/search/relaxation.ts';
import { createFitTables, createSearchSpace } from '../../../src/look/search/search-space.ts';
import { maxMilliClo } from '../../../src/look/wardrobe/ensemble.ts';
import { createTemplates } from '../../../src/look/wardrobe/templates.ts';
import { createWardrobe, type Group } from '../../../src/look/wardrobe/wardrobe.ts';
import { CandidatesRequest } from '../../../src/look/wardrobe/wardrobe-request.ts';
import { createRandom, drawDay, drawWardrobe } from '../wardrobes.ts';

const model = readModel(PARAMS);

const EXTRAS = { thicknesses: model.k.search.thicknesses, isMerged: true };

const OVERTROUSERS = [
  { id: 'rain', category: 'rain_trousers' },
  { id: 'ski', category: 'ski_trousers', clo: 0.337, waterResistance: 0.4 },
  { id: 'thin', category: 'rain_trousers', clo: 0.113, waterResistance: 0.9 },
];

/** Slack for rounding: half a billionth of the score, and the additions of the bound. */
const SLACK = 0.6e-9;

/** The best score of an outfit with any extras, by trying all of them. */
function bestScore(
  context: ScoringContext,
  { space }: Relaxation,
  path: readonly (Group | undefined)[],
): number {
  const core = Object.fromEntries(
    path.flatMap((group, depth) => (group ? [[space.levels[depth]!.slot, group.item]] : [])),
  );
  const scores = space.underlayers.flatMap((under) =>
    space.accessories.map((accessory) =>
      comparableScore(context, { ...core, ...under.ensemble, ...accessory.ensemble }),
    ),
  );
  return Math.max(...scores);
}

interface Violation {
  bound: number;
  score: number;
}

/** The best outfit below a node, as its choices. */
interface Best {
  score: number;
  choices: readonly number[];
}

/** The smallest occasion fit of a core. */
const smallestFit = (
  { levels }: Relaxation['space'],
  path: readonly (Group | undefined)[],
): number =>
  Math.min(
    ...path.flatMap((group, depth) =>
      group && levels[depth]!.slot !== 'over' ? [group.item.occasion] : [],
    ),
  );

/** Visits every node of an occasion class and compares each bound of its choices with the best outfit below. */
function visitAll(context: ScoringContext, relaxation: Relaxation, from: Class) {
  const { levels } = relaxation.space;
  const outfits = new Set<string>();
  const violations: Violation[] = [];
  let nodes = 0;
  let dropped = 0;
  /** The best outfit below a node, as its choices from `depth` on. */
  function visit(
    node: SearchNode,
    depth: number,
    open: OpenLevels,
    path: readonly (Group | undefined)[],
  ): Best {
    if (depth === levels.length) {
      // With a larger smallest fit, it is of an earlier class too, and bounded there.
      if (smallestFit(relaxation.space, path) > from.root.occasionMin)
        return { score: Number.NEGATIVE_INFINITY, choices: [] };
      outfits.add(path.map((group) => group?.index ?? '-').join(' '));
      const score = bestScore(context, relaxation, path);
      const bound = leafBound(relaxation, node);
      if (bound < score - SLACK) violations.push({ bound, score });
      return { score, choices: [] };
    }
    const { groups } = levels[depth]!;
    const all = (
      depth === 0
        ? [quickBounds(relaxation, from), firstBounds(relaxation, from, Number.NEGATIVE_INFINITY)]
        : [choiceBounds(relaxation, node, depth, open)]
    ).map((bounds) => Float64Array.from(bounds));
    let best: Best = { score: Number.NEGATIVE_INFINITY, choices: [] };
    for (const choice of from.levels.choices[depth]!.indexes) {
      const group = groups[choice];
      if (!isFeasible(context, levels, depth, path, group)) continue;
      const gain = open.gains[depth]![choice]!;
      const child = copyNode(branch(relaxation, node, depth, choice, gain), { ...EMPTY_NODE });
      const after = levelsAfter(relaxation, open, depth, choice, Number.NEGATIVE_INFINITY);
      const below = visit(child, depth + 1, after!, [...path, group]);
      nodes += 1;
      for (const bounds of all)
        if (bounds[choice]! < below.score - SLACK)
          violations.push({ bound: bounds[choice]!, score: below.score });
      if (depth > 0) checkLeft(open, depth, choice, below);
      if (below.score > best.score)
        best = { score: below.score, choices: [choice, ...below.choices] };
    }
    return best;
  }
  /** What is left for outfits as good as the best must contain the best. */
  function checkLeft(open: OpenLevels, depth: number, choice: number, best: Best): void {
    if (best.score === Number.NEGATIVE_INFINITY) return;
    const after = levelsAfter(relaxation, open, depth, choice, best.score - SLACK);
    const isLeft = best.choices.every((one, i) => {
      const { indexes, count } = after?.choices[depth + 1 + i] ?? {
        indexes: new Int32Array(),
        count: 0,
      };
      return indexes.slice(0, count).includes(one);
    });
    if (!isLeft) violations.push({ bound: Number.NEGATIVE_INFINITY, score: best.score });
    for (const [at, { count }] of (after?.choices ?? []).entries())
      if (at > depth) dropped += levels[at]!.groups.length - count;
  }
  visit(from.root, 0, from.levels, []);
  return { nodes, dropped, violations, outfits };
}

/** Number of cores of a template, by trying all. */
function countCores(
  context: ScoringContext,
  { levels }: Pick<Relaxation['space'], 'levels'>,
  path: readonly (Group | undefined)[] = [],
): number {
  const level = levels[path.length];
  if (!level) return 1;
  return level.groups
    .filter((group) => isFeasible(context, levels, path.length, path, group))
    .reduce((sum, group) => sum + countCores(context, { levels }, [...path, group]), 0);
}

describe('the upper bounds of every choice of every node', () => {
  test.each(['indoor', 'outdoor'] as const)('%s: no outfit below scores more', (plan) => {
    let visited = 0;
    let dropped = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const random = createRandom(seed * 104_729 + plan.length);
      const drawn = drawWardrobe(random, 10 + random.below(14), 0.8);
      // Overtrousers couple shelter, insulation and wetness of the legs; few wardrobes have some.
      const isSoaking = seed % 3 === 0;
      const items = isSoaking ? [...drawn.slice(0, 12), ...OVERTROUSERS] : drawn;
      const day = drawDay(random);
      const weather = { ...day.weather, ...(isSoaking && { condition: 'heavy-rain' }) };
      const request = CandidatesRequest.parse({ ...day, weather, plan, items });
      const garments = readGarments(model, request);
      const context = createScoringContext(
        model,
        situationOf(model, request),
        plan,
        maxMilliClo(model, garments),
      );
      const wardrobe = createWardrobe(context, garments, new Set(), undefined);
      const harmony = createHarmonyTable(context, wardrobe.groups);
      const fits = createFitTables(context);
      for (const template of createTemplates(context, wardrobe, [])) {
        const space = createSearchSpace(context, template, fits, EXTRAS);
        const relaxation = createRelaxation(context, space, harmony);
        const outfits = new Set<string>();
        for (const from of occasionClasses(relaxation)) {
          const found = visitAll(context, relaxation, from);
          expect(found.violations, `seed ${seed}`).toEqual([]);
          visited += found.nodes;
          dropped += found.dropped;
          for (const outfit of found.outfits) outfits.add(outfit);
        }
        expect(outfits.size, `seed ${seed}`).toBe(countCores(context, space));
      }
    }
    expect(visited).toBeGreaterThan(5_000);
    expect(dropped).toBeGreaterThan(1_000);
  });
});
