import { clamp, smoothstep } from '../numeric.ts';
import type { Model } from '../params.ts';
import { type Climate, dryHeat, dryHeatIn, staticIcl, totalInsulation } from './heat.ts';
import type { Need } from './targets.ts';

/** One place in which warmth is scored: everything that does not depend on the ensemble. */
export interface Setting {
  readonly model: Model;
  readonly climate: Climate;
  /** Votes per W/m² of heat out of balance. */
  readonly votesPerW: number;
  /** Insulation that this person wants beyond balance, clo. */
  readonly cloOffset: number;
  /** Factor by which damp weather raises the insulation needed. */
  readonly damp: number;
  /** Insulation in use at balance, clo. */
  readonly neutralIcl: number;
  /** 0 if PMV decides the score, 1 if skin wettedness does. */
  readonly hotShare: number;
  /** Wettedness of the lightest acceptable ensemble, in the most breathable fabric. */
  readonly wettednessGoal: number;
  /** 1 if activity is beyond the range of PMV, 0 if not, and between. */
  readonly exercise: number;
  /** Loss of the thermal value in a heat that no ensemble makes bearable. */
  readonly heatLoss: number;
}

/** Insulation Icl, clo, of garments that add up to `milliClo`, underwear and socks included. */
const ensembleIcl = ({ k }: Model, milliClo: number): number =>
  k.icl.atNothing + k.icl.perIclu * (k.region.underwear + k.region.socks + milliClo / 1000);

/** Inverse of `ensembleIcl`; negative if `icl` is below that of underwear and socks. */
export const milliCloFor = ({ k }: Model, icl: number): number =>
  1000 * ((icl - k.icl.atNothing) / k.icl.perIclu - k.region.underwear - k.region.socks);

/** Air permeability, l/m²s, of a garment by its wind resistance. */
const airPermeability = ({ k }: Model, wind: number): number =>
  k.wear.airOpen * k.wear.airTightest ** wind;

/**
 * Insulation in use, clo, of static insulation `icl`: the x of x + iA/fcl(x) = m (icl + still/fcl(x)),
 * a quadratic in x. The inverse of `staticIcl`.
 * @param m motion factor of the climate for the outermost layer
 */
function iclInUse(model: Model, climate: Climate, icl: number, m: number): number {
  const perClo = model.k.surface.perClo;
  const b = 1 - perClo * m * icl;
  const c = climate.iA - m * (icl + climate.staticAir);
  return Math.max(0, (-b + Math.sqrt(Math.max(0, b * b - 4 * perClo * c))) / (2 * perClo));
}

/**
 * Skin wettedness required for balance in the heat, 0 or more (may exceed 1). ISO 7933.
 * @param total insulation in use from skin to air, clo
 * @param breathability of the outermost layer, 0-1
 */
function requiredWettedness(
  model: Model,
  climate: Climate,
  total: number,
  breathability: number,
): number {
  const { k } = model;
  const si = k.unit.cloSi * total;
  const evaporation = climate.metW - climate.respiration - (k.hot.skinC - climate.operativeC) / si;
  const skinKpa = Math.exp(k.vapour.a - k.vapour.b / (k.hot.skinC + k.vapour.c));
  const gradient = Math.max(k.vapour.refMin, skinKpa - climate.airKpa);
  const im = k.sweat.im + k.hot.imSpan * (breathability - k.hot.breathMiddle);
  return Math.max(0, (evaporation * (k.sweat.resistance / im) * si) / gradient);
}

/**
 * Prepares a place for scoring ensembles.
 * @param cloOffset insulation wanted beyond balance, clo
 * @param damp factor by which the weather raises the insulation needed; 1 indoors
 */
