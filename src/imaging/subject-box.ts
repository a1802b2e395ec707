/** A rectangle in pixels; may reach beyond the image. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const fullBox = ({ width, height }: Pick<Box, 'width' | 'height'>): Box => ({
  left: 0,
  top: 0,
  width,
  height,
});

/** From this alpha on a pixel counts as subject. */
const SOLID = 128;

/** The same bytes, four at once; copied only if they do not begin at a multiple of four. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, bytes.length >> 2);
}

type Alphas = Uint8Array | Float32Array;
const NO_WORDS = new Int32Array(0);

/**
 * Returns the first of the pixels `from` to `to` that has at least `min`, or `to`.
 * @param words the same alpha, by `wordsOf`; may be empty
 */
export function firstFrom(
  alpha: Alphas,
  words: Int32Array,
  from: number,
  to: number,
  min: number,
): number {
  let i = from;
  while (i < to && alpha[i]! < min) i += (i & 3) === 0 && words[i >> 2] === 0 ? 4 : 1;
  return Math.min(i, to);
}

/** Returns the end after the last of the pixels `from` to `to` that has at least `min`, or `from`. */
export function endBefore(
  alpha: Alphas,
  words: Int32Array,
  from: number,
  to: number,
  min: number,
): number {
  let i = to;
  while (i > from && alpha[i - 1]! < min) i -= (i & 3) === 0 && words[(i >> 2) - 1] === 0 ? 4 : 1;
  return Math.max(i, from);
}

/**
 * Returns the bounding box of the subject; undefined if there is none. Only what lies outside it is looked at.
 * @param alpha of each pixel, rows of `width` from the top
 * @param minAlpha from which on a pixel counts as subject; more than 0
 */
export function subjectBox(alpha: Alphas, width: number, minAlpha = SOLID): Box | undefined {
  const words = alpha instanceof Uint8Array ? wordsOf(alpha) : NO_WORDS;
  const first = firstFrom(alpha, words, 0, alpha.length, minAlpha);
  if (first === alpha.length) return undefined;
  const top = Math.floor(first / width);
  const end = Math.ceil(endBefore(alpha, words, first, alpha.length, minAlpha) / width) * width;
  let [left, right] = [width, 0];
  for (let start = top * width; start < end; start += width) {
    left = firstFrom(alpha, words, start, start + left, minAlpha) - start;
    right = endBefore(alpha, words, start + right, start + width, minAlpha) - start;
  }
  return { left, top, width: right - left, height: end / width - top };
}
