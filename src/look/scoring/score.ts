import { type OuterLayer, withTail } from '../comfort/comfort.ts';
import type { Model } from '../params.ts';
import type { Term } from '../tables.ts';
import {
  CORE_SLOTS,
  type Ensemble,
  type Form,
  formOf,
  isDress,
  isSet,
  SEEN_SLOTS,
  STYLE_SLOTS,
} from '../wardrobe/ensemble.ts';
import type { ScoringContext, WornItem } from './context.ts';
import { costOf } from './sense.ts';

export interface Terms extends Record<Term, number> {
  /** Share of the score that broken rules of common sense cost. */
  sense: number;
}

/** Sums over the items of an ensemble that its score depends on. */
export interface EnsembleSums {
  outerLayer: OuterLayer;
  /** All items in the weather, milliclo. */
  milliClo: number;
  /** Items of a region, dry, milliclo. */
  top: number;
  bottom: number;
  outer: number;
  shoes: number;
  accessory: number;
  form: Form;
}

const dry = (item: WornItem | undefined): number => item?.milliClo ?? 0;
const wet = (context: ScoringContext, item: WornItem | undefined, cover: number): number =>
  item ? context.wetMilliClo(item, cover) : 0;
const waterOf = (item: WornItem | undefined): number => item?.garment.water ?? 0;

/** The outermost item on the torso: it stops the wind and shelters the items beneath. */
export const outermost = ({ outer, mid, main }: Ensemble<WornItem>): WornItem | undefined =>
  outer ?? mid ?? main;

/** The outermost item on the legs. */
const legItem = ({ over, bottom, mid, main }: Ensemble<WornItem>): WornItem | undefined =>
  over ?? bottom ?? (mid && isSet(mid.garment) ? mid : main);

/** Insulation that socks add to the thin socks assumed in any case, milliclo. */
export const sockMilliClo = (context: ScoringContext, socks: WornItem | undefined): number =>
  socks ? Math.max(0, socks.milliClo - Math.round(1000 * context.model.k.region.socks)) : 0;

/** Sums up an ensemble. */
export function sumEnsemble(context: ScoringContext, ensemble: Ensemble<WornItem>): EnsembleSums {
  const { outer, mid, main, over, bottom, shoes, underTop, underBottom, socks } = ensemble;
  const cover = outermost(ensemble)?.garment;
  const torsoCover = cover?.water ?? 0;
  const under = dry(underTop) + dry(underBottom) + sockMilliClo(context, socks);
  const accessory = dry(ensemble.head) + dry(ensemble.neck) + dry(ensemble.hands);
  return {
    outerLayer: { wind: cover?.wind ?? 0, breathability: cover?.breathability ?? 1 },
    milliClo:
      wet(context, outer, torsoCover) +
      wet(context, mid, torsoCover) +
      wet(context, main, torsoCover) +
      wet(context, over, 0) +
      wet(context, bottom, waterOf(over)) +
      wet(context, shoes, 0) +
      under +
      accessory,
    top: dry(mid) + dry(main) + dry(underTop),
    bottom: dry(over) + dry(bottom) + dry(underBottom),
    outer: dry(outer),
    shoes: dry(shoes) + sockMilliClo(context, socks),
    accessory,
    form: formOf(ensemble),
  };
}

/** Fit of `milliClo` for a target in clo, at most 1. */
export function regionFit(context: ScoringContext, milliClo: number, target: number): number {
  const { regionMin, regionShare, hotStrict } = context.model.k.fit;
  const z = (milliClo / 1000 - target) / Math.max(regionMin, regionShare * target);
  const strict = z > 0 && context.situation.isHot ? hotStrict : 1;
  const distance = strict * z;
  return withTail(context.model, Math.exp(-0.5 * distance * distance), distance);
}

/** Mean fit over regions; a dress counts for top and bottom. */
function regionsTerm(context: ScoringContext, sums: EnsembleSums): number {
  const { regions, plan } = context;
  const body =
    sums.form === 'one-piece'
      ? 2 * regionFit(context, sums.top + sums.bottom, regions.dress)
      : regionFit(context, sums.top, regions.top) + regionFit(context, sums.bottom, regions.bottom);
  const inner = body + regionFit(context, sums.shoes, regions.shoes);
  if (plan === 'indoor') return inner / 3;
  const outer = regionFit(context, sums.outer, regions.outerwear);
  return (inner + outer + regionFit(context, sums.accessory, regions.accessory)) / 5;
}

/** Shelter that an outfit leaves missing, weighted by part of the body. */
export function missingShelter(
  { model, shelter }: ScoringContext,
  kind: 'water' | 'wind',
  ensemble: Ensemble<WornItem>,
): number {
  const { torso, legs, feet } = model.tables.protection;
  return (
    torso * Math.max(0, shelter.torso[kind] - (outermost(ensemble)?.garment[kind] ?? 0)) +
    legs * Math.max(0, shelter.legs[kind] - (legItem(ensemble)?.garment[kind] ?? 0)) +
    feet * Math.max(0, shelter.feet[kind] - (ensemble.shoes?.garment[kind] ?? 0))
  );
}

