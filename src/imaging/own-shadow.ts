import { fitBackdropLight } from './backdrop-light.ts';
import { boxSums } from './box-sums.ts';
import { downscale, type MattedImage } from './downscale.ts';
import type { Matte } from './matte.ts';
import { regionsFrom } from './regions.ts';

/** A shadow is soft: it is measured on an image of this longest side at most, pixels. */
const MAX_SIDE_CELLS = 384;
/** Less than this is noise, from the upper one on all counts: shares of the backdrop's light. */
const NOISE = 0.02;
const CERTAIN = 0.05;
/** What is measured this near to the subject, cells, may be its edge. */
const EDGE_CELLS = 2;
/** How far what was measured around the subject is continued below its edge, cells: from as near as possible. */
const BELOW_CELLS = [3, 6] as const;

/** Returns how much light a cell lacks, 0..1: in the channel that lacks least, as shadows have no colour. */
function darknessAt(colours: Uint8Array, light: Float32Array, cell: number): number {
  let darkness = 1;
  for (let i = 3 * cell; i < 3 * cell + 3; i++) {
    darkness = Math.min(darkness, 1 - colours[i]! / Math.max(1, light[i]!));
  }
  return darkness * Math.min(1, Math.max(0, (darkness - NOISE) / (CERTAIN - NOISE)));
}

/** Removes what is not connected with the subject: stains, and shadows of other things. */
function dropOthers(darkness: Float32Array, { data, width, height }: Matte): void {
  const joined = darkness.map((value, i) => (data[i]! > 0 ? 1 : value));
  const kept = new Float32Array(darkness.length);
  for (const cells of regionsFrom({ data: joined, width, height }, NOISE))
    if (cells.some((cell) => data[cell]! > 0))
      for (const cell of cells) kept[cell] = darkness[cell]!;
  darkness.set(kept);
}

/** Continues what was measured below the subject's edge, where it shows through. */
function continueBelow(darkness: Float32Array, isKnown: Float32Array, size: Matte): void {
  const measured = darkness.slice();
  const filled = isKnown.slice();
  for (const radius of BELOW_CELLS) {
    const sums = boxSums(measured, size, 1, radius);
    const counts = boxSums(isKnown, size, 1, radius);
    for (let i = 0; i < darkness.length; i++) {
      if (filled[i] || counts[i]! < 0.5) continue;
      darkness[i] = sums[i]! / counts[i]!;
      filled[i] = 1;
    }
  }
}

/**
 * Measures the soft shadow that a subject casts on an even backdrop.
 * @param image as photographed, with the subject's matte
 * @returns its opacity at a smaller size, as a matte of black; nothing if the backdrop is not even
 */
export function measureOwnShadow(image: MattedImage): Matte | undefined {
  const { width, height } = image.pixels;
  const factor = Math.ceil(Math.max(width, height) / MAX_SIDE_CELLS);
  const { pixels, matte } = downscale(image, factor);
  const subject = Float32Array.from(matte.data, (alpha) => Number(alpha > 0));
  const isKnown = boxSums(subject, matte, 1, EDGE_CELLS).map((sum) => Number(sum < 0.5));
  const cells = Int32Array.from(isKnown.keys()).filter((cell) => isKnown[cell] === 1);
  const light = fitBackdropLight(pixels, cells);
  if (!light) return undefined;
  const darkness = isKnown.map((known, i) => known && darknessAt(pixels.data, light, i));
  continueBelow(darkness, isKnown, matte);
  dropOthers(darkness, matte);
  return { ...matte, data: Uint8Array.from(darkness, (share) => Math.round(255 * share)) };
}
