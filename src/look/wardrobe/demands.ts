import { isLabour } from '../comfort/targets.ts';
import { sunK, waterNeed } from '../comfort/weather.ts';
import type { Model } from '../params.ts';
import type { ScoringContext, WornItem } from '../scoring/context.ts';
import type { Group, Wardrobe } from './wardrobe.ts';

/** What the day asks of an outfit beyond coverage, of what the wardrobe has. */
export interface Demands {
  /** One of these is worn over the rest, if there are any. */
  readonly outer: readonly Group[];
  /** One of these overtrousers is worn over trousers, if there are any. */
  readonly over: readonly Group[];
  /** One of these is worn with a skirt or dress, if there are any. */
  readonly tights: readonly Group[];
  /** Without a coat, the arms are covered. */
  readonly sleeves: boolean;
  readonly gloves: boolean;
  readonly hat: boolean;
  /** Trousers or a skirt are worn with a jacket. */
  readonly jacket: boolean;
  /** One of these is worn with a shirt under it, if there are any. */
  readonly ties: readonly Group[];
}

/**
 * The coats of which the cold, rain, snow or wind asks for one; none if they do not. In the cold any will do that keeps
 * out the rain, in frost and in dry snow any at all, however little the activity needs; else it keeps out the wind too if
 * one does both. Where heat is a danger, one rather gets wet.
 */
export function askedCoats<T extends { item: WornItem }>(
  context: ScoringContext,
  coats: readonly T[],
): readonly T[] {
  const { model, regions, shelter, situation, dangers } = context;
  const { coatC, coatNeed, drizzleC, sportDrizzleC, outerClo, windMet, windNeed } =
    model.k.layering;
  const { water, wind } = shelter.torso;
  const keeping = (kind: 'water' | 'wind', need: number) =>
    coats.filter(({ item }) => item.garment[kind] >= need);
  if (regions.outerwear > outerClo) {
    const isRain = water >= coatNeed && situation.weather.tempC >= model.k.rain.meltedC;
    const dry = isRain ? keeping('water', coatNeed) : [];
    return dry.length > 0 ? dry : coats;
  }
  if (dangers.some(({ code }) => code === 'heat' || code === 'heat-caution')) return [];
  const isCool = situation.met < windMet;
  const isSport = context.occasion.place === 'sport';
  const isDamp = water > 0 && situation.windChillC < (isSport ? sportDrizzleC : drizzleC);
  const isWet = water >= coatNeed || (isDamp && isCool);
  const isWindy = wind >= windNeed && isCool;
  const dry = isWet ? keeping('water', coatNeed) : [];
  const calm = isWindy ? keeping('wind', wind) : [];
  const both = dry.filter((group) => calm.includes(group));
  const isSnowed = water === 0 && waterNeed(model, situation.weather.condition) > 0;
  const isFrosty = situation.windChillC < coatC && !isSport;
  return (
    [both, dry, calm, isCool && (isSnowed || isFrosty) ? coats : []].find(
      (some) => some.length > 0,
    ) ?? []
  );
}

const isTie = ({ item }: Group): boolean => item.garment.category.id === 'tie';

export const isTights = ({ item }: Group): boolean => item.garment.category.id === 'tights';

/** Whether a garment is in a list of the table `layering`. */
export const isListed = (
  { tables }: Model,
  list: keyof Model['tables']['layering'],
  { item }: Group,
): boolean => tables.layering[list].includes(item.garment.category.id);

/** Whether a hat, a scarf and gloves are considered. */
export const needsExtras = ({ model: { k }, regions, situation }: ScoringContext): boolean =>
  regions.accessory >= k.layering.extraClo && situation.windChillC < k.layering.extraC;

/** Whether the frost asks for gloves and a hat, or the sun for a hat. */
export function handsAndHead({ model, occasion, plan, situation }: ScoringContext) {
  const { weather, windChillC } = situation;
  const { glovesC, hatC, jacketFrom, sunHatC } = model.k.layering;
  const isOut = plan === 'outdoor';
  const isSunny =
    weather.tempC >= sunHatC && sunK(model, weather) > 0 && occasion.formality < jacketFrom;
  return { gloves: isOut && windChillC < glovesC, hat: isOut && (windChillC < hatC || isSunny) };
}

/** What this day asks, and what must be worn. */
export function demandsOf(
  context: ScoringContext,
  wardrobe: Wardrobe,
  required: readonly Group[],
): Demands {
  const { model, occasion, plan, shelter, situation, staysIn } = context;
  const { layering } = model.k;
  const { windChillC, weather } = situation;
  const isOut = plan === 'outdoor';
  // Who rides gets wet sooner, and who stays in the rain.
  const isInRain =
    situation.met >= layering.rideMet || occasion.place === 'outside' || isLabour(model, situation);
  const isSoaked =
    shelter.legs.water >= (isInRain ? layering.coatNeed : layering.overNeed) &&
    windChillC < layering.drizzleC &&
    occasion.place !== 'sport';
  const jacket =
    (occasion.formality >= layering.jacketFrom || required.some(isTie)) &&
    weather.tempC <= layering.jacketC &&
    wardrobe.slots.mid.some((group) => isListed(model, 'jackets', group));
  const keepsDry = ({ item }: Group) => item.garment.water >= layering.coatNeed;
  return {
    outer: isOut ? askedCoats(context, wardrobe.slots.outer) : [],
    sleeves: isOut && windChillC < layering.sleevesC,
    ...handsAndHead(context),
    tights:
      staysIn || windChillC >= layering.tightsC ? [] : wardrobe.slots.underBottom.filter(isTights),
    over: isOut && isSoaked ? wardrobe.slots.over.filter(keepsDry) : [],
    jacket,
    ties: jacket ? wardrobe.slots.tie.slice(0, model.k.search.ties) : [],
  };
}
