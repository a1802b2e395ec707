import { clamp, smoothstep } from '../numeric.ts';
import type { Model } from '../params.ts';
import { areaFactor, type Climate, dryHeatIn, staticIcl } from './heat.ts';
import type { Need } from './targets.ts';

/** How one place judges the warmth of any ensemble: what does not depend on what is worn. */
export interface Setting {
  readonly model: Model;
  readonly climate: Climate;
  /** Votes per W/m2 of heat that is not balanced. */
  readonly votesPerW: number;
  /** clo that this person wants beyond the balance. */
  readonly cloOffset: number;
  /** What damp air asks more of clothing. */
  readonly damp: number;
  /** Insulation in use at balance, clo. */
  readonly neutralIcl: number;
  /** 0 where PMV judges, 1 where skin wettedness does. */
  readonly hotShare: number;
  /** Wettedness of the lightest ensemble that will do, in good cloth. */
  readonly wetGoal: number;
}

/** Insulation Icl, clo, of garments that add up to `milliClo`, underwear and socks included. */
export const ensembleIcl = ({ k }: Model, milliClo: number): number =>
  k.icl.atNothing + k.icl.perIclu * (k.region.underwear + k.region.socks + milliClo / 1000);

/** The other way round: thousandths of a clo that give this Icl; below 0 where nothing worn is more. */
export const milliCloFor = ({ k }: Model, icl: number): number =>
  1000 * ((icl - k.icl.atNothing) / k.icl.perIclu - k.region.underwear - k.region.socks);

/** Air permeability, l/m2s, of a garment by its wind resistance. */
export const airPermeability = ({ k }: Model, wind: number): number =>
  k.wear.airOpen * k.wear.airTightest ** wind;

/**
 * Insulation in use, clo, of static insulation `icl`: the x of x + iA/fcl(x) = m (icl + still/fcl(x)),
 * a quadratic in x. The inverse of `staticIcl`.
 */
export function iclInUse(
  model: Model,
  climate: Climate,
  icl: number,
  permeability: number,
): number {
  return inMotion(model, climate, icl, climate.motionFactor(permeability));
}

function inMotion(model: Model, climate: Climate, icl: number, m: number): number {
  const perClo = model.k.surface.perClo;
  const b = 1 - perClo * m * icl;
  const c = climate.iA - m * (icl + climate.staticAir);
  return Math.max(0, (-b + Math.sqrt(Math.max(0, b * b - 4 * perClo * c))) / (2 * perClo));
}

const totalInUse = (model: Model, climate: Climate, icl: number): number =>
  icl + climate.iA / areaFactor(model, icl);

/** Skin wettedness needed for balance in the heat, - (may pass 1). ISO 7933. */
function wettedness(model: Model, climate: Climate, total: number, breath: number): number {
  const { k } = model;
  const si = k.unit.cloSi * total;
  const needed = climate.metW - climate.breathing - (k.hot.skinC - climate.operativeC) / si;
  const skinKpa = Math.exp(k.vapour.a - k.vapour.b / (k.hot.skinC + k.vapour.c));
  const gradient = Math.max(k.vapour.refMin, skinKpa - climate.airKpa);
  const im = k.sweat.im + k.hot.imSpan * (breath - k.hot.breathMiddle);
  return Math.max(0, (needed * (k.sweat.resistance / im) * si) / gradient);
}

/**
 * Prepares a place for judging ensembles.
 * @param cloOffset clo wanted beyond the balance
 * @param damp what the weather asks more of clothing; 1 indoors
 */
export function settingOf(model: Model, need: Need, cloOffset: number, damp = 1): Setting {
  const { k } = model;
  const { climate } = need;
  const physicalIcl = need.iclRaw - cloOffset;
  const goalIcl = Math.max(0, need.iclRequired - cloOffset) / damp;
  const inUse = iclInUse(model, climate, goalIcl, k.wear.airOpen);
  return {
    model,
    climate,
    votesPerW: k.vote.a * Math.exp(-k.vote.decay * climate.metW) + k.vote.rest,
    cloOffset,
    damp,
    neutralIcl: need.iclResultant,
    hotShare: 1 - smoothstep((physicalIcl - k.hot.fromClo) / k.hot.spanClo),
    wetGoal: wettedness(model, climate, totalInUse(model, climate, inUse), 1),
  };
}

/** Share of people content at a deviation of `votes`: (100 - PPD)/95. ISO 7730. */
export const contentShare = ({ k }: Model, votes: number): number =>
  Math.exp(-k.ppd.four * votes ** 4 - k.ppd.two * votes * votes);

/** What the outermost layer does to an ensemble: wind resistance and breathability, 0-1. */
export interface Outside {
  readonly wind: number;
  readonly breath: number;
}

/** What an ensemble feels like, and how well that is, 0-1. */
export interface Thermal {
  icl: number;
  pmv: number;
  goal: number;
  deviation: number;
  ppd: number;
  /** Only where it takes part in the judgement. */
  wettedness: number | undefined;
  /** Hours until the heat debt is spent; only outdoors and where it is lost fast. */
  exposureLimitH: number | undefined;
  value: number;
}

/** A fit with a long tail, so that of two that are far off the nearer still wins. */
export const withTail = ({ k: { thermal } }: Model, fit: number, far: number): number =>
  (1 - thermal.tailShare) * fit + thermal.tailShare / Math.sqrt(1 + (far / thermal.tailWidth) ** 2);