export function createSetting(model: Model, need: Need, cloOffset: number, damp = 1): Setting {
  const { k } = model;
  const { climate } = need;
  const physicalIcl = need.iclRaw - cloOffset;
  const goalIcl = Math.max(0, need.iclRequired - cloOffset) / damp;
  const inUse = iclInUse(model, climate, goalIcl, climate.motionFactor(k.wear.airOpen));
  const votesPerW = k.vote.a * Math.exp(-k.vote.decay * climate.metW) + k.vote.rest;
  const total = totalInsulation(climate, inUse);
  const drive = (climate.skinC - climate.operativeC) / k.unit.cloSi;
  const exercise = smoothstep(
    (climate.metW / k.unit.metW - k.ppd.fromMet) / (k.ppd.toMet - k.ppd.fromMet),
  );
  const lightest = votesPerW * (dryHeat(climate, inUse) - drive / total);
  return {
    model,
    climate,
    votesPerW,
    exercise,
    heatLoss:
      lightest > 0 ? unbearableLoss(model, blend(satisfiedShare(model, lightest), 1, exercise)) : 0,
    cloOffset,
    damp,
    neutralIcl: need.iclResultant,
    hotShare: 1 - smoothstep((physicalIcl - k.hot.fromClo) / k.hot.spanClo),
    wettednessGoal: requiredWettedness(model, climate, total, 1),
  };
}

/** Loss of the thermal value if most people are dissatisfied, by the share that is satisfied. */
function unbearableLoss({ k: { hot } }: Model, satisfied: number): number {
  const share = (1 - satisfied - hot.unbearableFrom) / (1 - hot.unbearableFrom);
  return hot.unbearable * smoothstep(share);
}

const blend = (a: number, b: number, share: number): number => a + (b - a) * share;

/** Share of people satisfied at a deviation of `votes`: (100 - PPD)/95. ISO 7730. */
const satisfiedShare = ({ k }: Model, votes: number): number =>
  Math.exp(-k.ppd.four * votes ** 4 - k.ppd.two * votes * votes);

/** Wind resistance and breathability of the outermost layer, 0-1. */
export interface OuterLayer {
  readonly wind: number;
  readonly breathability: number;
}

/** How warm an ensemble feels, and how well it is scored. */
export interface Thermal {
  icl: number;
  pmv: number;
  goal: number;
  deviation: number;
  ppd: number;
  /** Undefined if it has no part in the score. */
  wettedness: number | undefined;
  /** Hours until the heat debt is spent; only outdoors and if heat is lost fast. */
  exposureLimitH: number | undefined;
  /** At most 1; below 0 if it is unbearable. */
  value: number;
}

/**
 * A fit with a straight tail, at most 1 and without a lower end: of two outfits far from the goal the nearer one
 * wins by as much as of two close to it.
 */
export const withTail = ({ k: { thermal } }: Model, fit: number, distance: number): number =>
  (1 - thermal.tailShare) * fit +
  thermal.tailShare * (2 - Math.sqrt(1 + (distance / thermal.tailWidth) ** 2));

/** Asymmetric penalty, votes: too cold weighs more in the cold, too warm more in the heat and less in sport. */
function penalizedDeviation(
  { model: { k }, climate, hotShare, exercise }: Setting,
  deviation: number,
): number {
  const { factor, coldC, mildC, sport } = k.regret;
  if (deviation < 0)
    return deviation * blend(1, factor, clamp((mildC - climate.tempC) / (mildC - coldC), 0, 1));
  return deviation * blend(1, factor, hotShare) * blend(1, sport, exercise);
}

/**
 * Heat balance of ensembles under one outermost layer, by their milliclo: heat beyond balance, W/m²
 * (negative: too cold), and insulation in use, clo.
 */
function balanceUnder(setting: Setting, outerLayer: OuterLayer) {
  const { model, climate, cloOffset, damp } = setting;
  const m = climate.motionFactor(airPermeability(model, outerLayer.wind));
  const dry = dryHeatIn(climate);
  const drive = (climate.skinC - climate.operativeC) / model.k.unit.cloSi;
  return (milliClo: number) => {
    const icl = ensembleIcl(model, milliClo);
    const inUse = iclInUse(model, climate, Math.max(0, icl - cloOffset) / damp, m);
    const total = totalInsulation(climate, inUse);
    return { icl, total, surplus: dry(inUse) - drive / total };
  };
}

/**
 * The two parts of the thermal value. By insulation, the part by PMV rises to its peak and falls; the
 * part by wettedness only falls.
 */
