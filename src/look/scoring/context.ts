import {
  type Curve,
  createCurve,
  type Outside,
  type PlaceCurve,
  type Setting,
  settingOf,
  withLifts,
} from '../comfort/comfort.ts';
import { occasionRow, type Situation } from '../comfort/targets.ts';
import { waterNeed, windNeed } from '../comfort/weather.ts';
import { clamp } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { RegionalTargets } from '../schema.ts';
import type { OccasionRow } from '../tables.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import { createHarmony } from './harmony.ts';

export type Plan = 'indoor' | 'outdoor';

/** What shelter each part of the body should have, 0-1. */
interface Shelter {
  torso: { water: number; wind: number };
  legs: { water: number; wind: number };
  feet: { water: number; wind: number };
}

/** A garment with all that a day and an occasion make of it. */
export interface Piece {
  readonly garment: Garment;
  readonly milli: number;
  /** How right it is for the occasion and for the season, 0-1. */
  readonly occasion: number;
  readonly season: number;
}

/** How outfits are judged for one person, day, occasion and plan. */
export interface Judgement {
  readonly model: Model;
  readonly plan: Plan;
  readonly situation: Situation;
  /** Places that judge warmth, with shares that add up to 1. */
  readonly places: readonly { setting: Setting; share: number }[];
  readonly regions: RegionalTargets;
  readonly shelter: Shelter;
  readonly occasion: OccasionRow;
  /** More than any outfit adds up to, thousandths of a clo. */
  readonly mostMilli: number;
  pieceOf(garment: Garment): Piece;
  /** Insulation of a piece in the rain, thousandths of a clo, under a layer of this water resistance. */
  wetMilli(piece: Piece, coverWater: number): number;
  harmonyOf(a: Piece, b: Piece): number;
  /** The thermal value under an outermost layer; the same curve for the same layer. */
  curveFor(outside: Outside): Curve;
}

const NOTHING = { water: 0, wind: 0 };

function shelterFor(model: Model, { weather, occasion }: Situation, plan: Plan): Shelter {
  const water = waterNeed(model, weather.condition);
  if (plan === 'outdoor') {
    const need = { water, wind: windNeed(model, weather) };
    return { torso: need, legs: need, feet: need };
  }
  // Nobody changes shoes at the door, so that they are for outdoors; at home they are not.
  const feet = occasion === 'home' ? NOTHING : { water, wind: 0 };
  return { torso: NOTHING, legs: NOTHING, feet };
}

const blend = (a: number, b: number, share: number): number => a * (1 - share) + b * share;

/**
 * Where warmth is judged. An outfit for indoors is also worn on the way; where that is warmer than
 * the room, it counts too, so that nobody dresses for air conditioning alone.
 */
function placesOf(model: Model, situation: Situation, plan: Plan) {
  const { indoor, outdoor, cloOffset, weather } = situation;
  const { damp } = model.tables.condition[weather.condition];
  const outside = settingOf(model, outdoor, cloOffset, damp);
  if (plan === 'outdoor')
    return { places: [{ setting: outside, share: 1 }], regions: outdoor.regions };
  const inside = settingOf(model, indoor, cloOffset);
  const isWarmer = outdoor.iclRequired < indoor.iclRequired && situation.occasion !== 'home';
  const share = isWarmer ? model.k.layering.bothWays : 0;
  const mixed = (part: keyof RegionalTargets) =>
    blend(indoor.regions[part], outdoor.regions[part], share);
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
      shoes: situation.occasion === 'home' ? indoor.regions.shoes : outdoor.regions.shoes,
      accessory: mixed('accessory'),
    },
  };
}

/** How far a formality lies from the occasion's, turned into 0-1; an item tagged for it is right. */
function occasionFit(model: Model, row: OccasionRow, id: string | null, garment: Garment): number {
  const low = garment.formality[0];
  const high = garment.formality[1];
  const far = Math.max(0, low - row.formality, row.formality - high);
  const fit = 1 - clamp(far / (2 * row.tolerance), 0, 1);
  if (id === null || garment.occasions.length === 0) return fit;
  return garment.occasions.includes(id) ? 1 : fit * model.k.fit.unknown;
}

/** How right the seasons an item is tagged with are at an outdoor temperature; 1 where untagged. */
function seasonFit(model: Model, tempC: number, seasons: readonly string[]): number {
  if (seasons.length === 0) return 1;
  const fits = seasons.map((id) => {
    const { fromC, toC } = model.tables.season[id] ?? { fromC: tempC, toC: tempC };
    const far = Math.max(0, fromC - tempC, tempC - toC);
    return 1 - clamp(far / model.k.fit.seasonK, 0, 1);
  });
  return Math.max(...fits);
}

/**
 * Sets up the judgement of one request.
 * @param mostMilli more than any outfit judged will add up to, thousandths of a clo
 */
export function judgementOf(
  model: Model,
  situation: Situation,
  plan: Plan,
  mostMilli = MOST_MILLI,
): Judgement {
  const { weather, occasion } = situation;
  const row = occasionRow(model, occasion);
  const { places, regions } = placesOf(model, situation, plan);
  const shelter = shelterFor(model, situation, plan);
  const isHot = places.some(({ setting }) => setting.hotShare > 0);
  const soaking = model.k.rain.loss * shelter.torso.water;
  const pieces = new Map<Garment, Piece>();
  const harmony = createHarmony(model);
  const curves = new Map<number, Curve>();
  return {
    model,
    plan,
    situation,
    places,
    regions,
    shelter,
    occasion: row,
    mostMilli,
    pieceOf(garment) {
      const known = pieces.get(garment);
      if (known) return known;
      const piece: Piece = {
        garment,
        milli: garment.milliClo,
        occasion: occasionFit(model, row, occasion, garment),
        season: seasonFit(model, weather.tempC, garment.seasons),
      };
      pieces.set(garment, piece);
      return piece;
    },
    wetMilli({ milli, garment }, coverWater) {
      if (soaking === 0) return milli;
      return Math.round(milli * (1 - soaking * (1 - Math.max(coverWater, garment.water))));
    },
    harmonyOf: (a, b) => harmony(a.garment, b.garment),
    curveFor(outside) {
      const key = isHot ? outside.wind * 1e3 + outside.breath : outside.wind * 1e3;
      const known = curves.get(key);
      if (known) return known;
      const blended = blendCurves(
        places.map(({ setting, share }) => ({
          curve: createCurve(setting, outside, mostMilli),
          share,
        })),
      );
      const curve = withLifts(blended, mostMilli);
      curves.set(key, curve);
      return curve;
    },
  };
}

/** Twelve pieces of 3 clo, thousandths of a clo; more is never worn. */
const MOST_MILLI = 36_000;

function blendCurves(parts: readonly { curve: PlaceCurve; share: number }[]): PlaceCurve {
  const [only, second] = parts;
  if (only && !second) return only.curve;
  return {
    at: (milli) => parts.reduce((sum, { curve, share }) => sum + share * curve.at(milli), 0),
    bound: (low, high) =>
      parts.reduce((sum, { curve, share }) => sum + share * curve.bound(low, high), 0),
  };
}
