import { isLabour, type Situation } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import type { GarmentSet, SenseRule } from '../sense-rules.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';

const isIn = (
  { k }: Model,
  { categories, materials, unlessOf, isPale }: GarmentSet,
  garment: Garment,
): boolean =>
  (!categories || categories.includes(garment.category.id)) &&
  (!materials || garment.materialIds.some((id) => materials.includes(id))) &&
  !garment.materialIds.some((id) => unlessOf?.includes(id)) &&
  (!isPale || (garment.colour?.l ?? 0) >= k.colour.paleL);

/** Where clothes are worn: at home, in a room that one goes to, or outside. */
type Whereabouts = 'home' | 'room' | 'outside';

/**
 * Whether a rule holds on this day; of the weather only if one goes out.
 * @param heatC air temperature in which one may be too warm, °C
 */
function holds(
  model: Model,
  rule: SenseRule,
  situation: Situation,
  where: Whereabouts,
  heatC: number,
): boolean {
  const { weather, windChillC, met } = situation;
  const occasion = isLabour(model, situation) ? 'labour' : (situation.occasion ?? 'casual');
  const { occasions, conditions, isDry, belowC, aboveC, fromMet = 0, belowMet, fromMs } = rule;
  if (rule.isOutside && where !== 'outside') return false;
  if (met < fromMet || (belowMet !== undefined && met >= belowMet)) return false;
  if (occasions && !occasions.includes(occasion)) return false;
  const isOfWeather =
    conditions || isDry || belowC !== undefined || aboveC !== undefined || fromMs !== undefined;
  if (!isOfWeather) return true;
  if (where === 'home') {
    const roomC = situation.indoorTempC;
    const isThen =
      (aboveC === undefined || roomC > aboveC) && (belowC === undefined || roomC < belowC);
    return !conditions && !fromMs && occasions !== undefined && isThen;
  }
  if (conditions && !conditions.includes(weather.condition)) return false;
  if (fromMs !== undefined && weather.windMs < fromMs) return false;
  if (isDry && model.tables.condition[weather.condition].water > 0) return false;
  return (belowC === undefined || windChillC < belowC) && (aboveC === undefined || heatC > aboveC);
}

/** What is wrong with a garment, by the rule that it breaks. */
export function reasonOf(
  { k }: Model,
  { with: other, occasions, conditions, isDry, belowC, aboveC, fromMet, belowMet }: SenseRule,
): 'pair' | 'occasion' | 'wet' | 'dry' | 'cold' | 'warm' {
  if (other) return 'pair';
  if (conditions) return occasions && (fromMet ?? belowMet) !== undefined ? 'occasion' : 'wet';
  if (belowC !== undefined) return 'cold';
  if (aboveC !== undefined && (aboveC >= k.fit.warmC || !occasions) && !isDry) return 'warm';
  return isDry && !occasions ? 'dry' : 'occasion';
}

/** Share of the score that broken rules cost. */
export const costOf = (rules: readonly SenseRule[]): number =>
  rules.reduce((sum, { points = 0 }) => sum + points / 100, 0);

/** The common sense of one day. */
export interface Sense {
  /** The rules that a garment breaks by itself. */
  brokenBy(garment: Garment): readonly SenseRule[];
  /** The rules for leaving out a garment of a wardrobe that has better ones, which are worn themselves. */
  outdoneIn(owned: readonly Garment[]): (garment: Garment) => readonly SenseRule[];
  /** The rules that two garments break together. */
  brokenByPair(a: Garment, b: Garment): readonly SenseRule[];
  /** Whether a garment is in a rule about two. */
  isInPairs(garment: Garment): boolean;
}

const NONE: readonly SenseRule[] = [];

/** Garments of one category for which the same rules hold. */
interface Kind {
  readonly id: string;
  readonly rules: readonly SenseRule[];
}

/**
 * Finds the rules by which garments give way to better ones. A garment gives way only to one that stays itself, and two
 * that outdo each other, be it by way of others, both stay: the score decides.
 * @param rulesOf the rules that hold for a garment, by what the wardrobe has
 * @param owned what can be worn
 */