/** Too cold weighs more in the cold, too warm more in the heat. */
function regret({ model: { k }, climate, hotShare }: Setting, deviation: number): number {
  const { factor, coldC, mildC } = k.regret;
  const share = deviation < 0 ? clamp((mildC - climate.tempC) / (mildC - coldC), 0, 1) : hotShare;
  return deviation * (1 + (factor - 1) * share);
}

/**
 * Heat balance of ensembles under one outermost layer, by their thousandths of a clo: heat beyond
 * balance, W/m2 (below 0: too cold), and insulation in use.
 */
function balanceUnder(setting: Setting, outside: Outside) {
  const { model, climate, cloOffset, damp } = setting;
  const m = climate.motionFactor(airPermeability(model, outside.wind));
  const dry = dryHeatIn(climate);
  const drive = (climate.skinC - climate.operativeC) / model.k.unit.cloSi;
  return (milliClo: number) => {
    const icl = ensembleIcl(model, milliClo);
    const inUse = inMotion(model, climate, Math.max(0, icl - cloOffset) / damp, m);
    const total = totalInUse(model, climate, inUse);
    return { icl, total, surplus: dry(inUse) - drive / total };
  };
}

/** The two parts of the thermal value, by PMV and by wettedness; each rises to a peak and falls. */
function valuesOf(setting: Setting, surplus: number, total: number, breath: number) {
  const { model, hotShare } = setting;
  const deviation = surplus * setting.votesPerW;
  const felt = regret(setting, deviation);
  const byVote = hotShare < 1 ? withTail(model, contentShare(model, felt), felt) : 0;
  if (hotShare <= 0) return { deviation, byVote, byWetness: 0, wet: undefined };
  const wet = wettedness(model, setting.climate, total, breath);
  const beyond = Math.max(0, wet - setting.wetGoal) / model.k.hot.width;
  const byWetness = withTail(model, Math.exp(-0.5 * beyond * beyond), beyond);
  return { deviation, byVote: (1 - hotShare) * byVote, byWetness: hotShare * byWetness, wet };
}

/** Judges the warmth of garments that add up to `milliClo` under such an outermost layer. */
export function thermalOf(setting: Setting, milliClo: number, outside: Outside): Thermal {
  const { model, climate, votesPerW } = setting;
  const { storage, ppd } = model.k;
  const { icl, total, surplus } = balanceUnder(setting, outside)(milliClo);
  const { deviation, byVote, byWetness, wet } = valuesOf(setting, surplus, total, outside.breath);
  const debtW = climate.storage - surplus;
  const isLosing = climate.place === 'outdoor' && debtW > storage.fromW;
  return {
    icl,
    pmv: deviation - climate.storage * votesPerW,
    goal: -climate.storage * votesPerW,
    deviation,
    ppd: 100 - ppd.scale * contentShare(model, deviation),
    wettedness: wet,
    exposureLimitH: isLosing ? Math.min(storage.maxH, storage.limitWh / debtW) : undefined,
    value: byVote + byWetness,
  };
}

/** The thermal value in one place under one outermost layer, by whole thousandths of a clo. */
export interface PlaceCurve {
  at(milliClo: number): number;
  /** At least the greatest value between `low` and `high`. */
  bound(low: number, high: number): number;
}

/** The thermal value under one outermost layer. */
export interface Curve extends PlaceCurve {
  /** The least c for which `c + slope * milliClo` is nowhere below the curve, or a little more. */
  lift(slope: number): number;
}

/** A curve that computes each point once. */
export function createCurve(setting: Setting, outside: Outside, maxMilliClo: number): PlaceCurve {
  const votes = new Float64Array(maxMilliClo + 1);
  const wets = new Float64Array(maxMilliClo + 1);
  const { model, climate } = setting;
  const peakIcl =
    staticIcl(climate, setting.neutralIcl, airPermeability(model, outside.wind)) * setting.damp +
    setting.cloOffset;
  const peak = milliCloFor(model, peakIcl);
  const balance = balanceUnder(setting, outside);
  function compute(milliClo: number): void {
    const { total, surplus } = balance(milliClo);
    const { byVote, byWetness } = valuesOf(setting, surplus, total, outside.breath);
    votes[milliClo] = byVote;
    wets[milliClo] = byWetness;
  }
  // A value is never 0 in both parts, so that 0 means: not computed yet.
  const known = (milliClo: number) => {
    if (votes[milliClo] === 0 && wets[milliClo] === 0) compute(milliClo);
    return milliClo;
  };
  return {
    at(milliClo) {
      const i = known(milliClo);
      return votes[i]! + wets[i]!;
    },
    bound(low, high) {
      const wet = wets[known(low)]!;
      if (high < peak) return votes[known(high)]! + wet;
      if (low > peak) return votes[low]! + wet;
      return 1 - setting.hotShare + wet;
    },
  };
}

/** Width of the pieces in which a lift looks along a curve, thousandths of a clo. */
const STRIDE = 32;

/** A curve that finds the lift of each slope once. */
export function withLifts(curve: PlaceCurve, maxMilliClo: number): Curve {
  const lifts = new Map<number, number>();
  function find(slope: number): number {
    let lift = Number.NEGATIVE_INFINITY;
    for (let low = 0; low <= maxMilliClo; low += STRIDE) {
      const high = Math.min(maxMilliClo, low + STRIDE - 1);
      lift = Math.max(lift, curve.bound(low, high) - slope * (slope > 0 ? low : high));
    }
    lifts.set(slope, lift);
    return lift;
  }
  return { ...curve, lift: (slope) => lifts.get(slope) ?? find(slope) };
}
