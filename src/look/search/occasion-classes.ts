import type { SearchNode } from './node.ts';
import type { ChoiceList, OpenLevels, Relaxation } from './relaxation.ts';

/**
 * The outfits of a template whose smallest occasion fit lies in one range. With that fit known, the
 * occasion term is a sum over garments.
 */
export interface Class {
  /** The empty outfit, with the largest fit of the range. */
  readonly root: Readonly<SearchNode>;
  /** The choices that fit no less than the smallest of the range. */
  readonly levels: OpenLevels;
}

/** Few wardrobes have more different fits: several share a range then. */
const MAX_CLASSES = 8;

/** The fits that the least fitting garment of an outfit may have, largest first. */
function smallestFits({ space, root }: Relaxation): number[] {
  const fits = new Set([root.occasionMin]);
  for (const { slot, occasion } of space.levels)
    if (slot !== 'over') for (const fit of occasion) if (fit < root.occasionMin) fits.add(fit);
  return [...fits].sort((a, b) => b - a);
}

/** Splits the outfits of a template by their smallest occasion fit, the largest first. */
export function occasionClasses(relaxation: Relaxation): Class[] {
  const { root, ownLevels, space } = relaxation;
  const fits = smallestFits(relaxation);
  const size = Math.ceil(fits.length / MAX_CLASSES);
  const classes: Class[] = [];
  for (let at = 0; at < fits.length; at += size) {
    const lowest = fits[Math.min(at + size, fits.length) - 1]!;
    const choices = space.levels.map(({ slot, occasion }, depth): ChoiceList => {
      const all = ownLevels.choices[depth]!;
      if (slot === 'over') return all;
      const indexes = all.indexes.filter((choice) => occasion[choice]! >= lowest);
      return { count: indexes.length, indexes };
    });
    classes.push({ root: { ...root, occasionMin: fits[at]! }, levels: { ...ownLevels, choices } });
  }
  return classes;
}
