import type { Scene } from './fusion-grid.ts';
import { eachSoftPixel } from './soft-pixels.ts';
import { BACKGROUND, type Surroundings } from './surroundings.ts';

function recoverPixel({ pixels: { data }, matte }: Scene, pixel: number, around: Float64Array) {
  const alpha = matte.data[pixel]! / 255;
  for (let c = 0, p = 3 * pixel; c < 3; c++, p++) {
    const blend = alpha * around[c]! + (1 - alpha) * around[BACKGROUND + c]!;
    const own = around[c]! + alpha * (data[p]! - blend);
    data[p] = Math.min(255, Math.max(0, own)) + 0.5;
  }
}

/**
 * Replaces blended colours by the foreground's own, in place, where alpha is neither 0 nor 255: without them a cut-out
 * carries a halo of its old background. All other pixels stay unchanged, bit for bit.
 *
 * Blur fusion: the foreground and background of a wide window, corrected by the observed colour, then of a narrow one.
 * @param surroundings of the same scene
 * @see Forte & Pitie, Approximate Fast Foreground Colour Estimation, ICIP 2021
 */
export const recoverForeground = (scene: Scene, surroundings: Surroundings): void =>
  eachSoftPixel(scene, surroundings, recoverPixel);
