import { expect, test } from 'vitest';
import { createSearchProblem, readGarments } from '../../../src/look/candidates/problem.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { comparableScore } from '../../../src/look/scoring/score.ts';
import {
  extend,
  isWearable,
  openBound,
  type Path,
  type Sums,
  sumsOf,
  upperBound,
} from '../../../src/look/search/bound.ts';
import { completionsOf, coreOf } from '../../../src/look/search/complete.ts';
import { createSpace, type Space } from '../../../src/look/search/space.ts';
import { mapEnsemble } from '../../../src/look/wardrobe/ensemble.ts';
import { CandidatesRequest } from '../../../src/look/wardrobe/wardrobe-request.ts';
import { createRandom, drawDay, drawWardrobe } from '../wardrobes.ts';

const model = readModel(PARAMS);

const OVERTROUSERS = [
  { id: 'rain', category: 'rain_trousers' },
  { id: 'ski', category: 'ski_trousers', clo: 0.337, waterResistance: 0.4 },
  { id: 'thin', category: 'rain_trousers', clo: 0.113, waterResistance: 0.9 },
];

/** Slack for rounding: half a billionth of the score, and the additions of the bound. */
const SLACK = 0.6e-9;

/** The best score of a core with any extras, by trying all of them. */
function bestScore(space: Space, path: Path): number {
  const core = mapEnsemble(coreOf(space, path), ({ item }) => item);
  const scores = space.underlayers.flatMap((under) =>
    space.accessories.map((accessory) =>
      comparableScore(space.context, { ...core, ...under.ensemble, ...accessory.ensemble }),
    ),
  );
  return Math.max(Number.NEGATIVE_INFINITY, ...scores);
}

interface Tally {
  readonly violations: object[];
  readonly wrong: object[];
  nodes: number;
}

/** Compares the bound of every partial outfit with the best outfit below it. @returns its score */
function visit(space: Space, path: Path, sums: Sums, tally: Tally): number {
  const depth = path.length;
  const level = space.levels[depth];
  if (!level) {
    const score = bestScore(space, path);
    const value = completionsOf(space, sums, Number.NEGATIVE_INFINITY, false).at(-1)?.value;
    if (!(Math.abs(value! - score) <= SLACK)) tally.wrong.push({ score, value });
    for (const [at, choice] of path.entries()) {
      // What the search takes for a neighbour before it adds it up.
      const open = openBound(space, sumsOf(space, path.with(at, undefined)), at) + choice!.best;
      if (open < score - SLACK) tally.violations.push({ open, score, at });
    }
    return score;
  }
  const own = upperBound(space, sums, space.rest[depth]!);
  let best = Number.NEGATIVE_INFINITY;
  for (const choice of level.choices) {
    const next = [...path, choice];
    if (!isWearable(space, next)) continue;
    const after = extend(space, sums, path, depth, choice, { ...sums });
    const below = visit(space, next, after, tally);
    const bound = upperBound(space, after, space.rest[depth + 1]!);
    // What the search takes for an open choice: the bound of the partial outfit with this one's best.
    const open = own - level.choices[0]!.best + choice.best;
    tally.nodes += 1;
    if (bound < below - SLACK || open < bound - SLACK)
      tally.violations.push({ open, bound, below, of: choice.group.item.garment.id });
    best = Math.max(best, below);
  }
  return best;
}

test.each(['indoor', 'outdoor'] as const)(
  '%s: no outfit scores more than a bound above it',
  (plan) => {
    let nodes = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const random = createRandom(seed * 104_729 + plan.length);
      const drawn = drawWardrobe(random, 10 + random.below(12), 0.8);
      // Overtrousers couple shelter, insulation and wetness of the legs; few wardrobes have some.
      const isSoaking = seed % 3 === 0;
      const items = isSoaking ? [...drawn.slice(0, 12), ...OVERTROUSERS] : drawn;
      const day = drawDay(random);
      const weather = { ...day.weather, ...(isSoaking && { condition: 'heavy-rain' }) };
      const request = CandidatesRequest.parse({ ...day, weather, plan, items });
      const { context, templates, tables } = createSearchProblem(
        model,
        request,
        readGarments(model, request),
        true,
      );
      for (const template of templates) {
        const extras = { thicknesses: model.k.search.thicknesses, isMerged: true };
        const space = createSpace(context, template, tables, extras);
        const tally: Tally = { violations: [], wrong: [], nodes: 0 };
        visit(space, [], space.root, tally);
        expect(tally.violations, `seed ${seed}`).toEqual([]);
        expect(tally.wrong, `seed ${seed}`).toEqual([]);
        nodes += tally.nodes;
      }
    }
    expect(nodes).toBeGreaterThan(2_000);
  },
);
