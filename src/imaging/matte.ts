import type { Size } from './layout.ts';
import type { ProbabilityMap } from './probability-map.ts';
import { wholeOf } from './subject-box.ts';
import { mixColumns, mixRows, runsOf, type Taps, tapsOf } from './upscale.ts';

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
function levelled({ data, ...size }: ProbabilityMap, [low, high]: Levels): ProbabilityMap {
  const gain = 255 / (high - low);
  const values = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) values[i] = (data[i]! - low) * gain;
  return { data: values, ...size };
}

/** Parts of an output line that are not all clear: start, end, and what may be seen between; flat. */
type Segments = number[];

/**
 * Tells which parts of an output line are flat. To be asked from the top downwards.
 * @returns from the first of the `rows.count` rows an output line is mixed from, its segments
 */
function segmentFinder({ data, width }: ProbabilityMap, rows: Taps, columns: Taps) {
  const runs = runsOf(columns);
  /** For each column the lowest row so far with some alpha, or with some transparency. */
  const alphaRow = new Int32Array(width).fill(-1);
  const clearRow = new Int32Array(width).fill(-1);
  let next = 0;
  const takeRow = (row: number) => {
    for (let x = 0; x < width; x++) {
      const value = data[row * width + x]!;
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
 * @param part what of the picture the network saw; beyond it there is no subject
 */
export function matteOf(
  seen: ProbabilityMap,
  size: Size,
  levels: Levels,
  part = wholeOf(size),
): Matte {
  const { width, height } = size;
  const columns = tapsOf(seen.width, part.width);
  const rows = tapsOf(seen.height, part.height);
  const values = levelled(seen, levels);
  const segmentsFrom = segmentFinder(values, rows, columns);
  const line = new Float32Array(seen.width);
  const data = new Uint8Array(width * height);
  const clamped = new Uint8ClampedArray(data.buffer);
  let segments: Segments = [];
  for (let y = 0; y < part.height; y++) {
    const offset = (part.top + y) * width + part.left;
    if (y === 0 || rows.first[y] !== rows.first[y - 1]) segments = segmentsFrom(rows.first[y]!);
    for (let s = 0; s < segments.length; s += 3) {
      const from = segments[s]!;
      const to = segments[s + 1]!;
      if (segments[s + 2] === MIXED) {
        const end = columns.first[to - 1]! + columns.count;
        mixRows(values.data, line, rows, y, columns.first[from]!, end);
        mixColumns(line, clamped, columns, from, to, offset);
      } else data.fill(255, offset + from, offset + to);
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
