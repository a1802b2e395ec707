import type { MattedImage } from './downscale.ts';

/**
 * Composites an image over another of the same size, in place. Opaque pixels stay unchanged bit for bit,
 * transparent ones are replaced by those below, and soft ones are blended.
 * @see Porter, Duff: Compositing digital images, 1984, "over"
 */
export function compositeOver(top: MattedImage, bottom: MattedImage): void {
  const alpha = top.matte.data;
  const colours = top.pixels.data;
  const bottomAlpha = bottom.matte.data;
  const bottomColours = bottom.pixels.data;
  for (let i = 0, p = 0; i < alpha.length; i++, p += 3) {
    const a = alpha[i]!;
    const b = bottomAlpha[i]!;
    if (a === 255 || b === 0) continue;
    if (a === 0) {
      for (let c = 0; c < 3; c++) colours[p + c] = bottomColours[p + c]!;
      alpha[i] = b;
      continue;
    }
    /** Visible alpha of the pixel below, 0..255. */
    const visible = (b * (255 - a)) / 255;
    const total = a + visible;
    for (let c = 0; c < 3; c++) {
      colours[p + c] = (colours[p + c]! * a + bottomColours[p + c]! * visible) / total + 0.5;
    }
    alpha[i] = total + 0.5;
  }
}
