import {
  createCurve,
  createSetting,
  type OuterLayer,
  type Setting,
  type ThermalCurve,
} from '../comfort/comfort.ts';
import { type Danger, dangersOf } from '../comfort/danger.ts';
import { isLabour, occasionRow, type Situation } from '../comfort/targets.ts';
import { waterNeed, windNeed } from '../comfort/weather.ts';
import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { RegionalTargets } from '../schema.ts';
import type { OccasionRow } from '../tables.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import { createHarmony } from './harmony.ts';
import { costOf, createSense, type Sense } from './sense.ts';

type Plan = 'indoor' | 'outdoor';

/** Shelter that each part of the body needs, 0-1. */
interface ShelterNeeds {
  torso: { water: number; wind: number };
  legs: { water: number; wind: number };
  feet: { water: number; wind: number };
}

/** A garment as one scoring context sees it. */
export interface WornItem {
  readonly garment: Garment;
  /** Insulation Iclu, milliclo. */
  readonly milliClo: number;
  /** Fit for the occasion, 0-1. */
  readonly occasion: number;
  /** Fit for the season, 0-1. */
  readonly season: number;
  /** Share of the score that the rules it breaks by itself cost. */
  readonly sense: number;
  /** Whether it is in a rule about two garments. */
  readonly isPaired: boolean;
}

/** Everything that scores of one request share: person, day, occasion and plan. */
export interface ScoringContext {
  readonly model: Model;
  readonly plan: Plan;
  readonly situation: Situation;
  /** Whether one does not go out in these clothes: at home, and for sport in a hall. */
  readonly staysIn: boolean;
  /** Places in which warmth is scored, with shares that add up to 1. */
  readonly places: readonly { setting: Setting; share: number }[];
  readonly regions: RegionalTargets;
  readonly shelter: ShelterNeeds;
  readonly occasion: OccasionRow;
  readonly sense: Sense;
  /** What the weather can do to a person who goes out. */
  readonly dangers: readonly Danger[];
  /** Upper bound of the insulation of any outfit, milliclo. */
  readonly maxMilliClo: number;
  toWornItem(garment: Garment): WornItem;
  /** Insulation of an item in the rain, milliclo, under a layer with this water resistance. */
  wetMilliClo(item: WornItem, coverWater: number): number;
  harmonyOf(a: WornItem, b: WornItem): number;
  /** The thermal value under an outermost layer; equal layers share one curve. */
  curveFor(outerLayer: OuterLayer): ThermalCurve;
}

const NO_NEED = { water: 0, wind: 0 };

const isStayingIn = ({ occasion }: Situation, { place }: OccasionRow, plan: Plan): boolean =>
  plan === 'indoor' && (occasion === 'home' || place === 'sport');

function shelterNeeds(
  model: Model,
  { weather }: Situation,
  plan: Plan,
  staysIn: boolean,
): ShelterNeeds {
  const water = waterNeed(model, weather.condition);
  if (plan === 'outdoor') {
    const wind = windNeed(model, weather);
    const need = { water: water * wetShare(model, weather), wind };
    return { torso: need, legs: need, feet: { water, wind } };
  }
  // Shoes are not changed at the door, so they are for outdoors; not at home.
  const feet = staysIn ? NO_NEED : { water, wind: 0 };
  return { torso: NO_NEED, legs: NO_NEED, feet };
}

const blend = (a: number, b: number, share: number): number => a * (1 - share) + b * share;

/**
 * Places in which warmth is scored. An indoor outfit is also worn on the way: if that needs less
 * insulation than the room, it counts too, or outfits would suit air conditioning alone.
 */
function placesFor(model: Model, situation: Situation, plan: Plan, staysIn: boolean) {
  const { indoor, outdoor, cloOffset, weather } = situation;
  const { damp } = model.tables.condition[weather.condition];
  const outside = createSetting(model, outdoor, cloOffset, damp);
  if (plan === 'outdoor')
    return { places: [{ setting: outside, share: 1 }], regions: outdoor.regions };
  const inside = createSetting(model, indoor, cloOffset);
  const isWarmer = outdoor.iclRequired < indoor.iclRequired && !staysIn;
  const share = isWarmer ? model.k.layering.bothWays : 0;
  const mixed = (region: keyof RegionalTargets) =>
    blend(indoor.regions[region], outdoor.regions[region], share);
  return {
    places: isWarmer
      ? [
          { setting: inside, share: 1 - share },
          { setting: outside, share },
        ]
      : [{ setting: inside, share: 1 }],
    regions: {
      top: mixed('top'),
      outerwear: 0,
      dress: mixed('dress'),
      bottom: mixed('bottom'),
      shoes: staysIn ? indoor.regions.shoes : outdoor.regions.shoes,
      accessory: mixed('accessory'),
    },
  };
}

/** Share of the rain or snow that wets, 0-1: none of the snow of a frost. */
function wetShare({ k }: Model, { tempC }: Situation['weather']): number {
  const { frozenC, meltedC } = k.rain;
  return clamp((tempC - frozenC) / (meltedC - frozenC), 0, 1);
}

