/** The Mitchell-Netravali kernel with B = C = 1/3: smooth, with hardly any ringing. */
function mitchell(distance: number): number {
  const d = Math.abs(distance);
  if (d < 1) return ((7 * d - 12) * d * d + 16 / 3) / 6;
  if (d < 2) return ((((-7 / 3) * d + 12) * d - 20) * d + 32 / 3) / 6;
  return 0;
}

/** For each output position: the first of the `count` inputs it is interpolated from, and their weights. */
export interface Taps {
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
export function runsOf({ first }: Taps): Int32Array {
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

/** Interpolates positions `from` to `to` of an output line from `line`, into `out` at `offset`. */
export function resampleHorizontally(
  line: Float32Array,
  out: Uint8ClampedArray,
  columns: Taps,
  from: number,
  to: number,
  offset: number,
): void {
  for (let x = from; x < to; x++) out[offset + x] = resampleAt(line, columns, x);
}
