import type { Situation } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import type { GarmentSet, SenseRule } from '../sense-rules.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';

const isIn = (
  { k }: Model,
  { categories, materials, isPale }: GarmentSet,
  garment: Garment,
): boolean =>
  (!categories || categories.includes(garment.category.id)) &&
  (!materials || garment.materialIds.some((id) => materials.includes(id))) &&
  (!isPale || (garment.colour?.l ?? 0) >= k.colour.paleL);

/** A home is at least as hot as the day, unless its temperature is given. */
const homeTempC = ({ requestedIndoorTempC, indoorTempC, weather }: Situation): number =>
  requestedIndoorTempC ?? Math.max(indoorTempC, weather.tempC);

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
  const { weather, windChillC, occasion, met } = situation;
  const { occasions, conditions, isDry, belowC, aboveC, fromMet = 0, belowMet, fromMs } = rule;
  if (met < fromMet || (belowMet !== undefined && met >= belowMet)) return false;
  if (occasions && !occasions.includes(occasion ?? 'casual')) return false;
  const isOfWeather =
    conditions || isDry || belowC !== undefined || aboveC !== undefined || fromMs !== undefined;
  if (!isOfWeather) return true;
  if (where === 'home') {
    const roomC = homeTempC(situation);
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
  { with: other, occasions, conditions, isDry, belowC, aboveC }: SenseRule,
): 'pair' | 'occasion' | 'wet' | 'dry' | 'cold' | 'warm' {
  if (other) return 'pair';
  if (conditions) return 'wet';
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
  /** The rules for leaving out a garment of a wardrobe that has better ones, of these categories. */
  outdoneBy(garment: Garment, owned: ReadonlySet<string>): readonly SenseRule[];
  /** The rules that two garments break together. */
  brokenByPair(a: Garment, b: Garment): readonly SenseRule[];
  /** Whether a garment is in a rule about two. */
  isInPairs(garment: Garment): boolean;
}

const NONE: readonly SenseRule[] = [];

/** What is put on for the room, if its temperature is known; shoes and hats are for the way. */
const isForRoom = ({ category: { region } }: Garment): boolean =>
  region === 'top' || region === 'bottom' || region === 'dress';

/** Prepares the rules of one day. */
export function createSense(model: Model, situation: Situation, where: Whereabouts): Sense {
  const { weather, requestedIndoorTempC, outdoor } = situation;
  // Where one needs what people wear in the cold, such as at rest in the rain, no clothes are too warm; shoes and hats
  // may be.
  const isCold = where === 'outside' && outdoor.iclRequired >= model.k.layering.underClo;
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
      const isUnderwear = layer === 'underwear';
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
    outdoneBy: (garment, categories) =>
      owned.filter(
        (rule) =>
          isIn(model, rule.garment, garment) &&
          rule.ifOwned!.some((id) => categories.has(id)) &&
          !rule.unlessOwned?.some((id) => categories.has(id)),
      ),
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
