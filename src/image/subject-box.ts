/** A rectangle in pixels; may reach beyond the picture. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** From here on a pixel counts as subject. */
const SOLID = 128;

/**
 * The smallest rectangle around the subject; nothing where there is none.
 * @param alpha one byte a pixel, rows of `width` from the top
 */
export function subjectBox(alpha: Uint8Array, width: number): Box | undefined {
  let [left, right, top, bottom] = [width, -1, -1, -1];
  for (let i = 0; i < alpha.length; i++) {
    if (alpha[i]! < SOLID) continue;
    const x = i % width;
    const y = Math.floor(i / width);
    if (x < left) left = x;
    if (x > right) right = x;
    if (top < 0) top = y;
    bottom = y;
  }
  if (right < 0) return undefined;
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}
