import { FAINT, type ProbabilityMap } from './probability-map.ts';

/** An island this small, as a share of the largest one's sum, is a speck. */
const SPECK = 0.02;

/** Places that hang together, four ways. */
interface Island {
  /** How much subject it is. */
  sum: number;
  /** The island it turned out to be part of. */
  partOf?: Island;
}

/** Places of one row that hang together: from, and behind the last. */
interface Run {
  from: number;
  to: number;
  island: Island;
}

function islandOf({ island }: Run): Island {
  let found = island;
  while (found.partOf) found = found.partOf;
  return found;
}

/** Adds the runs of a row, each an island as yet. */
function addRuns(data: Float32Array, from: number, to: number, runs: Run[]): void {
  for (let start = from; start < to; start++) {
    if (data[start]! < FAINT) continue;
    let sum = 0;
    let end = start;
    for (; end < to && data[end]! >= FAINT; end++) sum += data[end]!;
    runs.push({ from: start, to: end, island: { sum } });
    start = end;
  }
}

function join(one: Island, other: Island): void {
  if (one === other) return;
  one.sum += other.sum;
  other.partOf = one;
}

/** Joins the runs from `below` on with those of the row above them, which begin at `above`. */
function joinRows(runs: readonly Run[], above: number, below: number, width: number): void {
  let first = above;
  for (const run of runs.slice(below)) {
    while (first < below && runs[first]!.to + width <= run.from) first++;
    for (let n = first; n < below && runs[n]!.from + width < run.to; n++)
      join(islandOf(runs[n]!), islandOf(run));
  }
}

/**
 * Clears the specks, in place: what hangs together with nothing larger and is less than a fiftieth of the
 * largest island.
 */
export function dropSpecks({ data, width, height }: ProbabilityMap): void {
  const runs: Run[] = [];
  for (let row = 0, above = 0; row < height; row++) {
    const below = runs.length;
    addRuns(data, row * width, (row + 1) * width, runs);
    joinRows(runs, above, below, width);
    above = below;
  }
  const largest = runs.reduce((most, run) => Math.max(most, islandOf(run).sum), 0);
  for (const run of runs) if (islandOf(run).sum < SPECK * largest) data.fill(0, run.from, run.to);
}
