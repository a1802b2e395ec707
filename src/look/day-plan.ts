import type { CandidateSet } from './candidates/candidates.ts';
import type { Model } from './params.ts';
import type { ScoringContext, WornItem } from './scoring/context.ts';
import { outermost, protectionTerm, senseCost, sumEnsemble } from './scoring/score.ts';
import { handsAndHead } from './wardrobe/demands.ts';
import { type Ensemble, goesOver, isSet, mapEnsemble, type Slot } from './wardrobe/ensemble.ts';

/** Slots that can be added and removed without changing clothes. */
export const REMOVABLE: readonly Slot[] = ['outer', 'mid', 'over', 'head', 'neck', 'hands'];

/** Outfits considered: each base with the outer layers of each shell. */
export const MAX_BASES = 12;
const MAX_SHELLS = 6;

/** Fit of an ensemble in an hour: warmth and shelter, at most 1. */
export function fitIn(context: ScoringContext, ensemble: Ensemble<WornItem>): number {
  const { thermal, protection } = context.model.tables.weights;
  const sums = sumEnsemble(context, ensemble);
  const warmth = context.curveFor(sums.outerLayer).at(sums.milliClo);
  return (
    (thermal * warmth + protection * protectionTerm(context, ensemble)) / (thermal + protection)
  );
}

/**
 * What an hour costs an ensemble: the rules of common sense that it breaks, such as winter boots or long johns at noon,
 * rain on it, and bare hands and heads in the frost.
 */
function costIn(context: ScoringContext, ensemble: Ensemble<WornItem>): number {
  const { day, layering } = context.model.k;
  const { gloves, hat } = handsAndHead(context);
  const worn = mapEnsemble(ensemble, ({ garment }) => context.toWornItem(garment));
  const isSoaked =
    context.shelter.torso.water >= layering.coatNeed &&
    (outermost(ensemble)?.garment.water ?? 0) < layering.coatNeed;
  const lacks = [isSoaked, gloves && !ensemble.hands, hat && (worn.head?.sense ?? 1) > 0];
  const under = (worn.underTop?.sense ?? 0) + (worn.underBottom?.sense ?? 0);
  return (
    senseCost(context, worn) + under + day.lacking * lacks.filter((isLacking) => isLacking).length
  );
}

/** Every way to wear an outfit: with each removable item on or off, unless it covers what must be. */
function variantsOf(ensemble: Ensemble<WornItem>, kept: readonly Slot[]): Ensemble<WornItem>[] {
  const removable = REMOVABLE.filter((slot) => {
    if (kept.includes(slot)) return false;
    const item = ensemble[slot];
    return item !== undefined && !isSet(item.garment);
  });
  let variants = [ensemble];
  for (const slot of removable)
    variants = [...variants, ...variants.map((variant) => ({ ...variant, [slot]: undefined }))];
  return variants;
}

/** The scoring context of an hour, and the removable slots that are not considered in it. */
export interface HourContext {
  context: ScoringContext;
  unneeded: readonly Slot[];
}

/** Fit of each variant in an hour, less what broken rules cost; none if it has an item in an unneeded slot. */
function fitsIn(
  { context, unneeded }: HourContext,
  variants: readonly Ensemble<WornItem>[],
): number[] {
  return variants.map((variant) =>
    unneeded.some((slot) => variant[slot])
      ? Number.NEGATIVE_INFINITY
      : fitIn(context, variant) - costIn(context, variant),
  );
}

export interface DayPlan {
  ensemble: Ensemble<WornItem>;
  variants: readonly Ensemble<WornItem>[];
  worst: number;
  mean: number;
}

/** The plan of an outfit for the day; undefined if the best variant of any hour is below `minFit`. */
export function planFor(
  hours: readonly HourContext[],
  ensemble: Ensemble<WornItem>,
  kept: readonly Slot[],
  minFit: number,
): DayPlan | undefined {
  const variants = variantsOf(ensemble, kept);
  let worst = 1;
  let sum = 0;
  for (const hour of hours) {
    const best = Math.max(...fitsIn(hour, variants));
    if (best < minFit) return undefined;
    worst = Math.min(worst, best);
    sum += best;
  }
  return { ensemble, variants, worst, mean: sum / hours.length };
}

/** The base of one outfit with the pullover, coat, overtrousers and accessories of another. */
function withShell(
  model: Model,
  base: Ensemble<WornItem>,
  shell: Ensemble<WornItem>,
): Ensemble<WornItem> {
  const combined: { [S in Slot]?: WornItem | undefined } = { ...base };
  for (const slot of ['outer', 'over', 'head', 'neck', 'hands'] as const)
    if (shell[slot] && (slot !== 'over' || base.bottom)) combined[slot] = shell[slot];
  const { mid } = shell;
  const isOver = mid && base.main && !isSet(mid.garment) && mid.garment !== base.main.garment;
  if (isOver && !base.mid && goesOver(model, mid.garment, base.main.garment)) combined.mid = mid;
  return combined;
}

/** The outfits to consider: the best for the coldest, the warmest and the wettest hour, and their combinations. */
export function outfitsFor(
  model: Model,
  candidateSets: readonly CandidateSet[],
): Ensemble<WornItem>[] {
  const bases = candidateSets.flatMap(({ candidates }) => candidates.slice(0, MAX_BASES));
  const shells = candidateSets.flatMap(({ candidates }) => candidates.slice(0, MAX_SHELLS));
  return bases.flatMap(({ ensemble }) => [
    ensemble,
    ...shells.map((shell) => withShell(model, ensemble, shell.ensemble)),
  ]);
}

/**
 * What to wear in each hour: among the variants within `day.slack` of the best of their hour, the
 * sequence with the fewest changes. A shortest path over hours and variants.
 */
export function schedule(
  hours: readonly HourContext[],
  { variants }: DayPlan,
): Ensemble<WornItem>[] {
  const { slack, midCost } = hours[0]!.context.model.k.day;
  const changes = (a: Ensemble<WornItem>, b: Ensemble<WornItem>) =>
    REMOVABLE.reduce(
      (sum, slot) => sum + (a[slot] === b[slot] ? 0 : slot === 'mid' ? midCost : 1),
      0,
    );
  let paths: { path: Ensemble<WornItem>[]; cost: number; fit: number }[] = [
    { path: [], cost: 0, fit: 0 },
  ];
  for (const hour of hours) {
    const fits = fitsIn(hour, variants);
    const floor = Math.max(...fits) - slack;
    paths = variants.flatMap((variant, at) => {
      const fit = fits[at]!;
      if (fit < floor) return [];
      const steps = paths.map(({ path, cost, fit: before }) => {
        const last = path.at(-1);
        return { path, cost: cost + (last ? changes(last, variant) : 0), fit: before + fit };
      });
      const best = steps.reduce((a, b) =>
        b.cost < a.cost || (b.cost === a.cost && b.fit > a.fit) ? b : a,
      );
      return [{ ...best, path: [...best.path, variant] }];
    });
  }
  return paths.reduce((a, b) => (b.cost < a.cost || (b.cost === a.cost && b.fit > a.fit) ? b : a))
    .path;
}
