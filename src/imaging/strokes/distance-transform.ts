import type { Size } from '../picture.ts';

/** A squared distance that no two cells of a grid have; marks cells that nothing is at. */
export const UNREACHED = 1e20;

/** The parabolas of one line that are lowest somewhere, from left to right. */
interface Envelope {
  /** The values of the line. */
  line: Float64Array;
  /** Where each parabola has its lowest point. */
  lowest: Int32Array;
  /** From where on it is the lowest of all. */
  start: Float64Array;
}

/** Finds the lower envelope of the parabolas on a line's values; returns their number. */
function findEnvelope({ line, lowest, start }: Envelope, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) {
    if (line[i]! >= UNREACHED) continue;
    let crossing = Number.NEGATIVE_INFINITY;
    for (; count > 0; count--) {
      const j = lowest[count - 1]!;
      crossing = (line[i]! + i * i - line[j]! - j * j) / (2 * (i - j));
      if (crossing > start[count - 1]!) break;
      crossing = Number.NEGATIVE_INFINITY;
    }
    lowest[count] = i;
    start[count++] = crossing;
  }
  return count;
}

function transformLine(
  values: Float64Array,
  first: number,
  stride: number,
  length: number,
  envelope: Envelope,
): void {
  const { line, lowest, start } = envelope;
  for (let i = 0; i < length; i++) line[i] = values[first + i * stride]!;
  const count = findEnvelope(envelope, length);
  if (count === 0) return;
  for (let i = 0, k = 0; i < length; i++) {
    while (k < count - 1 && start[k + 1]! < i) k++;
    const away = i - lowest[k]!;
    values[first + i * stride] = away * away + line[lowest[k]!]!;
  }
}

/**
 * Replaces each value, in place, by the squared distance, in cells, to the next cell whose value is 0; the other
 * values must be `UNREACHED`. Takes time linear in the number of cells.
 * @see Felzenszwalb & Huttenlocher, Distance Transforms of Sampled Functions, Theory of Computing 8, 2012
 */
export function squaredDistances(values: Float64Array, { width, height }: Size): void {
  const side = Math.max(width, height);
  const envelope = {
    line: new Float64Array(side),
    lowest: new Int32Array(side),
    start: new Float64Array(side),
  };
  for (let x = 0; x < width; x++) transformLine(values, x, width, height, envelope);
  for (let y = 0; y < height; y++) transformLine(values, y * width, 1, width, envelope);
}
