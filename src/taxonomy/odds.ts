/** Probabilities, or odds, of the categories in the order of CATEGORY_IDS, and of "no garment". */
export interface Belief {
  categories: readonly number[];
  notGarment: number;
}

/** Scales odds to probabilities. */
export function normalised({ categories, notGarment }: Belief): Belief {
  const sum = categories.reduce((a, b) => a + b, notGarment);
  return { categories: categories.map((odds) => odds / sum), notGarment: notGarment / sum };
}

export const average = (a: Belief, b: Belief): Belief => ({
  categories: a.categories.map((belief, i) => (belief + (b.categories[i] ?? 0)) / 2),
  notGarment: (a.notGarment + b.notGarment) / 2,
});

/** Rounds a share as responses have it. */
export const round3 = (value: number): number => Math.round(value * 1000) / 1000;

export const indexOfMax = (values: readonly number[]): number =>
  values.reduce((best, value, i) => (value > (values[best] ?? 0) ? i : best), 0);
