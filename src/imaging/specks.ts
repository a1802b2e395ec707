import { FAINT, type ProbabilityMap } from './probability-map.ts';

/** A component below this share of the largest one's sum is a speck. */
const MAX_SPECK_SHARE = 0.02;

/** A connected component (4-connectivity). */
interface Component {
  /** Sum of its probabilities. */
  sum: number;
  /** The component it was merged into (union-find). */
  mergedInto?: Component;
}

/** A run of possible subject in one row: start, and end (excluded). */
interface Run {
  from: number;
  to: number;
  component: Component;
}

function rootOf({ component }: Run): Component {
  let found = component;
  while (found.mergedInto) found = found.mergedInto;
  return found;
}

/** Adds the runs of a row, each a component of its own. */
function addRuns(data: Float32Array, from: number, to: number, runs: Run[]): void {
  for (let start = from; start < to; start++) {
    if (data[start]! < FAINT) continue;
    let sum = 0;
    let end = start;
    for (; end < to && data[end]! >= FAINT; end++) sum += data[end]!;
    runs.push({ from: start, to: end, component: { sum } });
    start = end;
  }
}

function union(one: Component, other: Component): void {
  if (one === other) return;
  one.sum += other.sum;
  other.mergedInto = one;
}

/** Merges the runs from `below` on with touching runs of the row above, which begin at `above`. */
function unionRows(runs: readonly Run[], above: number, below: number, width: number): void {
  let first = above;
  for (const run of runs.slice(below)) {
    while (first < below && runs[first]!.to + width <= run.from) first++;
    for (let n = first; n < below && runs[n]!.from + width < run.to; n++)
      union(rootOf(runs[n]!), rootOf(run));
  }
}

/** Clears specks, in place: connected components of less than a fiftieth of the largest one. */
export function dropSpecks({ data, width, height }: ProbabilityMap): void {
  const runs: Run[] = [];
  for (let row = 0, above = 0; row < height; row++) {
    const below = runs.length;
    addRuns(data, row * width, (row + 1) * width, runs);
    unionRows(runs, above, below, width);
    above = below;
  }
  const largest = runs.reduce((max, run) => Math.max(max, rootOf(run).sum), 0);
  for (const run of runs)
    if (rootOf(run).sum < MAX_SPECK_SHARE * largest) data.fill(0, run.from, run.to);
}
