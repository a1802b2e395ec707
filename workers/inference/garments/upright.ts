import type { Size } from '../../../src/imaging/layout.ts';
import { GROUPS } from './groups.ts';

const indicesOf = (ids: readonly string[]): number[] =>
  GROUPS.flatMap(({ id }, i) => (ids.includes(id) ? [i] : []));

const HEAD = indicesOf(['hair', 'hat']);
const BODY = indicesOf(['skin', 'hair']);
const BACKGROUND = indicesOf(['background']);
const FEET = indicesOf(['shoes', 'boots']);

/** Returns the mean row of some groups as a share of the height, 0..1; undefined if they are nowhere. */
function meanRow(probabilities: Float32Array, { width, height }: Size, groups: readonly number[]) {
  let sum = 0;
  let all = 0;
  for (const group of groups) {
    const start = group * width * height;
    for (let cell = 0; cell < width * height; cell++) {
      const probability = probabilities[start + cell]!;
      sum += probability * Math.floor(cell / width);
      all += probability;
    }
  }
  return all > 0 ? sum / all / height : undefined;
}

/** Returns how much of what is not background is skin or hair, 0..1. */
function bodyShare(probabilities: Float32Array, { width, height }: Size): number {
  const cells = width * height;
  const sumOf = (groups: readonly number[]): number =>
    groups.reduce(
      (sum, group) =>
        probabilities.subarray(group * cells, (group + 1) * cells).reduce((a, b) => a + b, sum),
      0,
    );
  return sumOf(BODY) / Math.max(1, cells - sumOf(BACKGROUND));
}

/** A share of skin and hair: 9 of 10 laid-out goods show less, 1 of 100 people who lie. */
const MIN_TRACE = 0.00015;

/** Returns whether the parse network sees a trace of skin or hair, so that somebody may lie there. */
export const mayShowPerson = (probabilities: Float32Array, size: Size): boolean =>
  bodyShare(probabilities, size) >= MIN_TRACE;

/** With less skin and hair nobody is seen, and what looks like feet or a head is none. */
const MIN_BODY_SHARE = 0.02;

/**
 * Returns how far the feet of a person are below the head by the parse network's output, as a share of the height: near
 * 1 for who stands, 0 if nobody is seen.
 * @param size of each plane of `probabilities`
 */
export function uprightness(probabilities: Float32Array, size: Size): number {
  if (bodyShare(probabilities, size) < MIN_BODY_SHARE) return 0;
  const head = meanRow(probabilities, size, HEAD);
  const feet = meanRow(probabilities, size, FEET);
  return head === undefined || feet === undefined ? 0 : feet - head;
}
