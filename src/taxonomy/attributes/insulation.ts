import { type Category, dictionary, materials } from '../dictionary/schema.ts';
import type { MaterialShare } from '../text/composition.ts';

/** Insulation of a garment and its derivation. Clo is Iclu (ISO 9920). */
export interface Insulation {
  clo: number;
  min: number;
  max: number;
  confidence: Category['clo']['confidence'];
  sources: Category['clo']['sources'];
  /** Factors applied to the category's value. */
  factors: { material: number; sleeve: number };
}

const sleeveFactors = new Map(
  dictionary.attributes.sleeveLength.map(({ id, cloFactorVsLong }) => [id, cloFactorVsLong]),
);

export const round2 = (value: number): number => Math.round(value * 100) / 100;

/**
 * Returns the mean of a material property, weighted by share; materials without a share weigh equally.
 * @returns undefined without a known material
 */
export function weightedMean(
  shares: readonly MaterialShare[],
  property: 'insulationFactor' | 'waterResistance' | 'windResistance' | 'breathability',
): number | undefined {
  const known = shares.flatMap(({ id, share }) => {
    const material = materials.get(id);
    return material ? [{ value: material[property], weight: share ?? 1 / shares.length }] : [];
  });
  const weight = known.reduce((sum, each) => sum + each.weight, 0);
  if (weight === 0) return undefined;
  return known.reduce((sum, each) => sum + each.value * each.weight, 0) / weight;
}

/** Factor for sleeves of another length than the category's value assumes. */
function sleeveFactor(category: Category, sleeveLength: string | undefined): number {
  const reference = sleeveFactors.get(category.sleeveLength ?? '');
  const actual = sleeveFactors.get(sleeveLength ?? '');
  return reference && actual ? actual / reference : 1;
}

const START_VALUE = { light: 'min', medium: 'default', heavy: 'max' } as const;
const isWeight = (text: string | undefined): text is keyof typeof START_VALUE =>
  text !== undefined && text in START_VALUE;

/**
 * Computes clo = clamp(value × material factor × sleeve factor, min, max); light and heavy garments start from
 * the ends of the category's range. The material factor is 1 if the category implies its material: a down
 * jacket's value already includes down.
 */
export function insulationOf(
  category: Category,
  text: {
    materials: readonly MaterialShare[];
    sleeveLength: string | undefined;
    weight: string | undefined;
  },
): Insulation {
  const { min, max, confidence, sources } = category.clo;
  const material = category.impliedMaterial
    ? 1
    : (weightedMean(text.materials, 'insulationFactor') ?? 1);
  const sleeve = sleeveFactor(category, text.sleeveLength);
  const start = category.clo[isWeight(text.weight) ? START_VALUE[text.weight] : 'default'];
  return {
    clo: round2(Math.min(max, Math.max(min, start * material * sleeve))),
    min,
    max,
    confidence,
    sources,
    factors: { material: round2(material), sleeve: round2(sleeve) },
  };
}
