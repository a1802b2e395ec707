import type { Pair } from './downscale.ts';

/**
 * Lays a picture over another of the same size, in place. Where it is opaque its pixels stay bit for bit,
 * where it is clear those below take their place, and where it is soft the two are mixed.
 * @see Porter, Duff: Compositing digital images, 1984, "over"
 */
export function layOver(top: Pair, below: Pair): void {
  const alpha = top.matte.data;
  const colours = top.pixels.data;
  const alphaBelow = below.matte.data;
  const coloursBelow = below.pixels.data;
  for (let i = 0, p = 0; i < alpha.length; i++, p += 3) {
    const a = alpha[i]!;
    const b = alphaBelow[i]!;
    if (a === 255 || b === 0) continue;
    if (a === 0) {
      for (let c = 0; c < 3; c++) colours[p + c] = coloursBelow[p + c]!;
      alpha[i] = b;
      continue;
    }
    /** What is seen of the pixel below, of 255. */
    const seen = (b * (255 - a)) / 255;
    const both = a + seen;
    for (let c = 0; c < 3; c++) {
      colours[p + c] = (colours[p + c]! * a + coloursBelow[p + c]! * seen) / both + 0.5;
    }
    alpha[i] = both + 0.5;
  }
}
