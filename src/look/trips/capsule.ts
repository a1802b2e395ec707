/** Outfits of several days from few items: which outfit to wear on which day. */

/** An outfit that one day can have. Items are numbers from 0. */
export interface DayOutfit {
  readonly items: readonly number[];
  /** Those of its items that need washing after some days. */
  readonly washed: readonly number[];
  /** More than 0. */
  readonly score: number;
}

/** The outfits of one day, best first. */
export interface DayChoices<O extends DayOutfit = DayOutfit> {
  readonly outfits: readonly O[];
  /** At least the score of every outfit that is not listed; 0 if all are. */
  readonly unlistedBound: number;
}

export interface CapsuleProblem<O extends DayOutfit = DayOutfit> {
  readonly days: readonly DayChoices<O>[];
  /** Number of different items. */
  readonly itemCount: number;
  /** Maximum number of items that all outfits have together. */
  readonly maxItems: number;
  /** Maximum number of days on which an item is worn where it needs washing. */
  readonly maxWears: number;
  /** Maximum number of days with an outfit; all by default. */
  readonly maxDays?: number;
}

interface Capsule<O extends DayOutfit> {
  /** The outfit of each day; undefined if none is left within the limits. */
  readonly outfits: Outfits<O>;
  /** At least the sum of the scores of every solution, of unlisted outfits too. */
  readonly upperBound: number;
}

/** Tests of an outfit against the limits in the exact pass. */
const MAX_TESTS = 50_000;

/** Prices of an item, in score: a day prefers outfits of items that others wear already. */
const PRICES = [0, 0.005, 0.02, 0.1, 0.4];

/** What has been packed so far. */
function createPacking({ itemCount, maxItems, maxWears }: CapsuleProblem) {
  const uses = new Int32Array(itemCount);
  const wears = new Int32Array(itemCount);
  let size = 0;
  const countNew = ({ items }: DayOutfit): number => {
    let count = 0;
    for (const item of items) if (uses[item] === 0) count += 1;
    return count;
  };
  return {
    countNew,
    /** Whether the items are still within the limits with this outfit. */
    fits: (outfit: DayOutfit): boolean =>
      size + countNew(outfit) <= maxItems && outfit.washed.every((item) => wears[item]! < maxWears),
    add({ items, washed }: DayOutfit): void {
      for (const item of items) {
        if (uses[item] === 0) size += 1;
        uses[item]! += 1;
      }
      for (const item of washed) wears[item]! += 1;
    },
    remove({ items, washed }: DayOutfit): void {
      for (const item of items) {
        uses[item]! -= 1;
        if (uses[item] === 0) size -= 1;
      }
      for (const item of washed) wears[item]! -= 1;
    },
  };
}

/** The outfit of each day. */
type Outfits<O extends DayOutfit> = readonly (O | undefined)[];

const scoreOf = (outfits: Outfits<DayOutfit>): number =>
  outfits.reduce((sum, outfit) => sum + (outfit?.score ?? 0), 0);

/** Dresses one day after the other, each with the best outfit less the price of new items. */
function packGreedily<O extends DayOutfit>(problem: CapsuleProblem<O>, price: number): Outfits<O> {
  const packing = createPacking(problem);
  return problem.days.map(({ outfits }) => {
    let best: O | undefined;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const outfit of outfits) {
      if (outfit.score <= bestValue) break;
      const value = outfit.score - price * packing.countNew(outfit);
      if (value <= bestValue || !packing.fits(outfit)) continue;
      best = outfit;
      bestValue = value;
    }
    if (best) packing.add(best);
    return best;
  });
}

/**
 * Dresses these days anew, in their order, each with the best that fits to the others.
 * @param needed sum of scores of these days that must be exceeded
 * @returns their outfits, packed; undefined, with nothing packed, if they do not exceed it
 */
function repack<O extends DayOutfit>(
  { days }: CapsuleProblem<O>,
  packing: ReturnType<typeof createPacking>,
  undressed: readonly number[],
  isAllowed: (outfit: DayOutfit) => boolean,
  needed: number,
): Outfits<O> | undefined {
  const topOf = (day: number): number => days[day]!.outfits[0]?.score ?? 0;
  const next: (O | undefined)[] = [];
  let score = 0;
  let later = undressed.reduce((sum, day) => sum + topOf(day), 0);
  for (const day of undressed) {
    later -= topOf(day);
    let best: O | undefined;
    for (const outfit of days[day]!.outfits) {
      // They are in order of score: none after this one is enough either.
      if (score + outfit.score + later <= needed) break;
      if (!isAllowed(outfit) || !packing.fits(outfit)) continue;
      best = outfit;
      break;
    }
    score += best?.score ?? 0;
    if (score + later <= needed) {
      for (const outfit of next) if (outfit) packing.remove(outfit);
      return undefined;
    }
    next.push(best);
    if (best) packing.add(best);
  }
  return next;
}

