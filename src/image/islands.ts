/** From here on a place counts as part of something. */
const SEEN = 0.1;
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
function addRuns(net: Float32Array, from: number, to: number, runs: Run[]): void {
  for (let start = from; start < to; start++) {
    if (net[start]! < SEEN) continue;
    let sum = 0;
    let end = start;
    for (; end < to && net[end]! >= SEEN; end++) sum += net[end]!;
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
function joinRows(runs: readonly Run[], above: number, below: number, side: number): void {
  let first = above;
  for (const run of runs.slice(below)) {
    while (first < below && runs[first]!.to + side <= run.from) first++;
    for (let n = first; n < below && runs[n]!.from + side < run.to; n++)
      join(islandOf(runs[n]!), islandOf(run));
  }
}

/**
 * Clears the specks, in place: what hangs together with nothing larger and is less than a fiftieth of the
 * largest island.
 * @param net side x side, 0..1
 */
export function dropSpecks(net: Float32Array): void {
  const side = Math.sqrt(net.length);
  const runs: Run[] = [];
  for (let row = 0, above = 0; row < side; row++) {
    const below = runs.length;
    addRuns(net, row * side, (row + 1) * side, runs);
    joinRows(runs, above, below, side);
    above = below;
  }
  const largest = runs.reduce((most, run) => Math.max(most, islandOf(run).sum), 0);
  for (const run of runs) if (islandOf(run).sum < SPECK * largest) net.fill(0, run.from, run.to);
}
