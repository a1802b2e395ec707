/** The kernel of Mitchell and Netravali with B = C = 1/3: smooth, and hardly any ringing. */
function mitchell(distance: number): number {
  const d = Math.abs(distance);
  if (d < 1) return ((7 * d - 12) * d * d + 16 / 3) / 6;
  if (d < 2) return ((((-7 / 3) * d + 12) * d - 20) * d + 32 / 3) / 6;
  return 0;
}

/** For each place of an output line: the first of `count` inputs it is mixed from, and their weights. */
export interface Taps {
  count: number;
  first: Int32Array;
  weights: Float32Array;
}

/**
 * Pixel centres on pixel centres: a half-pixel slip alone would cost a tenth of the edge error.
 * @param from how many inputs there are
 * @param to length of an output line
 * @param begin where in the inputs that line begins; with `length`, of a part of them
 */
export function tapsOf(from: number, to: number, begin = 0, length = from): Taps {
  const reach = 2 * Math.max(1, length / to); // when shrinking, wide enough to leave nothing out
  const span = 2 * Math.ceil(reach);
  const count = Math.min(from, span);
  const first = new Int32Array(to);
  const weights = new Float32Array(to * count);
  const kernel = new Float64Array(span);
  for (let i = 0; i < to; i++) {
    const centre = begin + ((i + 0.5) * length) / to - 0.5;
    const start = Math.floor(centre - reach) + 1;
    const base = Math.min(Math.max(start, 0), from - count);
    let sum = 0;
    for (let q = 0; q < span; q++) sum += kernel[q] = mitchell((2 * (start + q - centre)) / reach);
    for (let q = 0; q < span; q++) {
      const inside = Math.min(Math.max(start + q, 0), from - 1); // beyond the border the border goes on
      weights[i * count + inside - base]! += kernel[q]! / sum;
    }
    first[i] = base;
  }
  return { count, first, weights };
}

/** Where along a line the taps move on: each run shares its inputs. Ends with the line's length. */
export function runsOf({ first }: Taps): Int32Array {
  const starts = [];
  for (let i = 0; i < first.length; i++) if (i === 0 || first[i] !== first[i - 1]) starts.push(i);
  return Int32Array.from([...starts, first.length]);
}

/** Mixes the rows that output row `y` is made of into `line`, between two columns. */
export function mixRows(
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

/** Place `x` of an output line. */
export function mixedAt(line: Float32Array, { first, weights, count }: Taps, x: number): number {
  const at = first[x]!;
  let sum = 0;
  for (let t = 0, w = x * count; t < count; t++, w++) sum += line[at + t]! * weights[w]!;
  return sum;
}

/** Places `from` to `to` of an output line, mixed from `line` into `out` behind `offset`. */
export function mixColumns(
  line: Float32Array,
  out: Uint8ClampedArray,
  columns: Taps,
  from: number,
  to: number,
  offset: number,
): void {
  for (let x = from; x < to; x++) out[offset + x] = mixedAt(line, columns, x);
}
