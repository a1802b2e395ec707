import type { Random } from '../../test/faults/random.ts';

/** What a drawing chooses from. */
export interface Palette {
  random: Random;
  /** A colour of the goods, told apart from the ground. */
  cloth: string;
  /** A colour of trimmings: zips, linings, straps; told apart from the ground. */
  trim: string;
  /** A colour within a few levels of the ground's. */
  pale: string;
  /** The ground's colour, or nearly: bright light leaves little of a difference. */
  print: string;
  /** Darker than `pale`, as a fold or a seam is. */
  seam: string;
}

/** Returns a number between two bounds. */
export const between = (random: Random, from: number, to: number): number =>
  from + (to - from) * random.next();
