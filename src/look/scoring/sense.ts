import type { Situation } from '../comfort/targets.ts';
import type { Model } from '../params.ts';
import type { GarmentSet, SenseRule } from '../sense-rules.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';

/** OKLab lightness from which a colour shows every splash. */
const PALE_L = 0.93;

const isIn = ({ categories, materials, isPale }: GarmentSet, garment: Garment): boolean =>
  (!categories || categories.includes(garment.category.id)) &&
  (!materials || garment.materialIds.some((id) => materials.includes(id))) &&
  (!isPale || (garment.colour?.l ?? 0) >= PALE_L);

/** A home is at least as hot as the day, unless its temperature is given. */
const homeTempC = ({ requestedIndoorTempC, indoorTempC, weather }: Situation): number =>
  requestedIndoorTempC ?? Math.max(indoorTempC, weather.tempC);

/** Whether a rule holds on this day; of the weather only if one goes out. */
function holds(model: Model, rule: SenseRule, situation: Situation, staysIn: boolean): boolean {
  const { weather, windChillC, occasion, met } = situation;
  const { occasions, conditions, isDry, belowC, aboveC, fromMet = 0, belowMet } = rule;
  if (met < fromMet || (belowMet !== undefined && met >= belowMet)) return false;
  if (occasions && !occasions.includes(occasion ?? 'casual')) return false;
  const isOfWeather = conditions || isDry || belowC !== undefined || aboveC !== undefined;
  if (!isOfWeather) return true;
  if (staysIn) {
    const isAbove = aboveC === undefined || homeTempC(situation) > aboveC;
    return !conditions && belowC === undefined && occasions !== undefined && isAbove;
  }
  if (conditions && !conditions.includes(weather.condition)) return false;
  if (isDry && model.tables.condition[weather.condition].water > 0) return false;
  return (
    (belowC === undefined || windChillC < belowC) &&
    (aboveC === undefined || weather.tempC > aboveC)
  );
}

/** Share of the score that broken rules cost. */
export const costOf = (rules: readonly SenseRule[]): number =>
  rules.reduce((sum, { points = 0 }) => sum + points / 100, 0);

/** The common sense of one day. */
export interface Sense {
  /** The rules that a garment breaks by itself. */
  brokenBy(garment: Garment): readonly SenseRule[];
  /** The rules for leaving out a garment of a wardrobe that has better ones. */
  outdoneBy(garment: Garment, wardrobe: readonly Garment[]): readonly SenseRule[];
  /** The rules that two garments break together. */
  brokenByPair(a: Garment, b: Garment): readonly SenseRule[];
  /** Whether a garment is in a rule about two. */
  isInPairs(garment: Garment): boolean;
}

const NONE: readonly SenseRule[] = [];

/** Prepares the rules of one day. @param staysIn whether one does not go out */
export function createSense(model: Model, situation: Situation, staysIn: boolean): Sense {
  const rules = model.tables.sense.filter((rule) => holds(model, rule, situation, staysIn));
  const single = rules.filter((rule) => !rule.with && !rule.ifOwned);
  const owned = rules.filter((rule) => rule.ifOwned);
  const pairs = rules.filter((rule) => rule.with);
  const inPairs = new Set(
    pairs.flatMap((rule) => [...(rule.garment.categories ?? []), ...(rule.with?.categories ?? [])]),
  );
  const cached = new Map<string, Map<string, readonly SenseRule[]>>();
  const ofCategory = new Map<string, readonly SenseRule[]>();
  return {
    brokenBy(garment) {
      const { id } = garment.category;
      let rules = ofCategory.get(id);
      if (!rules) {
        rules = single.filter(({ garment: { categories } }) => categories?.includes(id) ?? true);
        ofCategory.set(id, rules);
      }
      return rules.length > 0 ? rules.filter((rule) => isIn(rule.garment, garment)) : NONE;
    },
    outdoneBy: (garment, wardrobe) =>
      owned.filter(
        (rule) =>
          isIn(rule.garment, garment) &&
          wardrobe.some(({ category }) => rule.ifOwned!.includes(category.id)),
      ),
    isInPairs: ({ category }) => inPairs.has(category.id),
    brokenByPair(a, b) {
      const [idA, idB] = [a.category.id, b.category.id];
      const ofA = cached.get(idA) ?? new Map<string, readonly SenseRule[]>();
      const known = ofA.get(idB);
      if (known) return known;
      const broken = pairs.filter(
        (rule) =>
          (isIn(rule.garment, a) && isIn(rule.with!, b)) ||
          (isIn(rule.garment, b) && isIn(rule.with!, a)),
      );
      cached.set(idA, ofA.set(idB, broken));
      return broken;
    },
  };
}