/**
 * Whether the weather excuses any formality: of a parka in hard cold, of a hat in less, of boots there and in snow, of a
 * raincoat and rain trousers in rain.
 */
export function isExcused(
  model: Model,
  { windChillC, weather }: Situation,
  { category: { id, region }, layer, water }: Garment,
): boolean {
  const { k, tables } = model;
  const isHard = windChillC < k.fit.excusedC;
  const need = waterNeed(model, weather.condition);
  if (tables.layering.frostShoes.includes(id))
    return isHard || (need > 0 && weather.tempC < k.fit.slushC);
  const { coatNeed, hatC } = k.layering;
  if (region === 'accessory') return windChillC < hatC;
  if (isHard && region === 'outerwear') return true;
  const isSoaking = need >= coatNeed && wetShare(model, weather) > 0;
  const isOver = region === 'outerwear' || layer === 'outer';
  return isSoaking && isOver && water >= coatNeed;
}

/** Fit of a garment's formality for an occasion, 0-1; 1 if the garment is tagged with it. */
function occasionFit(model: Model, row: OccasionRow, id: string | null, garment: Garment): number {
  const low = garment.formality[0];
  const high = garment.formality[1];
  const distance = Math.max(0, low - row.formality, row.formality - high);
  const fit = 1 - clamp(distance / (2 * row.tolerance), 0, 1);
  if (id === null || garment.occasions.length === 0) return fit;
  return garment.occasions.includes(id) ? 1 : fit * model.k.fit.unknown;
}

/** Fit of the best of an item's seasons at an outdoor temperature, 0-1; 1 if it has none. */
function seasonFit(model: Model, tempC: number, seasons: readonly string[]): number {
  if (seasons.length === 0) return 1;
  const fits = seasons.map((id) => {
    const { fromC, toC } = model.tables.season[id] ?? { fromC: tempC, toC: tempC };
    const distance = Math.max(0, fromC - tempC, tempC - toC);
    return 1 - clamp(distance / model.k.fit.seasonK, 0, 1);
  });
  return Math.max(...fits);
}

/** Twelve items of 3 clo, milliclo. */
const DEFAULT_MAX_MILLI_CLO = 36_000;

/**
 * Prepares the scoring of one request.
 * @param maxMilliClo upper bound of the insulation of any outfit to score
 */
export function createScoringContext(
  model: Model,
  situation: Situation,
  plan: Plan,
  maxMilliClo = DEFAULT_MAX_MILLI_CLO,
): ScoringContext {
  const { weather, occasion } = situation;
  const row = occasionRow(model, isLabour(model, situation) ? 'casual' : occasion);
  const staysIn = isStayingIn(situation, row, plan);
  const { places, regions } = placesFor(model, situation, plan, staysIn);
  const shelter = shelterNeeds(model, situation, plan, staysIn);
  const where = staysIn ? 'home' : plan === 'indoor' ? 'room' : 'outside';
  const sense = createSense(model, situation, where);
  const isHot = places.some(({ setting }) => setting.hotShare > 0);
  const soaking = model.k.rain.loss * shelter.torso.water;
  const wornItems = new Map<Garment, WornItem>();
  const harmony = createHarmony(model);
  const curves = new Map<number, ThermalCurve>();
  return {
    model,
    plan,
    situation,
    staysIn,
    places,
    regions,
    shelter,
    occasion: row,
    sense,
    dangers: staysIn ? [] : dangersOf(model, situation),
    maxMilliClo,
    toWornItem(garment) {
      const cached = wornItems.get(garment);
      if (cached) return cached;
      const item: WornItem = {
        garment,
        milliClo: garment.milliClo,
        occasion: isExcused(model, situation, garment)
          ? 1
          : occasionFit(model, row, occasion, garment),
        season: seasonFit(model, weather.tempC, garment.seasons),
        sense: costOf(sense.brokenBy(garment)),
        isPaired: sense.isInPairs(garment),
      };
      wornItems.set(garment, item);
      return item;
    },
    wetMilliClo({ milliClo, garment }, coverWater) {
      if (soaking === 0) return milliClo;
      return Math.round(milliClo * (1 - soaking * (1 - Math.max(coverWater, garment.water))));
    },
    harmonyOf: (a, b) => harmony(a.garment, b.garment),
    curveFor(outerLayer) {
      const { wind, breathability } = outerLayer;
      const key = isHot ? wind * 1e3 + breathability : wind * 1e3;
      const cached = curves.get(key);
      if (cached) return cached;
      const curve = blendCurves(
        places.map(({ setting, share }) => ({
          curve: createCurve(setting, outerLayer, maxMilliClo),
          share,
        })),
      );
      curves.set(key, curve);
      return curve;
    },
  };
}

/** The sum of curves by share; its upper bound is the sum of theirs. */
function blendCurves(shared: readonly { curve: ThermalCurve; share: number }[]): ThermalCurve {
  const [only, second] = shared;
  if (only && !second) return only.curve;
  return {
    at: (milliClo) => shared.reduce((sum, { curve, share }) => sum + share * curve.at(milliClo), 0),
    upperBound: (low, high) =>
      shared.reduce((sum, { curve, share }) => sum + share * curve.upperBound(low, high), 0),
  };
}
