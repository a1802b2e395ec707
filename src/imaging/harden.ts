import type { Matte } from './matte.ts';

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
