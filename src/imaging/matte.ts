import { fullBox, type Matte, type Size } from './picture.ts';

/**
 * A network's output: the probability, 0..1, that each cell is subject, rows from the top. The network's input was
 * stretched to its own size, so cells need not be square.
 */
export interface ProbabilityMap extends Size {
  data: Float32Array;
}

/** From this probability on a cell counts as possible subject. */
export const FAINT = 0.1;
/** From this probability on a cell is subject. */
export const SUBJECT = 0.5;

/** The Mitchell-Netravali kernel with B = C = 1/3: smooth, with hardly any ringing. */
function mitchell(distance: number): number {
  const d = Math.abs(distance);
  if (d < 1) return ((7 * d - 12) * d * d + 16 / 3) / 6;
  if (d < 2) return ((((-7 / 3) * d + 12) * d - 20) * d + 32 / 3) / 6;
  return 0;
}

/** For each output position: the first of the `count` inputs it is interpolated from, and their weights. */
interface Taps {
  count: number;
  first: Int32Array;
  weights: Float32Array;
}

/**
 * Computes resampling taps that align pixel centres: an offset of half a pixel alone would add a tenth to the edge
 * error.
 * @param from number of inputs
 * @param to length of an output line
 * @param start first input of the range that the line covers; fractions are allowed
 * @param length of that range, in inputs
 */
export function tapsOf(from: number, to: number, start = 0, length = from): Taps {
  const support = 2 * Math.max(1, length / to); // when downscaling, wide enough to cover every input
  const span = 2 * Math.ceil(support);
  const count = Math.min(from, span);
  const first = new Int32Array(to);
  const weights = new Float32Array(to * count);
  const kernel = new Float64Array(span);
  for (let i = 0; i < to; i++) {
    const centre = start + ((i + 0.5) * length) / to - 0.5;
    const lowest = Math.floor(centre - support) + 1;
    const base = Math.min(Math.max(lowest, 0), from - count);
    let sum = 0;
    for (let q = 0; q < span; q++)
      sum += kernel[q] = mitchell((2 * (lowest + q - centre)) / support);
    for (let q = 0; q < span; q++) {
      const clamped = Math.min(Math.max(lowest + q, 0), from - 1); // the border pixel repeats beyond the border
      weights[i * count + clamped - base]! += kernel[q]! / sum;
    }
    first[i] = base;
  }
  return { count, first, weights };
}

/** Returns the starts of runs of outputs that share their inputs, and the line's length at the end. */
function runsOf({ first }: Taps): Int32Array {
  const starts = [];
  for (let i = 0; i < first.length; i++) if (i === 0 || first[i] !== first[i - 1]) starts.push(i);
  return Int32Array.from([...starts, first.length]);
}

/** Interpolates output row `y` between two columns, into `line`. */
export function resampleVertically(
  source: Float32Array,
  line: Float32Array,
  rows: Taps,
  y: number,
  from: number,
  to: number,
): void {
  const side = line.length;
  line.fill(0, from, to);
  for (let t = 0; t < rows.count; t++) {
    const weight = rows.weights[y * rows.count + t]!;
    const row = (rows.first[y]! + t) * side;
    for (let x = from; x < to; x++) line[x]! += source[row + x]! * weight;
  }
}

/** Returns position `x` of an output line. */
export function resampleAt(line: Float32Array, { first, weights, count }: Taps, x: number): number {
  const at = first[x]!;
  let sum = 0;
  for (let t = 0, w = x * count; t < count; t++, w++) sum += line[at + t]! * weights[w]!;
  return sum;
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
        for (let x = from; x < to; x++) clamped[offset + x] = resampleAt(line, columns, x);
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