/** 1 minus the larger of the missing shelter from water and from wind. */
export const protectionTerm = (context: ScoringContext, ensemble: Ensemble<WornItem>): number =>
  1 -
  Math.max(missingShelter(context, 'water', ensemble), missingShelter(context, 'wind', ensemble));

/** The visible items with their visible share. */
export function visibleItems(
  { model }: ScoringContext,
  ensemble: Ensemble<WornItem>,
): [WornItem, number][] {
  const { outer, torso, beneath, dress, legs, feet, accessory } = model.tables.visibleArea;
  const { mid, main } = ensemble;
  const visible: [WornItem, number][] = [];
  if (ensemble.outer) visible.push([ensemble.outer, outer]);
  if (mid) visible.push([mid, isSet(mid.garment) ? dress : torso]);
  if (main) visible.push([main, isDress(main.garment) ? dress : mid ? beneath : torso]);
  if (ensemble.bottom) visible.push([ensemble.bottom, legs]);
  if (ensemble.shoes) visible.push([ensemble.shoes, feet]);
  for (const slot of STYLE_SLOTS) {
    const item = ensemble[slot];
    if (item) visible.push([item, accessory]);
  }
  return visible;
}

/** Mean harmony of pairs, weighted by visible area; the value of unknown data if there is no pair. */
function colourTerm(context: ScoringContext, ensemble: Ensemble<WornItem>): number {
  const visible = visibleItems(context, ensemble);
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < visible.length; i++) {
    for (let j = i + 1; j < visible.length; j++) {
      const pair = visible[i]![1] * visible[j]![1];
      sum += pair * context.harmonyOf(visible[i]![0], visible[j]![0]);
      weight += pair;
    }
  }
  return weight > 0 ? sum / weight : context.model.k.fit.unknown;
}

/** Slots whose fit for occasion and season is scored. */
const SCORED_SLOTS = ['outer', 'mid', 'main', 'bottom', 'shoes', ...STYLE_SLOTS] as const;

/** Cost of the rules that clothes break, and those about two that clothes and required accessories do. */
export function senseCost({ sense }: ScoringContext, ensemble: Ensemble<WornItem>): number {
  let cost = 0;
  for (const slot of CORE_SLOTS) cost += ensemble[slot]?.sense ?? 0;
  const paired: WornItem[] = [];
  for (const slot of SEEN_SLOTS) {
    const item = ensemble[slot];
    if (!item?.isPaired) continue;
    for (const other of paired) cost += costOf(sense.brokenByPair(other.garment, item.garment));
    paired.push(item);
  }
  return cost;
}

/** The terms of the score, each 0-1 but the cost of common sense. */
export function scoreTerms(context: ScoringContext, ensemble: Ensemble<WornItem>): Terms {
  const sums = sumEnsemble(context, ensemble);
  let count = 0;
  let occasions = 0;
  let minOccasion = Number.POSITIVE_INFINITY;
  let seasons = 0;
  for (const slot of SCORED_SLOTS) {
    const item = ensemble[slot];
    if (!item) continue;
    count += 1;
    occasions += item.occasion;
    minOccasion = Math.min(minOccasion, item.occasion);
    seasons += item.season;
  }
  return {
    thermal: context.curveFor(sums.outerLayer).at(sums.milliClo),
    regions: regionsTerm(context, sums),
    protection: protectionTerm(context, ensemble),
    occasion: (occasions / count) * minOccasion,
    color: colourTerm(context, ensemble),
    season: seasons / count,
    sense: senseCost(context, ensemble),
  };
}

/** The weighted sum of the terms less the cost of broken rules, at most 1; it may be below 0. */
export function totalScore({ model: { tables } }: ScoringContext, terms: Terms): number {
  const { thermal, regions, protection, occasion, color, season } = tables.weights;
  return (
    thermal * terms.thermal +
    regions * terms.regions +
    protection * terms.protection +
    occasion * terms.occasion +
    color * terms.color +
    season * terms.season -
    terms.sense
  );
}

/**
 * A score as it is shown, 0-1, in the same order. In danger scores fall without end, so that the warmer of two
 * outfits wins clearly; shown, they stay above 0, and a trip still cares for its coldest day.
 */
export function shownScore({ k }: Model, score: number): number {
  const { lowFrom } = k.thermal;
  return score < lowFrom ? lowFrom ** 2 / (2 * lowFrom - score) : Math.min(1, score);
}

/** The score of an outfit, at most 1, rounded for comparison. */
export const comparableScore = (context: ScoringContext, ensemble: Ensemble<WornItem>): number =>
  Math.round(totalScore(context, scoreTerms(context, ensemble)) * 1e9) / 1e9;