function outdoneIn(
  rulesOf: (garment: Garment) => readonly SenseRule[],
  owned: readonly Garment[],
): (garment: Garment) => readonly SenseRule[] {
  const kinds = new Map<string, Kind>();
  for (const garment of owned) {
    const rules = rulesOf(garment);
    const { id } = garment.category;
    kinds.set([id, ...rules.map((rule) => rule.id)].join(' '), { id, rules });
  }
  const kindsOf = new Map<string, Kind[]>();
  for (const kind of kinds.values()) kindsOf.set(kind.id, [...(kindsOf.get(kind.id) ?? []), kind]);
  const betterBy = ({ ifOwned = [] }: SenseRule) => ifOwned.flatMap((id) => kindsOf.get(id) ?? []);
  const reached = new Map<Kind, ReadonlySet<string>>();
  /** Categories of what outdoes a kind, directly or by way of others. */
  const reachOf = (kind: Kind): ReadonlySet<string> => {
    const known = reached.get(kind);
    if (known) return known;
    const seen = new Set<Kind>([kind]);
    const found = new Set<string>();
    for (const one of seen)
      for (const better of one.rules.flatMap(betterBy)) {
        seen.add(better);
        found.add(better.id);
      }
    reached.set(kind, found);
    return found;
  };
  const staying = new Map<Kind, boolean>();
  const isOutdone = (id: string, rule: SenseRule): boolean =>
    betterBy(rule).some((better) => !reachOf(better).has(id) && stays(better));
  function stays(kind: Kind): boolean {
    const known = staying.get(kind) ?? !kind.rules.some((rule) => isOutdone(kind.id, rule));
    staying.set(kind, known);
    return known;
  }
  return (garment) => rulesOf(garment).filter((rule) => isOutdone(garment.category.id, rule));
}

/** What is put on for the room, if its temperature is known; shoes and hats are for the way. */
const isForRoom = ({ category: { region } }: Garment): boolean =>
  region === 'top' || region === 'bottom' || region === 'dress';

/** Prepares the rules of one day. */
export function createSense(model: Model, situation: Situation, where: Whereabouts): Sense {
  const { weather, requestedIndoorTempC, outdoor, indoor } = situation;
  // Where one needs what people wear in the cold, such as at rest in the rain, no clothes are too warm; shoes and hats
  // may be.
  const { iclRequired } = where === 'outside' ? outdoor : indoor;
  const isCold = iclRequired >= model.k.layering.underClo;
  const isFelt = (rule: SenseRule) => !isCold || reasonOf(model, rule) !== 'warm';
  const heldAt = (heatC: number) =>
    model.tables.sense.filter((rule) => holds(model, rule, situation, where, heatC));
  const rules = heldAt(weather.tempC);
  const single = rules.filter((rule) => !rule.with && !rule.ifOwned);
  const inRoom =
    where === 'room' && requestedIndoorTempC !== null
      ? heldAt(requestedIndoorTempC).filter((rule) => !rule.with && !rule.ifOwned)
      : single;
  const owned = rules.filter((rule) => rule.ifOwned);
  const pairs = rules.filter((rule) => rule.with && (!isCold || rule.aboveC === undefined));
  const inPairs = new Set(
    pairs.flatMap((rule) => [...(rule.garment.categories ?? []), ...(rule.with?.categories ?? [])]),
  );
  const cached = new Map<string, Map<string, readonly SenseRule[]>>();
  const ofCategory = new Map<string, readonly SenseRule[]>();
  return {
    brokenBy(garment) {
      const { id, region, layer } = garment.category;
      const isUnderwear = where === 'outside' && layer === 'underwear';
      let rules = ofCategory.get(id);
      if (!rules) {
        rules = (isForRoom(garment) ? inRoom : single).filter(
          (rule) =>
            (rule.garment.categories?.includes(id) ?? true) &&
            (region === 'accessory' || region === 'shoes' || isUnderwear || isFelt(rule)),
        );
        ofCategory.set(id, rules);
      }
      return rules.length > 0 ? rules.filter((rule) => isIn(model, rule.garment, garment)) : NONE;
    },
    outdoneIn(garments) {
      const categories = new Set(garments.map(({ category }) => category.id));
      const held = owned.filter(
        ({ ifOwned, unlessOwned }) =>
          ifOwned!.some((id) => categories.has(id)) &&
          !unlessOwned?.some((id) => categories.has(id)),
      );
      return outdoneIn(
        (garment) => held.filter((rule) => isIn(model, rule.garment, garment)),
        garments,
      );
    },
    isInPairs: ({ category }) => inPairs.has(category.id),
    brokenByPair(a, b) {
      const [idA, idB] = [a.category.id, b.category.id];
      const ofA = cached.get(idA) ?? new Map<string, readonly SenseRule[]>();
      const known = ofA.get(idB);
      if (known) return known;
      const broken = pairs.filter(
        (rule) =>
          (isIn(model, rule.garment, a) && isIn(model, rule.with!, b)) ||
          (isIn(model, rule.garment, b) && isIn(model, rule.with!, a)),
      );
      cached.set(idA, ofA.set(idB, broken));
      return broken;
    },
  };
}
