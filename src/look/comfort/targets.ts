import { clamp, round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type {
  IndoorTargets,
  RegionalTargets,
  Targets,
  TargetsRequest,
  Weather,
} from '../schema.ts';
import type { OccasionRow } from '../tables.ts';
import {
  type Climate,
  dryHeat,
  neutralIcl,
  outdoorClimate,
  roomClimate,
  staticIcl,
} from './heat.ts';
import { usualRoomC } from './indoor.ts';
import { type Person, personOf } from './profile.ts';
import { type Around, splitByRegion, sumIclu } from './regions.ts';
import { windChillC } from './weather.ts';

const USUAL_OCCASION = 'casual';

/** Formality, tolerance, least insulation and forbidden kinds of an occasion; casual if none. */
export function occasionRow({ tables }: Model, id: string | null | undefined): OccasionRow {
  const row = tables.occasion[id ?? USUAL_OCCASION];
  if (!row) throw new Error(`The params have no occasion ${id}`);
  return row;
}

/** What one place asks of clothing, unrounded. */
export interface Need {
  climate: Climate;
  /** Insulation in use that balances heat, clo. */
  iclResultant: number;
  /** The same as insulation at rest, with damp and the offset asked for, before any bound. */
  iclRaw: number;
  iclRequired: number;
  regions: RegionalTargets;
}

/** Everything that follows from one request for targets: what is answered is rounded from here. */
export interface Situation {
  weather: Weather;
  met: number;
  occasion: string | null;
  cloOffset: number;
  person: Person;
  givenIndoorTempC: number | null;
  indoorTempC: number;
  windChillC: number;
  outdoor: Need;
  indoor: Need;
  isHot: boolean;
}

interface Asked {
  floorClo: number;
  cloOffset: number;
  /** What damp asks more of clothing, factor. */
  damp: number;
  around: Around;
  person: Person;
}

function needIn(model: Model, climate: Climate, asked: Asked): Need {
  const { icl, wear } = model.k;
  const iclResultant = neutralIcl(climate);
  const iclRaw = staticIcl(climate, iclResultant, wear.airRef) * asked.damp + asked.cloOffset;
  const iclRequired = clamp(iclRaw, asked.floorClo, icl.max);
  const regions = splitByRegion(model, iclRequired, asked.around, asked.person.regionOffsetC);
  return { climate, iclResultant, iclRaw, iclRequired, regions };
}

/** Solves the heat balance outdoors and indoors for one person on one day. */
export function situationOf(model: Model, request: TargetsRequest): Situation {
  const { weather, met, cloOffset = 0, occasion = null } = request;
  const { tempC } = weather;
  const person = personOf(model, request.userProfile);
  const offsetC = person.offsetC * person.sensitivity;
  const indoorTempC = request.indoorTempC ?? usualRoomC(model, tempC);
  const chillC = windChillC(model, tempC, weather.windMs);
  const { floorClo } = occasionRow(model, occasion);
  const outdoor = needIn(model, outdoorClimate(model, weather, met, offsetC), {
    floorClo,
    cloOffset,
    damp: model.tables.condition[weather.condition].damp,
    around: { tempC, windChillC: chillC },
    person,
  });
  const indoor = needIn(model, roomClimate(model, indoorTempC, met, offsetC), {
    floorClo,
    cloOffset,
    damp: 1,
    around: { tempC: indoorTempC, windChillC: indoorTempC },
    person,
  });
  return {
    weather,
    met,
    occasion,
    cloOffset,
    person,
    givenIndoorTempC: request.indoorTempC ?? null,
    indoorTempC,
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

/** The targets as answered, still without their digest. */
export function unsignedTargets(model: Model, situation: Situation): Omit<Targets, 'digest'> {
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
      indoorTempC: situation.givenIndoorTempC,
    },
    paramsVersion: model.version,
  };
}

/** The request that targets were computed from; the other way round of `unsignedTargets`. */
export function requestOf(targets: Targets): TargetsRequest {
  const { tempC, windMs, humidityPct, met, inputs } = targets;
  const { condition, isDay, cloOffset, occasion, indoorTempC, ...userProfile } = inputs;
  return {
    weather: { tempC, windMs, humidityPct, condition, isDay },
    met,
    userProfile,
    cloOffset,
    ...(occasion !== null && { occasion }),
    ...(indoorTempC !== null && { indoorTempC }),
  };
}

/** The target of the outfit worn indoors. */
export function indoorTargets(
  model: Model,
  { indoor, indoorTempC, met }: Situation,
): IndoorTargets {
  return {
    tempC: round(indoorTempC, 3),
    met: Math.min(met, model.k.indoor.metMax),
    regionalTargets: roundRegions(indoor.regions),
    total: { iclRequired: round(indoor.iclRequired, 3) },
  };
}