/** Undresses some days and dresses them anew, as long as that improves the sum. */
function improve<O extends DayOutfit>(problem: CapsuleProblem<O>, start: Outfits<O>): Outfits<O> {
  const packing = createPacking(problem);
  const outfits = [...start];
  for (const outfit of outfits) if (outfit) packing.add(outfit);
  /** Keeps the change if it is better. */
  function tryAnew(undressed: readonly number[], isAllowed: (outfit: DayOutfit) => boolean) {
    for (const day of undressed) if (outfits[day]) packing.remove(outfits[day]);
    const before = scoreOf(undressed.map((day) => outfits[day]));
    const next = repack(problem, packing, undressed, isAllowed, before + MARGIN);
    if (next) {
      for (const [at, day] of undressed.entries()) outfits[day] = next[at];
      return true;
    }
    for (const day of undressed) if (outfits[day]) packing.add(outfits[day]);
    return false;
  }
  const all = [...problem.days.keys()];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let isBetter = false;
    for (const day of all)
      for (const other of all)
        if (tryAnew(other === day ? [day] : [day, other], () => true)) isBetter = true;
    for (const item of new Set(outfits.flatMap((outfit) => outfit?.items ?? []))) {
      const users = all.filter((day) => outfits[day]?.items.includes(item) ?? true);
      if (tryAnew(users, ({ items }) => !items.includes(item))) isBetter = true;
    }
    if (!isBetter) break;
  }
  return outfits;
}

/** Of changes to all days, each of which improves the sum. */
const MAX_ROUNDS = 4;

/** Larger than the rounding errors of a sum of scores. */
const MARGIN = 1e-9;

/**
 * Depth-first branch and bound over the days, of listed outfits only.
 * @returns the best outfits found, if they beat `incumbent`, and an upper bound on all choices of listed ones
 */
function packExactly<O extends DayOutfit>(
  { days, ...limits }: CapsuleProblem<O>,
  incumbent: number,
) {
  const packing = createPacking({ days, ...limits });
  const path: (O | undefined)[] = [];
  let best: Outfits<O> | undefined;
  let bestScore = incumbent;
  let openBound = incumbent;
  let testsLeft = MAX_TESTS;
  const fits = (outfit: DayOutfit): boolean => {
    testsLeft -= 1;
    return packing.fits(outfit);
  };
  /** At least what the days from `day` on can add: outfits fit the less, the more is packed. */
  const boundFrom = (day: number): number =>
    scoreOf(days.slice(day).map(({ outfits }) => outfits.find(fits)));

  function visit(day: number, score: number): void {
    const choices = days[day];
    if (!choices) {
      if (score <= bestScore + MARGIN) return;
      bestScore = score;
      best = [...path];
      return;
    }
    const after = boundFrom(day + 1);
    for (const outfit of [...choices.outfits, undefined]) {
      const own = score + (outfit?.score ?? 0);
      if (own + after <= bestScore + MARGIN) return;
      if (outfit && !fits(outfit)) continue;
      if (testsLeft <= 0) {
        openBound = Math.max(openBound, own + after);
        return;
      }
      path[day] = outfit;
      if (outfit) packing.add(outfit);
      if (own + boundFrom(day + 1) > bestScore + MARGIN) visit(day + 1, own);
      if (outfit) packing.remove(outfit);
    }
  }
  visit(0, 0);
  return { best, upperBound: Math.max(openBound, bestScore) };
}

/**
 * Chooses an outfit for each day, so that the sum of scores is largest within the limits: by trial, then by
 * branch and bound. Beyond what is listed, no day can have more than its own bound.
 */
export function packCapsule<O extends DayOutfit>(problem: CapsuleProblem<O>): Capsule<O> {
  let quick: Outfits<O> = problem.days.map(() => undefined);
  for (const price of PRICES) {
    const packed = improve(problem, packGreedily(problem, price));
    if (scoreOf(packed) > scoreOf(quick)) quick = packed;
  }
  const exact = packExactly(problem, scoreOf(quick));
  const outfits = exact.best ?? quick;
  const isComplete = problem.days.every(({ unlistedBound }) => unlistedBound === 0);
  const alone = problem.days.map((day) => Math.max(day.unlistedBound, day.outfits[0]?.score ?? 0));
  const best = alone.sort((a, b) => b - a).slice(0, problem.maxDays);
  const bound = best.reduce((total, one) => total + one, 0);
  return { outfits, upperBound: isComplete ? exact.upperBound : bound };
}
