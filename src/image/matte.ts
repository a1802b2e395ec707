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

/** The kernel of Mitchell and Netravali with B = C = 1/3: smooth, and hardly any ringing. */
function mitchell(distance: number): number {
  const d = Math.abs(distance);
  if (d < 1) return (7 * d ** 3 - 12 * d ** 2 + 16 / 3) / 6;
  if (d < 2) return ((-7 / 3) * d ** 3 + 12 * d ** 2 - 20 * d + 32 / 3) / 6;
  return 0;
}

/** For each place of an output line: the first of `count` inputs it is mixed from, and their weights. */
interface Taps {
  count: number;
  first: Int32Array;
  weights: Float32Array;
}

/** Pixel centres on pixel centres: a half-pixel slip alone would cost a tenth of the edge error. */
function tapsOf(from: number, to: number): Taps {
  const reach = 2 * Math.max(1, from / to); // when shrinking, wide enough to leave nothing out
  const span = 2 * Math.ceil(reach);
  const count = Math.min(from, span);
  const first = new Int32Array(to);
  const weights = new Float32Array(to * count);
  for (let i = 0; i < to; i++) {
    const centre = ((i + 0.5) * from) / to - 0.5;
    const start = Math.floor(centre - reach) + 1;
    const base = Math.min(Math.max(start, 0), from - count);
    let sum = 0;
    for (let q = start; q < start + span; q++) sum += mitchell((2 * (q - centre)) / reach);
    for (let q = start; q < start + span; q++) {
      const inside = Math.min(Math.max(q, 0), from - 1); // beyond the border the border goes on
      weights[i * count + inside - base]! += mitchell((2 * (q - centre)) / reach) / sum;
    }
    first[i] = base;
  }
  return { count, first, weights };
}

/** Where along a line the taps move on: each run shares its inputs. Ends with the line's length. */
function runsOf({ first }: Taps): Int32Array {
  const starts = [...first.keys()].filter((i) => i === 0 || first[i] !== first[i - 1]);
  return Int32Array.from([...starts, first.length]);
}

/** One line of the matte, mixed from the rows of the network's answer; 0 and 255 are the levels. */
function mixRows(net: Float32Array, line: Float32Array, rows: Taps, y: number, levels: Levels) {
  const side = line.length;
  const gain = 255 / (levels[1] - levels[0]);
  line.fill(-levels[0] * gain);
  for (let t = 0; t < rows.count; t++) {
    const weight = rows.weights[y * rows.count + t]! * gain;
    const row = (rows.first[y]! + t) * side;
    for (let x = 0; x < side; x++) line[x]! += net[row + x]! * weight;
  }
}

/** All `count` values from `at` on are at or beyond the same level: 0, 255, or undefined for neither. */
function flatLevel(line: Float32Array, at: number, count: number): 0 | 255 | undefined {
  const level = line[at]! <= 0 ? 0 : 255;
  for (let i = at; i < at + count; i++)
    if (level === 0 ? line[i]! > 0 : line[i]! < 255) return undefined;
  return level;
}

/**
 * The network's answer at the size of the picture. Most of a matte is flat, and flat runs are filled
 * rather than computed, so 12 megapixels take about as long as decoding them.
 * @param net side x side, 0..1, the picture stretched to a square
 */
export function matteOf(net: Float32Array, width: number, height: number, levels: Levels): Matte {
  const side = Math.sqrt(net.length);
  const columns = tapsOf(side, width);
  const rows = tapsOf(side, height);
  const runs = runsOf(columns);
  const line = new Float32Array(side);
  const data = new Uint8Array(width * height);
  const clamped = new Uint8ClampedArray(data.buffer);
  for (let y = 0; y < height; y++) {
    mixRows(net, line, rows, y, levels);
    for (let r = 0; r + 1 < runs.length; r++) {
      const [from, to] = [runs[r]!, runs[r + 1]!];
      const level = flatLevel(line, columns.first[from]!, columns.count);
      if (level === 0) continue;
      if (level === 255) data.fill(255, y * width + from, y * width + to);
      else mixColumns(line, clamped, columns, from, to, y * width);
    }
  }
  return { data, width, height };
}

function mixColumns(
  line: Float32Array,
  out: Uint8ClampedArray,
  { first, weights, count }: Taps,
  from: number,
  to: number,
  offset: number,
) {
  for (let x = from; x < to; x++) {
    let sum = 0;
    for (let t = 0; t < count; t++) sum += line[first[x]! + t]! * weights[x * count + t]!;
    out[offset + x] = sum;
  }
}

/** The matte of a picture that had transparency of its own: nothing becomes more opaque than it was. */
export function withOpacity({ data, width, height }: Matte, opacity: Uint8Array): Matte {
  return { data: data.map((alpha, i) => Math.round((alpha * opacity[i]!) / 255)), width, height };
}

/** Below this a pixel is no candidate for the subject. */
const CANDIDATE = 0.05;

/**
 * How sure the network is of its own matte, 0..1: the mean of |2p - 1| over all pixels that may be subject
 * (p >= 0.05); 0 when there are none. It is certainty, not correctness: a network can be surely wrong.
 */
export function certaintyOf(net: Float32Array): number {
  let sum = 0;
  let count = 0;
  for (const p of net) {
    if (p < CANDIDATE) continue;
    sum += Math.abs(2 * p - 1);
    count++;
  }
  return count === 0 ? 0 : Math.min(1, sum / count);
}
