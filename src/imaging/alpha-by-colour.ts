import type { Scene } from './fusion-grid.ts';
import { eachSoftPixel } from './soft-pixels.ts';
import { BACKGROUND, type Surroundings } from './surroundings.ts';

/**
 * What the network's alpha of .5 weighs beside the colours, as a colour distance, 0..255: where foreground and
 * background differ by so much, both weigh the same.
 */
const TRUST = 50;
/** By how much the network's weight grows, squared distances, with what no blend of the two colours explains. */
const UNEXPLAINED = 8;
/** The variance of the network's alpha where it is sure, relative to that at .5. */
const MIN_VARIANCE = 0.1;

/**
 * Returns the most probable alpha, 0..1, of a pixel that blends two colours: the blend that comes closest to the
 * observed colour, drawn towards the network's alpha. The latter decides where the two colours are alike, where the
 * observed colour lies off the line between them, and, the surer it is, elsewhere.
 * @param at offset of the pixel's colour in `data`
 * @param around r g b of the foreground and r g b of the background
 */
function mostProbable(data: Uint8Array, at: number, around: Float64Array, alpha: number): number {
  let along = 0;
  let contrast = 0;
  let distance = 0;
  for (let c = 0; c < 3; c++) {
    const span = around[c]! - around[BACKGROUND + c]!;
    const observed = data[at + c]! - around[BACKGROUND + c]!;
    along += observed * span;
    contrast += span * span;
    distance += observed * observed;
  }
  const unexplained = contrast > 0 ? Math.max(0, distance - (along * along) / contrast) : distance;
  const variance = MIN_VARIANCE + (1 - MIN_VARIANCE) * 4 * alpha * (1 - alpha);
  const trust = (TRUST * TRUST + UNEXPLAINED * unexplained) / variance;
  return Math.min(1, Math.max(0, (along + trust * alpha) / (contrast + trust)));
}

function correctPixel({ pixels, matte }: Scene, pixel: number, around: Float64Array): void {
  const alpha = mostProbable(pixels.data, 3 * pixel, around, matte.data[pixel]! / 255);
  matte.data[pixel] = Math.round(255 * alpha);
}

/**
 * Corrects alpha by the colours around, in place, where it is neither 0 nor 255.
 * @param surroundings of the same scene
 * @see docs/adr/0035-alpha-by-colour.md
 */
export const correctAlpha = (scene: Scene, surroundings: Surroundings): void =>
  eachSoftPixel(scene, surroundings, correctPixel);
