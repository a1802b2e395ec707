import type { Model } from '../params.ts';
import type { ScoringContext } from '../scoring/context.ts';
import type { Group, Wardrobe } from './wardrobe.ts';

/** What the day asks of an outfit beyond coverage, of what the wardrobe has. */
export interface Demands {
  /** Something is worn over the rest. */
  readonly outer: boolean;
  /** Without a coat, the arms are covered. */
  readonly sleeves: boolean;
  readonly gloves: boolean;
  /** Trousers or a skirt are worn with a jacket. */
  readonly jacket: boolean;
}

/** Whether the wardrobe must dress for the cold, for rain or for wind with something over the rest. */
function needsOuter({ model, regions, shelter, situation }: ScoringContext, { slots }: Wardrobe) {
  const { layering } = model.k;
  if (regions.outerwear > layering.outerClo) return slots.outer.length > 0;
  const { water, wind } = shelter.torso;
  const keeps = (kind: 'water' | 'wind', need: number) =>
    slots.outer.some(({ item }) => item.garment[kind] >= need);
  return (
    (water >= layering.coatNeed && keeps('water', layering.coatNeed)) ||
    (wind >= layering.windNeed && situation.met < layering.windMet && keeps('wind', wind))
  );
}

export const isJacket = ({ tables }: Model, { item }: Group): boolean =>
  tables.layering.jackets.includes(item.garment.category.id);

/** What this day asks. */
export function demandsOf(context: ScoringContext, wardrobe: Wardrobe): Demands {
  const { model, plan, situation } = context;
  const { layering } = model.k;
  const { windChillC, weather, occasion } = situation;
  const isOut = plan === 'outdoor';
  return {
    outer: isOut && needsOuter(context, wardrobe),
    sleeves: isOut && windChillC < layering.sleevesC,
    gloves: isOut && windChillC < layering.glovesC,
    jacket:
      occasion === 'business_formal' &&
      weather.tempC <= layering.jacketC &&
      wardrobe.slots.mid.some((group) => isJacket(model, group)),
  };
}
