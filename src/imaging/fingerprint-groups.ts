import { FINGERPRINT_BYTES, mirroredFingerprint } from './fingerprint.ts';

/*
 * Finds fingerprints of the same picture among many, without comparing each with each: copies are alike in all bytes,
 * so they are equal in most coarse hashes of a few bytes.
 */

/** Fingerprints at most this far apart are of the same picture; see docs/adr/0061-fingerprints.md. */
export const SAME_DISTANCE = 32;
/** Beyond this distance nothing is alike. */
const MAX_DISTANCE = 320;

/** How alike two pictures are, 0..1, in thousandths: 0.9 and more is the same picture. */
export const similarityOf = (distance: number): number =>
  Math.round(1000 * Math.max(0, 1 - distance / MAX_DISTANCE)) / 1000;

/** Hashes of a fingerprint: each of some of the bytes that differ most among all fingerprints, in coarse cells. */
const HASHES = { count: 6, bytes: 10, shift: 4, of: 24, cell: 56 };
/** Fingerprints compared with one of a bucket, at most: a catalogue may have thousands of black T-shirts. */
const MAX_COMPARED = 64;

/** The bytes that make up a hash, and the width of their cells. */
interface Hash {
  bytes: readonly number[];
  cell: number;
}

/** Returns the bytes in the order of their variance, the largest first. */
function byVariance(points: Uint8Array, count: number): number[] {
  const sums = new Float64Array(FINGERPRINT_BYTES);
  const squares = new Float64Array(FINGERPRINT_BYTES);
  for (let i = 0; i < count * FINGERPRINT_BYTES; i++) {
    const value = points[i]!;
    sums[i % FINGERPRINT_BYTES]! += value;
    squares[i % FINGERPRINT_BYTES]! += value ** 2;
  }
  const variances = squares.map((square, k) => square / count - (sums[k]! / count) ** 2);
  return [...variances.keys()].sort((a, b) => variances[b]! - variances[a]! || a - b);
}

function hashesOf(order: readonly number[]): Hash[] {
  const coarse = Array.from({ length: HASHES.count }, (_, hash) => ({
    bytes: Array.from(
      { length: HASHES.bytes },
      (__, i) => order[(hash * HASHES.shift + i) % HASHES.of]!,
    ),
    cell: HASHES.cell,
  }));
  // Of equal fingerprints none is missed, however full the other buckets are.
  return [{ bytes: order, cell: 1 }, ...coarse];
}

/** Hash tables whose buckets are lists through arrays: they take 8 bytes for each entry. */
function createTable({ bytes, cell }: Hash, capacity: number) {
  const bits = Math.max(1, Math.ceil(Math.log2(capacity + 1)));
  const heads = new Int32Array(2 ** bits).fill(-1);
  const next = new Int32Array(capacity);
  function bucketOf(point: Uint8Array): number {
    let hash = 0x811c9dc5;
    // Cells begin elsewhere for each byte, so that no shade of a colour always falls between two.
    for (const byte of bytes) {
      hash = Math.imul(hash ^ Math.floor((point[byte]! + ((byte * 7) % cell)) / cell), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) & (heads.length - 1);
  }
  return {
    add(i: number, point: Uint8Array): void {
      const bucket = bucketOf(point);
      next[i] = heads[bucket]!;
      heads[bucket] = i;
    },
    /** Calls `visit` with the latest entries beside a point. */
    visitNear(point: Uint8Array, visit: (i: number) => void): void {
      let left = MAX_COMPARED;
      for (let i = heads[bucketOf(point)]!; i >= 0 && left > 0; i = next[i]!, left--) visit(i);
    },
  };
}

/** The first fingerprint of the same picture. */
export interface Match {
  /** Its place in the list. */
  of: number;
  distance: number;
}

/**
 * Groups fingerprints by picture, mirrored ones included.
 * @param points one fingerprint after the other
 * @returns a function to be called for each place of the list in turn: it returns the first of its group, or nothing
 * if it begins a group of its own. Each call takes bounded time.
 */
export function createGrouper(points: Uint8Array, count: number) {
  const order = byVariance(points, count);
  const tables = hashesOf(order).map((hash) => createTable(hash, count));
  const pointAt = (i: number): Uint8Array =>
    points.subarray(i * FINGERPRINT_BYTES, (i + 1) * FINGERPRINT_BYTES);

  /** Returns the square of a distance, or something above the limit. */
  function squareDistance(point: Uint8Array, i: number, limit: number): number {
    const start = i * FINGERPRINT_BYTES;
    let sum = 0;
    for (let k = 0; k < FINGERPRINT_BYTES && sum <= limit; k++) {
      const byte = order[k]!;
      const difference = point[byte]! - points[start + byte]!;
      sum += difference * difference;
    }
    return sum;
  }

  function nearest(point: Uint8Array): Match | undefined {
    let best = -1;
    let square = SAME_DISTANCE ** 2 + 1;
    for (const view of [point, mirroredFingerprint(point)]) {
      const visit = (i: number): void => {
        const found = squareDistance(view, i, square - 1);
        if (found >= square) return;
        best = i;
        square = found;
      };
      for (const table of tables) if (square > 0) table.visitNear(view, visit);
    }
    return best < 0 ? undefined : { of: best, distance: Math.sqrt(square) };
  }

  return (i: number): Match | undefined => {
    const point = pointAt(i);
    const match = nearest(point);
    if (!match) for (const table of tables) table.add(i, point);
    return match;
  };
}
