import { componentOf, findRuns } from './components.ts';
import { FAINT, type ProbabilityMap } from './probability-map.ts';

/** A component below this share of the largest one's sum is a speck. */
const MAX_SPECK_SHARE = 0.02;

/** Clears specks, in place: connected components of less than a fiftieth of the largest one. */
export function dropSpecks(map: ProbabilityMap): void {
  const runs = findRuns(map, FAINT);
  const largest = runs.reduce((max, run) => Math.max(max, componentOf(run).sum), 0);
  for (const run of runs)
    if (componentOf(run).sum < MAX_SPECK_SHARE * largest) map.data.fill(0, run.from, run.to);
}
