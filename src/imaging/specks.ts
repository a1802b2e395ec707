import { FAINT, type ProbabilityMap } from './probability-map.ts';
import { minorRegions } from './regions.ts';

/** A component below this share of the largest one's sum is a speck. */
const MAX_SPECK_SHARE = 0.02;

/** Clears specks, in place: connected components of less than a fiftieth of the largest one. */
export function dropSpecks(map: ProbabilityMap): void {
  for (const cells of minorRegions(map, FAINT, MAX_SPECK_SHARE))
    for (const cell of cells) map.data[cell] = 0;
}
