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

/**
 * Returns the bounding box of the subject; undefined if there is none. Rows are scanned from their ends, and no
 * further than the box reaches already.
 * @param alpha of each pixel, rows of `width` from the top
 * @param minAlpha from which on a pixel counts as subject
 */
export function subjectBox(
  alpha: Uint8Array | Float32Array,
  width: number,
  minAlpha = SOLID,
): Box | undefined {
  let [left, right, top, bottom] = [width, -1, -1, -1];
  for (let start = 0, y = 0; start < alpha.length; start += width, y++) {
    let x = 0;
    while (x < width && alpha[start + x]! < minAlpha) x++;
    if (x === width) continue;
    if (x < left) left = x;
    x = width - 1;
    while (x > right && alpha[start + x]! < minAlpha) x--;
    if (x > right) right = x;
    if (top < 0) top = y;
    bottom = y;
  }
  if (right < 0) return undefined;
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}
