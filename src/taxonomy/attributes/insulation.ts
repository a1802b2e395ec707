import { type Category, dictionary, materials } from '../dictionary/schema.ts';
import type { MaterialShare } from '../text/composition.ts';

/** How warm a garment is, and why. Clo is Iclu (ISO 9920). */
export interface Insulation {
  clo: number;
  min: number;
  max: number;
  confidence: Category['clo']['confidence'];
  sources: Category['clo']['sources'];
  /** What the category's value was multiplied by. */
  factors: { material: number; sleeve: number };
}

const sleeveFactors = new Map(
  dictionary.attributes.sleeveLength.map(({ id, cloFactorVsLong }) => [id, cloFactorVsLong]),
);

const rounded = (value: number): number => Math.round(value * 100) / 100;

/**
 * The mean of a material property, weighted by share; materials without a share weigh alike.
 * @returns undefined where there is no material
 */
export function meanOf(
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

/** Sleeves other than those the category's value is for. */
function sleeveFactor(category: Category, sleeveLength: string | undefined): number {
  const usual = sleeveFactors.get(category.sleeveLength ?? '');
  const told = sleeveFactors.get(sleeveLength ?? '');
  return usual && told ? told / usual : 1;
}

const START = { light: 'min', medium: 'default', heavy: 'max' } as const;
const isWeight = (text: string | undefined): text is keyof typeof START =>
  text !== undefined && text in START;

/**
 * clo = clamp(value × material factor × sleeve factor, min, max); light and heavy makes start from
 * the ends of the category's range. A down jacket's value is for down already: what a category is
 * made of by its very name does not count twice.
 */
export function insulationOf(
  category: Category,
  told: {
    materials: readonly MaterialShare[];
    sleeveLength: string | undefined;
    weight: string | undefined;
  },
): Insulation {
  const { min, max, confidence, sources } = category.clo;
  const material = category.impliedMaterial ? 1 : (meanOf(told.materials, 'insulationFactor') ?? 1);
  const sleeve = sleeveFactor(category, told.sleeveLength);
  const start = category.clo[isWeight(told.weight) ? START[told.weight] : 'default'];
  return {
    clo: rounded(Math.min(max, Math.max(min, start * material * sleeve))),
    min,
    max,
    confidence,
    sources,
    factors: { material: rounded(material), sleeve: rounded(sleeve) },
  };
}
