import type { Model } from '../params.ts';
import type { ScoringContext, WornItem } from '../scoring/context.ts';
import type { Group, Wardrobe } from './wardrobe.ts';

/** What the day asks of an outfit beyond coverage, of what the wardrobe has. */
export interface Demands {
  /** One of these is worn over the rest, if there are any. */
  readonly outer: readonly Group[];
  /** Without a coat, the arms are covered. */
  readonly sleeves: boolean;
  readonly gloves: boolean;
  readonly hat: boolean;
  /** Trousers or a skirt are worn with a jacket. */
  readonly jacket: boolean;
}

/**
 * The coats of which the cold, rain or wind asks for one; none if they do not. In the cold any will do; else it keeps
 * out the rain, and the wind too if one does both. Where heat is a danger, one rather gets wet.
 */
export function askedCoats<T extends { item: WornItem }>(
  context: ScoringContext,
  coats: readonly T[],
): readonly T[] {
  const { model, regions, shelter, situation, dangers } = context;
  const { coatNeed, drizzleC, outerClo, windMet, windNeed } = model.k.layering;
  if (regions.outerwear > outerClo) return coats;
  if (dangers.some(({ code }) => code === 'heat' || code === 'heat-caution')) return [];
  const { water, wind } = shelter.torso;
  const isWet = water >= coatNeed || (water > 0 && situation.windChillC < drizzleC);
  const isWindy = wind >= windNeed && situation.met < windMet;
  const keeping = (kind: 'water' | 'wind', need: number) =>
    coats.filter(({ item }) => item.garment[kind] >= need);
  const dry = isWet ? keeping('water', coatNeed) : [];
  const calm = isWindy ? keeping('wind', wind) : [];
  const both = dry.filter((group) => calm.includes(group));
  return [both, dry, calm].find((some) => some.length > 0) ?? [];
}

export const isJacket = ({ tables }: Model, { item }: Group): boolean =>
  tables.layering.jackets.includes(item.garment.category.id);

/** Whether the frost asks for gloves and a hat. */
export function frostDemands({ model, plan, situation: { windChillC } }: ScoringContext) {
  const { glovesC, hatC } = model.k.layering;
  const isOut = plan === 'outdoor';
  return { gloves: isOut && windChillC < glovesC, hat: isOut && windChillC < hatC };
}

/** What this day asks. */
export function demandsOf(context: ScoringContext, wardrobe: Wardrobe): Demands {
  const { model, occasion, plan, situation } = context;
  const { layering } = model.k;
  const { windChillC, weather } = situation;
  const isOut = plan === 'outdoor';
  return {
    outer: isOut ? askedCoats(context, wardrobe.slots.outer) : [],
    sleeves: isOut && windChillC < layering.sleevesC,
    ...frostDemands(context),
    jacket:
      occasion.formality >= layering.jacketFrom &&
      weather.tempC <= layering.jacketC &&
      wardrobe.slots.mid.some((group) => isJacket(model, group)),
  };
}
