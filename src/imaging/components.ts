import type { ProbabilityMap } from './probability-map.ts';

/** A connected component (4-connectivity). */
interface Component {
  /** Sum of its probabilities. */
  sum: number;
  /** The component it was merged into (union-find). */
  mergedInto?: Component;
}

/** A run of cells in one row that belong to a component: start, and end (excluded). */
export interface Run {
  from: number;
  to: number;
  component: Component;
}

/** Returns the component a run belongs to after all merges. */
export function componentOf({ component }: Run): Component {
  let found = component;
  while (found.mergedInto) found = found.mergedInto;
  return found;
}

/** Adds the runs of a row, each a component of its own. */
function addRuns(data: Float32Array, from: number, to: number, min: number, runs: Run[]): void {
  for (let start = from; start < to; start++) {
    if (data[start]! < min) continue;
    let sum = 0;
    let end = start;
    for (; end < to && data[end]! >= min; end++) sum += data[end]!;
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
      union(componentOf(runs[n]!), componentOf(run));
  }
}

/**
 * Finds the connected components of a map.
 * @param min cells below this probability belong to none
 * @returns their runs, rows from the top
 */
export function findRuns({ data, width, height }: ProbabilityMap, min: number): Run[] {
  const runs: Run[] = [];
  for (let row = 0, above = 0; row < height; row++) {
    const below = runs.length;
    addRuns(data, row * width, (row + 1) * width, min, runs);
    unionRows(runs, above, below, width);
    above = below;
  }
  return runs;
}
