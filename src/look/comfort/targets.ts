import { clamp, interpolate, round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type {
  IndoorTargets,
  RegionalTargets,
  RegionOffsets,
  Targets,
  TargetsRequest,
  Weather,
} from '../schema.ts';
import type { OccasionRow } from '../tables.ts';
import {
  type Climate,
  dryHeat,
  indoorClimate,
  neutralIcl,
  outdoorClimate,
  staticIcl,
} from './heat.ts';
import { defaultIndoorTempC, indoorMet } from './indoor.ts';
import { type Person, readProfile } from './profile.ts';
import { windChillC } from './weather.ts';

/** Temperatures at the extremities, °C; indoors both are the room's. */
interface AmbientTemperatures {
  tempC: number;
  windChillC: number;
}

/** Sum of Iclu, clo, of an ensemble of `icl` clo. Source: ISO 9920. */
const sumIclu = ({ k }: Model, icl: number): number =>
  Math.max(0, (icl - k.icl.atNothing) / k.icl.perIclu);

/**
 * Splits a total into sums of Iclu per region, clo. `dress` covers top and bottom together; demand
 * beyond a thick top goes to outerwear. Feet, hands and head have minimums of their own in the cold, so
 * the regions do not add up to the total. A region's own offset scales its share and shifts its minimum.
 */
function splitByRegion(
  model: Model,
  icl: number,
  ambient: AmbientTemperatures,
  offsets: RegionOffsets = {},
): RegionalTargets {
  const { region } = model.k;
  const { feetRamp, windChillRamp, regionShare } = model.tables;
  const sum = sumIclu(model, icl);
  const part = (key: 'top' | 'bottom' | 'shoes' | 'accessory', offsetK: number): number =>
    interpolate(regionShare[key], icl) * sum * (1 + region.perK * offsetK);

  const { top: topK = 0, bottom: bottomK = 0, feet: feetK = 0, hands = 0, head = 0 } = offsets;
  const extremitiesK = hands + head;
  const trunk = part('top', topK);
  const top = Math.min(trunk, region.topMax);
  const bottom = Math.max(region.bottomMin, part('bottom', bottomK) - region.underwear);
  return {
    top,
    outerwear: trunk - top,
    dress: top + region.dressOfLegs * bottom,
    bottom,
    shoes: Math.max(
      region.shoesMin,
      part('shoes', feetK) - region.socks,
      interpolate(feetRamp, ambient.tempC - feetK),
    ),
    accessory: Math.max(
      part('accessory', extremitiesK),
      interpolate(windChillRamp, ambient.windChillC - extremitiesK),
    ),
  };
}

const DEFAULT_OCCASION = 'casual';

/** Formality, tolerance, minimum insulation and forbidden categories of an occasion; casual if none. */
export function occasionRow({ tables }: Model, id: string | null | undefined): OccasionRow {
  const row = tables.occasion[id ?? DEFAULT_OCCASION];
  if (!row) throw new Error(`The params have no occasion ${id}`);
  return row;
}

/** Whether the work of a request is labour, for which one dresses as in private. */
export const isLabour = (
  { k }: Model,
  { occasion, met }: Pick<Situation, 'occasion' | 'met'>,
): boolean => occasion === 'work' && met >= k.layering.labourMet;

/** The insulation that one place requires, unrounded. */
export interface Need {
  climate: Climate;
  /** Insulation in use that balances heat, clo. */
  iclResultant: number;
  /** The same as insulation at rest, with damp and `cloOffset`, before clamping. */
  iclRaw: number;
  iclRequired: number;
  regions: RegionalTargets;
}

/** Everything computed from one request for targets, unrounded. */
export interface Situation {
  weather: Weather;
  met: number;
  occasion: string | null;
  cloOffset: number;
  person: Person;
  requestedIndoorTempC: number | null;
  indoorTempC: number;
  /** Activity in the room, met. */
  indoorMet: number;
  windChillC: number;
  outdoor: Need;
  indoor: Need;
  isHot: boolean;
}

interface NeedOptions {
  floorClo: number;
  cloOffset: number;
  /** Factor by which damp weather raises the insulation needed. */
  damp: number;
  ambient: AmbientTemperatures;
  person: Person;
}

function solveNeed(model: Model, climate: Climate, options: NeedOptions): Need {
  const { icl, wear } = model.k;
  const iclResultant = neutralIcl(climate);
  const iclRaw = staticIcl(climate, iclResultant, wear.airRef) * options.damp + options.cloOffset;
  const iclRequired = clamp(iclRaw, options.floorClo, icl.max);
  const regions = splitByRegion(model, iclRequired, options.ambient, options.person.regionOffsetC);
  return { climate, iclResultant, iclRaw, iclRequired, regions };
}

/** Solves the heat balance outdoors and indoors for one person on one day. */
export function situationOf(model: Model, request: TargetsRequest): Situation {
  const { weather, met, cloOffset = 0, occasion = null } = request;
  const { tempC } = weather;
  const person = readProfile(model, request.userProfile);
  const offsetC = person.offsetC * person.sensitivity;
  const usualC = defaultIndoorTempC(model, tempC);
  // A home is at least as hot as the day.
  const roomC = occasion === 'home' ? Math.max(usualC, tempC) : usualC;
  const indoorTempC = request.indoorTempC ?? roomC;
  const chillC = windChillC(model, tempC, weather.windMs);
  const row = occasionRow(model, occasion);
  const { floorClo } = row;
  const metIn = indoorMet(model, row, met);
  const outdoor = solveNeed(model, outdoorClimate(model, weather, met, offsetC), {
    floorClo,
    cloOffset,
    damp: model.tables.condition[weather.condition].damp,
    ambient: { tempC, windChillC: chillC },
    person,
  });
  const indoor = solveNeed(model, indoorClimate(model, indoorTempC, metIn, offsetC), {
    floorClo,
    cloOffset,
    damp: 1,
    ambient: { tempC: indoorTempC, windChillC: indoorTempC },
    person,
  });
  return {
    weather,
    met,
    occasion,
    cloOffset,
    person,
    requestedIndoorTempC: request.indoorTempC ?? null,
    indoorTempC,
    indoorMet: metIn,
    windChillC: chillC,
    outdoor,
    indoor: { ...indoor, regions: { ...indoor.regions, outerwear: 0 } },
    isHot: outdoor.iclRaw <= model.k.icl.hot,
  };
}

const roundRegions = (regions: RegionalTargets): RegionalTargets => ({
  top: round(regions.top, 3),
  outerwear: round(regions.outerwear, 3),
  dress: round(regions.dress, 3),
  bottom: round(regions.bottom, 3),
  shoes: round(regions.shoes, 3),
  accessory: round(regions.accessory, 3),
});

/**
 * The targets of a response, without their digest.
 * @param plan that `/score` must keep to; undefined if either will do
 */
export function unsignedTargets(
  model: Model,
  situation: Situation,
  plan?: Targets['inputs']['plan'],
): Omit<Targets, 'digest'> {
  const { weather, outdoor, person } = situation;
  return {
    tempC: weather.tempC,
    windMs: weather.windMs,
    humidityPct: weather.humidityPct,
    met: situation.met,
    iA: round(outdoor.climate.iA, 3),
    kHumidity: round(outdoor.climate.kHumidity, 3),
    hEff: round(dryHeat(outdoor.climate, outdoor.iclResultant), 1),
    regionalTargets: roundRegions(outdoor.regions),
    thermalProfile: person.thermalProfile,
    total: {
      iclRequired: round(outdoor.iclRequired, 3),
      iclResultant: round(outdoor.iclResultant, 3),
      sumIclu: round(sumIclu(model, outdoor.iclRequired), 3),
      iclRaw: round(outdoor.iclRaw, 3),
      capped: outdoor.iclRaw > outdoor.iclRequired,
      floored: outdoor.iclRaw < outdoor.iclRequired,
    },
    inputs: {
      condition: weather.condition,
      isDay: weather.isDay ?? true,
      offsetC: person.offsetC,
      sensitivity: person.sensitivity,
      regionOffsetC: person.regionOffsetC,
      cloOffset: situation.cloOffset,
      occasion: situation.occasion,
      indoorTempC: situation.requestedIndoorTempC,
      ...(plan && { plan }),
    },
    paramsVersion: model.version,
  };
}

/** The request that targets were computed from: the inverse of `unsignedTargets`. */
export function toRequest(targets: Targets): TargetsRequest {
  const { tempC, windMs, humidityPct, met, inputs } = targets;
  const { condition, isDay, cloOffset, occasion, indoorTempC, plan: _, ...userProfile } = inputs;
  return {
    weather: { tempC, windMs, humidityPct, condition, isDay },
    met,
    userProfile,
    cloOffset,
    ...(occasion !== null && { occasion }),
    ...(indoorTempC !== null && { indoorTempC }),
  };
}

/** The same day on the way to a room in which the work is done: a walk. */
export function onTheWay(model: Model, situation: Situation): Situation {
  const { walkMet, workMet } = model.k.indoor;
  if (situation.met < workMet) return situation;
  const targets = { ...unsignedTargets(model, situation), digest: '' };
  return situationOf(model, { ...toRequest(targets), met: walkMet });
}

/** The targets of the outfit worn indoors. */
export function indoorTargets({ indoor, indoorTempC, indoorMet: met }: Situation): IndoorTargets {
  return {
    tempC: round(indoorTempC, 3),
    met: round(met, 3),
    regionalTargets: roundRegions(indoor.regions),
    total: { iclRequired: round(indoor.iclRequired, 3) },
  };
}
