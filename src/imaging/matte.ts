import type { Size } from './layout.ts';
import type { ProbabilityMap } from './probability-map.ts';
import { fullBox } from './subject-box.ts';
import { resampleHorizontally, resampleVertically, runsOf, type Taps, tapsOf } from './upscale.ts';

/** How much of each pixel is subject: one byte a pixel, 0 (none) to 255 (all), rows from the top. */
export interface Matte {
  data: Uint8Array;
  width: number;
  height: number;
}

/**
 * Probabilities, 0..1, between which alpha rises linearly: below `low` it is 0, above `high` 255. A sigmoid
 * seldom reaches its ends, so without levels the inside of a garment would be faintly transparent and the
 * background faintly visible.
 */
export type Levels = readonly [low: number, high: number];

/** Contents of a segment, as bits: some alpha, some transparency, or both. */
const SOME_ALPHA = 1;
const SOME_CLEAR = 2;
const MIXED = SOME_ALPHA | SOME_CLEAR;

/** Applies the levels: 0..255 between them, values beyond that outside. */
function applyLevels({ data, ...size }: ProbabilityMap, [low, high]: Levels): ProbabilityMap {
  const gain = 255 / (high - low);
  const values = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) values[i] = (data[i]! - low) * gain;
  return { data: values, ...size };
}

/** Segments of an output line that are not all transparent, flat: start, end, contents. */
type Segments = number[];

/** Finds the segments of output lines, from the top downwards. */
class SegmentFinder {
  readonly #map: ProbabilityMap;
  readonly #columns: Taps;
  readonly #runs: Int32Array;
  /** For each column, the last row so far with some alpha, and the last with some transparency. */
  readonly #alphaRow: Int32Array;
  readonly #clearRow: Int32Array;
  #next = 0;

  constructor(map: ProbabilityMap, columns: Taps) {
    this.#map = map;
    this.#columns = columns;
    this.#runs = runsOf(columns);
    this.#alphaRow = new Int32Array(map.width).fill(-1);
    this.#clearRow = new Int32Array(map.width).fill(-1);
  }

  #addRow(row: number): void {
    const { data, width } = this.#map;
    const [alphaRow, clearRow] = [this.#alphaRow, this.#clearRow];
    for (let x = 0; x < width; x++) {
      const value = data[row * width + x]!;
      if (value > 0) alphaRow[x] = row;
      if (value < 255) clearRow[x] = row;
    }
  }

  /** Returns the segments of an output line of the input rows `top` to `bottom`. */
  find(top: number, bottom: number): Segments {
    for (; this.#next < bottom; this.#next++) this.#addRow(this.#next);
    const { first, count } = this.#columns;
    const [runs, alphaRow, clearRow] = [this.#runs, this.#alphaRow, this.#clearRow];
    const segments: Segments = [];
    for (let r = 0, x = 0, alphaAt = -1, clearAt = -1; r + 1 < runs.length; r++) {
      const at = first[runs[r]!]!;
      for (; x < at + count; x++) {
        if (alphaRow[x]! >= top) alphaAt = x;
        if (clearRow[x]! >= top) clearAt = x;
      }
      const map = (alphaAt >= at ? SOME_ALPHA : 0) | (clearAt >= at ? SOME_CLEAR : 0);
      if (map !== SOME_CLEAR) addSegment(segments, runs[r]!, runs[r + 1]!, map);
    }
    return segments;
  }
}

/** Appends a segment, or extends the last one if it continues it. */
function addSegment(segments: Segments, from: number, to: number, map: number): void {
  const end = segments.length;
  if (segments[end - 1] === map && segments[end - 2] === from) segments[end - 2] = to;
  else segments.push(from, to, map);
}

/**
 * Upscales a network's output to a matte of the image's size. Most of a matte is flat; flat segments are filled
 * or skipped instead of computed.
 * @param region the part of the image the network saw; outside it there is no subject
 */
export function toMatte(
  map: ProbabilityMap,
  size: Size,
  levels: Levels,
  region = fullBox(size),
): Matte {
  const { width, height } = size;
  const columns = tapsOf(map.width, region.width);
  const rows = tapsOf(map.height, region.height);
  const values = applyLevels(map, levels);
  const finder = new SegmentFinder(values, columns);
  const line = new Float32Array(map.width);
  const data = new Uint8Array(width * height);
  const clamped = new Uint8ClampedArray(data.buffer);
  let segments: Segments = [];
  for (let y = 0; y < region.height; y++) {
    const offset = (region.top + y) * width + region.left;
    const top = rows.first[y]!;
    if (y === 0 || top !== rows.first[y - 1]) segments = finder.find(top, top + rows.count);
    for (let s = 0; s < segments.length; s += 3) {
      const from = segments[s]!;
      const to = segments[s + 1]!;
      if (segments[s + 2] === MIXED) {
        const end = columns.first[to - 1]! + columns.count;
        resampleVertically(values.data, line, rows, y, columns.first[from]!, end);
        resampleHorizontally(line, clamped, columns, from, to, offset);
      } else data.fill(255, offset + from, offset + to);
    }
  }
  return { data, width, height };
}

/** Multiplies a matte by the image's own alpha: nothing becomes more opaque than it was. */
export function withOpacity({ data, width, height }: Matte, opacity: Uint8Array): Matte {
  const map = new Uint8Array(data.length);
  for (let i = 0; i < map.length; i++) map[i] = (data[i]! * opacity[i]!) / 255 + 0.5;
  return { data: map, width, height };
}

/** From this alpha on a pixel counts as subject. */
const HALF = 128;

/**
 * Returns a matte without translucent areas: alpha of one half and more becomes opaque, the rest transparent.
 * Pixels beside one of the other kind keep their alpha, which keeps outlines smooth.
 */
export function hardenMatte({ data, width, height }: Matte): Matte {
  const hard = new Uint8Array(data.length);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const isSolid = data[i]! >= HALF;
      const isOutline =
        (x > 0 && data[i - 1]! >= HALF !== isSolid) ||
        (x < width - 1 && data[i + 1]! >= HALF !== isSolid) ||
        (y > 0 && data[i - width]! >= HALF !== isSolid) ||
        (y < height - 1 && data[i + width]! >= HALF !== isSolid);
      if (isOutline) hard[i] = data[i]!;
      else if (isSolid) hard[i] = 255;
    }
  }
  return { data: hard, width, height };
}
