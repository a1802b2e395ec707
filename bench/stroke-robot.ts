import type { Matte } from '../src/imaging/picture.ts';
import { type Stroke, squaredDistances, UNREACHED } from '../src/imaging/strokes/cells.ts';
import type { Reference } from './matte-scores.ts';

/** The stroke follows pixels whose distance to the fault's edge is at least this share of the largest. */
const MIN_DEPTH_SHARE = 0.4;
/** Of the pixels of a path, every so many become points of the stroke. */
const POINT_STEP = 4;
const HALF = 127;

const isSubject = (alpha: number): boolean => alpha > HALF;

/** Calls `visit` with the four neighbours of a pixel. */
function eachNeighbour({ width, data }: Matte, i: number, visit: (j: number) => void): void {
  const x = i % width;
  if (x > 0) visit(i - 1);
  if (x < width - 1) visit(i + 1);
  if (i >= width) visit(i - width);
  if (i + width < data.length) visit(i + width);
}

/** Returns the pixels of the largest connected fault: subject that is missing, or background that is left. */
function largestFault(matte: Matte, reference: Reference): Int32Array {
  const fault = matte.data.map((alpha, i) => {
    if (isSubject(reference.ignore?.[i] ?? 0)) return 0;
    const wanted = isSubject(reference.data[i]!);
    return wanted === isSubject(alpha) ? 0 : wanted ? 1 : 2;
  });
  let largest = new Int32Array();
  for (let start = 0; start < fault.length; start++) {
    const kind = fault[start];
    if (kind === 0) continue;
    const found = [start];
    fault[start] = 0;
    for (let n = 0; n < found.length; n++)
      eachNeighbour(matte, found[n]!, (j) => {
        if (fault[j] !== kind) return;
        fault[j] = 0;
        found.push(j);
      });
    if (found.length > largest.length) largest = Int32Array.from(found);
  }
  return largest;
}

/** Returns for each pixel of a fault how far it is from the fault's edge or the picture's; 0 elsewhere. */
function depthsOf(fault: Int32Array, { width, height }: Matte): Float64Array {
  const size = { width: width + 2, height: height + 2 };
  const framed = new Float64Array(size.width * size.height);
  const at = (i: number) => (Math.floor(i / width) + 1) * size.width + (i % width) + 1;
  for (const i of fault) framed[at(i)] = UNREACHED;
  squaredDistances(framed, size);
  const depths = new Float64Array(width * height);
  for (const i of fault) depths[i] = Math.sqrt(framed[at(i)]!);
  return depths;
}

/** Walks from a pixel to all others that are deep enough, along the middle; returns the longest of the ways. */
function longestWay(from: number, depths: Float64Array, width: number, minDepth: number): number[] {
  const cost = new Map([[from, 0]]);
  const before = new Map<number, number>();
  // Buckets of equal cost instead of a heap: a step costs 1 in the middle, and more near the edge.
  const buckets: number[][] = [[from]];
  const deepest = depths.reduce((max, depth) => Math.max(max, depth), 0);
  let last = from;
  for (let price = 0; price < buckets.length; price++)
    for (const i of buckets[price] ?? []) {
      if (cost.get(i) !== price) continue;
      last = i;
      for (const j of [i - 1, i + 1, i - width, i + width]) {
        if (!(depths[j]! >= minDepth) || Math.abs((j % width) - (i % width)) > 1) continue;
        const next = price + Math.round((deepest / depths[j]!) ** 2);
        if (next >= (cost.get(j) ?? Number.POSITIVE_INFINITY)) continue;
        cost.set(j, next);
        before.set(j, i);
        buckets[next] = [...(buckets[next] ?? []), j];
      }
    }
  const way = [last];
  for (let i = before.get(last); i !== undefined; i = before.get(i)) way.push(i);
  return way;
}

/** Returns a stroke along the middle of the largest fault of a matte, inside it; undefined if there is none. */
export function strokeFor(matte: Matte, reference: Reference): Stroke | undefined {
  const { width } = matte;
  const fault = largestFault(matte, reference);
  if (fault.length === 0) return undefined;
  const depths = depthsOf(fault, matte);
  const deepest = fault.reduce((best, i) => (depths[i]! > depths[best]! ? i : best), fault[0]!);
  const radius = Math.max(1, MIN_DEPTH_SHARE * depths[deepest]!);
  const end = longestWay(deepest, depths, width, radius)[0]!;
  const way = longestWay(end, depths, width, radius);
  const points = way
    .filter((_, n) => n % POINT_STEP === 0 || n === way.length - 1)
    .map((i) => [i % width, Math.floor(i / width)] as const);
  return { mode: isSubject(matte.data[deepest]!) ? 'erase' : 'add', radius, points };
}
