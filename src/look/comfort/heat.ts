import { bisect, clamp, smoothstep } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { Weather } from '../schema.ts';
import { sunK, vapourKpa, walkMs, windAtBody } from './weather.ts';

/**
 * A person and their surroundings as the heat balance needs them. Fluxes in W/m² of skin, temperatures
 * in °C, insulation in clo, pressure in kPa.
 */
export interface Climate {
  readonly model: Model;
  readonly place: 'indoor' | 'outdoor';
  readonly tempC: number;
  /** Metabolic heat. */
  readonly metW: number;
  readonly skinC: number;
  /** Operative temperature, lowered by the person's offset. */
  readonly operativeC: number;
  /** Boundary air layer in use. */
  readonly iA: number;
  /** Boundary air layer on a standing person in still air. */
  readonly staticAir: number;
  readonly airKpa: number;
  /** Skin-to-air vapour gradient at the reference humidity. */
  readonly gradientKpa: number;
  readonly kHumidity: number;
  /** Heat lost by respiration. */
  readonly respiration: number;
  /** 1 if evaporation follows ISO 11079, 0 if ISO 7730, and between. */
  readonly coldShare: number;
  /** Heat that may be drawn from the body for an hour. */
  readonly storage: number;
  /** Insulation in use over insulation at rest, by air permeability of the outer layer, l/m²s. */
  motionFactor(permeability: number): number;
}

interface ClimateInput {
  tempC: number;
  metW: number;
  bodyMs: number;
  humidityPct: number;
  sunK: number;
  /** K by which this person's neutral temperature lies above the population's. */
  offsetC: number;
}

function commonClimate(model: Model, input: ClimateInput) {
  const { air, breath, skin, unit, vapour } = model.k;
  const { tempC, metW, bodyMs, humidityPct, offsetC } = input;
  const skinC = skin.restC - skin.perW * metW;
  const convection = air.convection * Math.sqrt(bodyMs + walkMs(model, metW));
  const surface = air.radiation + convection;
  const saturatedKpa = vapourKpa(model, tempC);
  const airKpa = (saturatedKpa * humidityPct) / 100;
  const skinKpa = vapourKpa(model, skinC);
  const gradientKpa = Math.max(vapour.refMin, skinKpa - (saturatedKpa * vapour.refPct) / 100);
  return {
    model,
    tempC,
    metW,
    skinC,
    operativeC: tempC + (input.sunK * air.radiation) / surface - offsetC,
    iA: 1 / (unit.cloSi * surface),
    airKpa,
    gradientKpa,
    kHumidity: clamp((skinKpa - airKpa) / gradientKpa, 0, vapour.gradMax),
    respiration:
      breath.dry * metW * (breath.dryC - tempC) + breath.wet * metW * (breath.wetKpa - airKpa),
  };
}

/** Wind and walking, by the air permeability of the outer layer. Source: ISO 11079. */
function outdoorMotionFactor({ k: { wear } }: Model, bodyMs: number, walk: number) {
  const still =
    wear.wind *
    Math.exp(-wear.windDecay * Math.max(wear.windFromMs, bodyMs) - wear.walkDecay * walk);
  return (permeability: number) =>
    still * permeability ** wear.airExponent - wear.airLog * Math.log(permeability) + wear.rest;
}

/**
 * The climate outdoors.
 * @param offsetC K by which this person's neutral temperature lies above the population's
 */
export function outdoorClimate(
  model: Model,
  weather: Weather,
  met: number,
  offsetC: number,
): Climate {
  const { air, blend, storage, unit } = model.k;
  const { tempC, humidityPct } = weather;
  const metW = unit.metW * met;
  const bodyMs = windAtBody(model, weather.windMs);
  return {
    ...commonClimate(model, {
      tempC,
      metW,
      bodyMs,
      humidityPct,
      sunK: sunK(model, weather),
      offsetC,
    }),
    place: 'outdoor',
    coldShare: 1 - smoothstep((tempC - blend.coldC) / (blend.warmC - blend.coldC)),
    staticAir: air.stillOut,
    storage: storage.allowedW,
    motionFactor: outdoorMotionFactor(model, bodyMs, walkMs(model, metW)),
  };
}

