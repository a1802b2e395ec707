import { mixColumns, mixRows, runsOf, type Taps, tapsOf } from './enlarge.ts';

/** How much of each pixel is subject: one byte a pixel, 0 none .. 255 all, rows from the top. */
export interface Matte {
  data: Uint8Array;
  width: number;
  height: number;
}

/**
 * Where "surely not" ends and "surely" begins, 0..1: below `low` alpha is 0, above `high` it is 255, linear
 * between. A sigmoid seldom reaches its ends, so without levels the inside of a garment is faintly
 * transparent and the backdrop faintly there.
 */
export type Levels = readonly [low: number, high: number];

/** What may be seen in a part of a matte, as bits: some alpha, some transparency, or both. */
const SOME_ALPHA = 1;
const SOME_CLEAR = 2;
const MIXED = SOME_ALPHA | SOME_CLEAR;

/** The answer with its levels applied: 0..255, and beyond where it is surely either. */
function levelled(net: Float32Array, [low, high]: Levels): Float32Array {
  const gain = 255 / (high - low);
  const values = new Float32Array(net.length);
  for (let i = 0; i < net.length; i++) values[i] = (net[i]! - low) * gain;
  return values;
}

/** Parts of an output line that are not all clear: start, end, and what may be seen between; flat. */
type Segments = number[];

/**
 * Tells which parts of an output line are flat. To be asked from the top downwards.
 * @returns from the first of the `rows.count` rows an output line is mixed from, its segments
 */
function segmentFinder(values: Float32Array, rows: Taps, columns: Taps) {
  const side = Math.sqrt(values.length);
  const runs = runsOf(columns);
  /** For each column the lowest row so far with some alpha, or with some transparency. */
  const alphaRow = new Int32Array(side).fill(-1);
  const clearRow = new Int32Array(side).fill(-1);
  let next = 0;
  const takeRow = (row: number) => {
    for (let x = 0; x < side; x++) {
      const value = values[row * side + x]!;
      if (value > 0) alphaRow[x] = row;
      if (value < 255) clearRow[x] = row;
    }
  };
  return (top: number): Segments => {
    for (; next < top + rows.count; next++) takeRow(next);
    const segments: Segments = [];
    for (let r = 0, x = 0, alphaAt = -1, clearAt = -1; r + 1 < runs.length; r++) {
      const at = columns.first[runs[r]!]!;
      for (; x < at + columns.count; x++) {
        if (alphaRow[x]! >= top) alphaAt = x;
        if (clearRow[x]! >= top) clearAt = x;
      }
      const seen = (alphaAt >= at ? SOME_ALPHA : 0) | (clearAt >= at ? SOME_CLEAR : 0);
      if (seen !== SOME_CLEAR) addSegment(segments, runs[r]!, runs[r + 1]!, seen);
    }
    return segments;
  };
}

/** Adds a segment, to the one before where it continues that. */
function addSegment(segments: Segments, from: number, to: number, seen: number): void {
  const end = segments.length;
  if (segments[end - 1] === seen && segments[end - 2] === from) segments[end - 2] = to;
  else segments.push(from, to, seen);
}

/**
 * The network's answer at the size of the picture. Most of a matte is flat, and what is flat is filled or
 * left alone rather than computed.
 * @param net side x side, 0..1, the picture stretched to a square
 */
export function matteOf(net: Float32Array, width: number, height: number, levels: Levels): Matte {
  const side = Math.sqrt(net.length);
  const columns = tapsOf(side, width);
  const rows = tapsOf(side, height);
  const values = levelled(net, levels);
  const segmentsFrom = segmentFinder(values, rows, columns);
  const line = new Float32Array(side);
  const data = new Uint8Array(width * height);
  const clamped = new Uint8ClampedArray(data.buffer);
  let segments: Segments = [];
  for (let y = 0; y < height; y++) {
    if (y === 0 || rows.first[y] !== rows.first[y - 1]) segments = segmentsFrom(rows.first[y]!);
    for (let s = 0; s < segments.length; s += 3) {
      const from = segments[s]!;
      const to = segments[s + 1]!;
      if (segments[s + 2] === MIXED) {
        const end = columns.first[to - 1]! + columns.count;
        mixRows(values, line, rows, y, columns.first[from]!, end);
        mixColumns(line, clamped, columns, from, to, y * width);
      } else data.fill(255, y * width + from, y * width + to);
    }
  }
  return { data, width, height };
}

/** The matte of a picture that had transparency of its own: nothing becomes more opaque than it was. */
export function withOpacity({ data, width, height }: Matte, opacity: Uint8Array): Matte {
  const seen = new Uint8Array(data.length);
  for (let i = 0; i < seen.length; i++) seen[i] = (data[i]! * opacity[i]!) / 255 + 0.5;
  return { data: seen, width, height };
}
