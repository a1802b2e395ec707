/** From here on a place counts as part of something. */
const SEEN = 0.1;
/** An island this small, as a share of the largest one's sum, is a speck. */
const SPECK = 0.02;

/** Places that hang together, four ways: a part of a list of places, and how much subject they are in sum. */
interface Island {
  from: number;
  to: number;
  sum: number;
}

/** Adds all of the island that `start` is part of to the list of places, from `from` on. */
function islandAt(
  net: Float32Array,
  side: number,
  start: number,
  places: Int32Array,
  from: number,
  taken: Uint8Array,
): Island {
  let to = from;
  let sum = 0;
  const take = (place: number) => {
    if (taken[place] === 1 || net[place]! < SEEN) return;
    taken[place] = 1;
    places[to++] = place;
  };
  take(start);
  for (let n = from; n < to; n++) {
    const place = places[n]!;
    const x = place % side;
    sum += net[place]!;
    if (x > 0) take(place - 1);
    if (x + 1 < side) take(place + 1);
    if (place >= side) take(place - side);
    if (place + side < net.length) take(place + side);
  }
  return { from, to, sum };
}

/**
 * Clears the specks, in place: what hangs together with nothing larger and is less than a fiftieth of the
 * largest island.
 * @param net side x side, 0..1
 */
export function dropSpecks(net: Float32Array): void {
  const side = Math.sqrt(net.length);
  const taken = new Uint8Array(net.length);
  const places = new Int32Array(net.length);
  const islands: Island[] = [];
  for (let i = 0, count = 0; i < net.length; i++) {
    if (taken[i] === 1 || net[i]! < SEEN) continue;
    const island = islandAt(net, side, i, places, count, taken);
    islands.push(island);
    count = island.to;
  }
  const largest = islands.reduce((most, { sum }) => Math.max(most, sum), 0);
  for (const { from, to, sum } of islands)
    if (sum < SPECK * largest) for (let n = from; n < to; n++) net[places[n]!] = 0;
}
