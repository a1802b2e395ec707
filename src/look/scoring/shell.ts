import { onTheWay, type Situation } from '../comfort/targets.ts';
import { round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { Shell } from '../responses.ts';
import type { SHELL_REASONS } from '../texts/explanations.ts';
import { askedCoats, needsExtras } from '../wardrobe/demands.ts';
import { type Ensemble, itemsOf, mapEnsemble, slotsOf } from '../wardrobe/ensemble.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import { byPreference, fingerprint } from '../wardrobe/wardrobe.ts';
import { createScoringContext, type ScoringContext, type WornItem } from './context.ts';
import { comparableScore, scoreTerms, shownScore } from './score.ts';

/** Finds what to put on over a base outfit for outside. */
export type ShellFinder = (base: Ensemble<WornItem>) => Shell;

/** Coats in one response. */
const MAX_COATS = 3;

const ACCESSORY_SLOTS = ['head', 'neck', 'hands'] as const;

const preference = byPreference(undefined);
const inOrder = (a: WornItem, b: WornItem): number => preference(a.garment, b.garment);

type ShellReason = keyof typeof SHELL_REASONS;

/** Why a shell is needed, as codes. */
function reasonsFor({ k }: Model, needClo: number, { shelter }: ScoringContext): ShellReason[] {
  const reasons: [ShellReason, boolean][] = [
    ['colder-outside', needClo >= k.shell.fromClo],
    ['rain', shelter.torso.water >= k.shell.fromNeed],
    ['wind', shelter.torso.wind >= k.shell.fromNeed],
  ];
  return reasons.filter(([, holds]) => holds).map(([code]) => code);
}

/** Adds the hat, scarf and gloves that improve the score, slot by slot. */
function addAccessories(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  accessories: readonly WornItem[],
): Ensemble<WornItem> {
  let best = { ensemble, score: comparableScore(context, ensemble) };
  for (const slot of ACCESSORY_SLOTS) {
    if (ensemble[slot]) continue;
    for (const item of accessories) {
      if (slotsOf(context.model, item.garment)[0] !== slot) continue;
      const tried = { ...best.ensemble, [slot]: item };
      const score = comparableScore(context, tried);
      if (score > best.score) best = { ensemble: tried, score };
    }
  }
  return best.ensemble;
}

/** Groups coats that have the same score, in their order, at most `MAX_COATS` of each group. */
function groupEqual(context: ScoringContext, coats: readonly WornItem[]): WornItem[][] {
  const groups = new Map<string, WornItem[]>();
  for (const coat of coats) {
    const key = fingerprint(context, coat);
    const group = groups.get(key);
    if (!group) groups.set(key, [coat]);
    else if (group.length < MAX_COATS) group.push(coat);
  }
  return [...groups.values()];
}

/**
 * Prepares the search for shells among these garments; each base outfit is then one call.
 * @param maxMilliClo upper bound of the insulation of any base outfit with a shell
 */
export function createShellFinder(
  model: Model,
  situation: Situation,
  garments: readonly Garment[],
  maxMilliClo: number,
): ShellFinder {
  // Who leaves home is no more at home: a raincoat is right. What one does there is known to the rules of common sense.
  const occasion = situation.occasion === 'home' ? null : situation.occasion;
  const way = { ...onTheWay(model, situation), met: situation.met, occasion };
  const context = createScoringContext(model, way, 'outdoor', maxMilliClo);
  const { outdoor } = way;
  const { indoor } = situation;
  const trunk = outdoor.regions.top + outdoor.regions.outerwear;
  const needClo = Math.max(0, trunk - indoor.regions.top);
  const reasons = reasonsFor(model, needClo, context);
  const need = {
    needed: reasons.length > 0,
    needClo: round(needClo, 3),
    needTotalIcl: round(Math.max(0, outdoor.iclRequired - indoor.iclRequired), 3),
    waterResistanceMin: round(context.shelter.torso.water, 2),
    windResistanceMin: round(context.shelter.torso.wind, 2),
  };
  if (!need.needed) return () => ({ ...need, items: [], addIds: [], reasons });
  const items = garments.map((garment) => context.toWornItem(garment)).sort(inOrder);
  const firstSlot = ({ garment }: WornItem) => slotsOf(model, garment)[0];
  const isUnbroken = (garment: Garment) =>
    !context.sense.brokenBy(garment).some(({ isHard }) => isHard);
  const outdoneBy = context.sense.outdoneIn(garments.filter(isUnbroken));
  const isSensible = ({ garment }: WornItem) =>
    isUnbroken(garment) && outdoneBy(garment).length === 0;
  const owned = items.filter((item) => firstSlot(item) === 'outer');
  const sensible = owned.filter(isSensible);
  const coats = sensible.length > 0 ? sensible : owned;
  const dayAsks = askedCoats(
    context,
    sensible.map((item) => ({ item })),
  ).map(({ item }) => item);
  // In rain too warm for a coat, one to take along.
  const isDry = ({ garment }: WornItem) => garment.water >= model.k.layering.coatNeed;
  const toCarry = reasons.includes('rain') ? sensible.filter(isDry) : [];
  const asked = new Set(dayAsks.length > 0 ? dayAsks : toCarry);
  const clashes = (coat: WornItem, base: Ensemble<WornItem>) =>
    itemsOf(base).some(({ garment }) =>
      context.sense.brokenByPair(coat.garment, garment).some(({ isHard }) => isHard),
    );
  const isWorn = (coat: WornItem, gain: number) => (asked.size > 0 ? asked.has(coat) : gain > 0);
  const alike = groupEqual(context, coats);
  const accessories = needsExtras(context)
    ? items.filter(
        (item) => item.sense === 0 && ACCESSORY_SLOTS.some((slot) => slot === firstSlot(item)),
      )
    : [];
  return (base) => {
    const outside = mapEnsemble(base, ({ garment }) => context.toWornItem(garment));
    const bareScore = comparableScore(context, outside);
    // A coat that is part of the outfit stays on.
    const worn = (base.outer ? [] : alike)
      .flatMap((equal) => {
        const ensemble = { ...outside, outer: equal[0]! };
        const score = comparableScore(context, ensemble);
        return equal.map((coat) => ({ coat, ensemble: { ...ensemble, outer: coat }, score }));
      })
      .filter(({ coat, score }) => isWorn(coat, score - bareScore))
      .sort((a, b) => b.score - a.score || inOrder(a.coat, b.coat));
    const matching = worn.filter(({ coat }) => !clashes(coat, outside));
    const tried = matching.length > 0 ? matching : worn;
    const best = tried[0]?.ensemble ?? outside;
    const complete = addAccessories(context, best, accessories);
    const before = new Set(itemsOf(best));
    const isEnough =
      needClo < model.k.shell.fromClo ||
      scoreTerms(context, complete).thermal >= model.k.shell.enough;
    return {
      ...need,
      needed: tried.length > 0 || !isEnough,
      items: tried.slice(0, MAX_COATS).map(({ coat, score }) => ({
        itemId: coat.garment.id,
        residualClo: round(needClo - coat.milliClo / 1000, 3),
        score: round(100 * shownScore(model, score), 1),
      })),
      addIds: itemsOf(complete)
        .filter((item) => !before.has(item))
        .map(({ garment }) => garment.id),
      reasons: isEnough ? reasons : [...reasons, 'no-sufficient-outerwear'],
    };
  };
}