function thermalParts(setting: Setting, surplus: number, total: number, breathability: number) {
  const { model, hotShare } = setting;
  const deviation = surplus * setting.votesPerW;
  const penalized = penalizedDeviation(setting, deviation);
  const byPmv = hotShare < 1 ? withTail(model, satisfiedShare(model, penalized), penalized) : 0;
  const satisfied = satisfiedShare(model, deviation);
  if (hotShare <= 0) return { deviation, satisfied, byPmv, byWettedness: 0, wettedness: undefined };
  const wettedness = requiredWettedness(model, setting.climate, total, breathability);
  const excess = Math.max(0, wettedness - setting.wettednessGoal) / model.k.hot.width;
  const fit = Math.exp(-0.5 * excess * excess);
  const byWettedness = withTail(
    model,
    fit,
    excess * blend(1, model.k.regret.sport, setting.exercise),
  );
  return {
    deviation,
    satisfied: deviation > 0 ? blend(satisfied, fit, setting.exercise * hotShare) : satisfied,
    byPmv: (1 - hotShare) * byPmv,
    byWettedness: hotShare * (byWettedness - setting.heatLoss),
    wettedness,
  };
}

/** Scores the warmth of garments that add up to `milliClo` under an outermost layer. */
export function thermalOf(setting: Setting, milliClo: number, outerLayer: OuterLayer): Thermal {
  const { model, climate, votesPerW } = setting;
  const { storage, ppd } = model.k;
  const { icl, total, surplus } = balanceUnder(setting, outerLayer)(milliClo);
  const { deviation, satisfied, byPmv, byWettedness, wettedness } = thermalParts(
    setting,
    surplus,
    total,
    outerLayer.breathability,
  );
  const debtW = climate.storage - surplus;
  const isLosing =
    climate.place === 'outdoor' && climate.tempC <= storage.toC && debtW > storage.fromW;
  return {
    icl,
    pmv: deviation - climate.storage * votesPerW,
    goal: -climate.storage * votesPerW,
    deviation,
    ppd: 100 - ppd.scale * satisfied,
    wettedness,
    exposureLimitH: isLosing ? Math.min(storage.maxH, storage.limitWh / debtW) : undefined,
    value: byPmv + byWettedness,
  };
}

/** The thermal value under one outermost layer, by whole milliclo. */
export interface ThermalCurve {
  at(milliClo: number): number;
  /** At least the largest value between `low` and `high`. */
  upperBound(low: number, high: number): number;
}

/** A curve that computes each point once. */
export function createCurve(
  setting: Setting,
  outerLayer: OuterLayer,
  maxMilliClo: number,
): ThermalCurve {
  const byPmv = new Float64Array(maxMilliClo + 1);
  const byWettedness = new Float64Array(maxMilliClo + 1);
  const { model, climate } = setting;
  const peakIcl =
    staticIcl(climate, setting.neutralIcl, airPermeability(model, outerLayer.wind)) * setting.damp +
    setting.cloOffset;
  const peak = milliCloFor(model, peakIcl);
  const balance = balanceUnder(setting, outerLayer);
  function compute(milliClo: number): void {
    const { total, surplus } = balance(milliClo);
    const parts = thermalParts(setting, surplus, total, outerLayer.breathability);
    byPmv[milliClo] = parts.byPmv;
    byWettedness[milliClo] = parts.byWettedness;
  }
  // No point is 0 in both parts, so 0 in both marks a point not computed yet.
  const ensure = (milliClo: number) => {
    if (byPmv[milliClo] === 0 && byWettedness[milliClo] === 0) compute(milliClo);
    return milliClo;
  };
  return {
    at(milliClo) {
      const i = ensure(milliClo);
      return byPmv[i]! + byWettedness[i]!;
    },
    upperBound(low, high) {
      const wettest = byWettedness[ensure(low)]!;
      if (high < peak) return byPmv[ensure(high)]! + wettest;
      if (low > peak) return byPmv[low]! + wettest;
      return 1 - setting.hotShare + wettest;
    },
  };
}