/** Air and walking in a room, for any outer layer. Source: ISO 9920. */
function indoorMotionFactor({ k: { motion } }: Model, bodyMs: number, walk: number): number {
  const air = bodyMs + walk - motion.airMs;
  return Math.min(
    1,
    Math.exp(
      -motion.air * air + motion.air2 * air * air - motion.walk * walk + motion.walk2 * walk * walk,
    ),
  );
}

/**
 * The climate of a room: balance of ISO 7730, motion factor of ISO 9920.
 * @param met of `indoorMet`
 * @param offsetC K by which this person's neutral temperature lies above the population's
 */
export function indoorClimate(model: Model, tempC: number, met: number, offsetC: number): Climate {
  const { air, indoor, unit } = model.k;
  const metW = unit.metW * met;
  const bodyMs = indoor.airMs;
  const factor = indoorMotionFactor(model, bodyMs, walkMs(model, metW));
  return {
    ...commonClimate(model, {
      tempC,
      metW,
      bodyMs,
      humidityPct: indoor.rhPct,
      sunK: 0,
      offsetC,
    }),
    place: 'indoor',
    coldShare: 0,
    staticAir: air.stillIn,
    storage: 0,
    motionFactor: () => factor,
  };
}

/**
 * Dry heat that clothing must pass for balance, by its insulation in use, clo. Evaporation from the
 * skin follows ISO 7730 in warmth and ISO 11079 in cold.
 */
export function dryHeatIn(climate: Climate): (icl: number) => number {
  const { metW, kHumidity, gradientKpa, coldShare, iA, storage } = climate;
  const { sweat, unit } = climate.model.k;
  const diffused = kHumidity * sweat.diffusion * gradientKpa;
  const warm = (1 - coldShare) * (diffused + Math.max(0, sweat.perW * (metW - unit.metW)));
  const wet = kHumidity * sweat.wetPerW * metW * gradientKpa;
  const resistance = (sweat.resistance / sweat.im) * unit.cloSi;
  const produced = metW - climate.respiration;
  return (icl) => produced - (warm + coldShare * (wet / (resistance * (icl + iA)))) + storage;
}

/** Dry heat that clothing of `icl` clo in use must pass for balance, W/m². */
export const dryHeat = (climate: Climate, icl: number): number => dryHeatIn(climate)(icl);

/** Clothed body surface over bare, fcl. Source: ISO 11079. */
export const areaFactor = ({ k: { surface } }: Model, icl: number): number =>
  1 + surface.perClo * icl;

/** Insulation from skin to air, clo, of clothing of `icl` clo in use. */
export const totalInsulation = (climate: Climate, icl: number): number =>
  icl + climate.iA / areaFactor(climate.model, icl);

/**
 * Insulation in use that balances heat, clo, 0 to `icl.solveMax`. Heat to pass minus heat passed rises
 * with insulation everywhere, so the root is unique.
 */
export function neutralIcl(climate: Climate): number {
  const { icl, unit } = climate.model.k;
  const drive = (climate.skinC - climate.operativeC) / unit.cloSi;
  const dry = dryHeatIn(climate);
  return bisect((x) => dry(x) - drive / totalInsulation(climate, x), 0, icl.solveMax);
}

/** Insulation at rest, clo, that gives `icl` clo in use in this climate. */
export function staticIcl(climate: Climate, icl: number, permeability: number): number {
  if (icl <= 0) return 0;
  const atRest = totalInsulation(climate, icl) / climate.motionFactor(permeability);
  return Math.max(0, atRest - climate.staticAir / areaFactor(climate.model, icl));
}
