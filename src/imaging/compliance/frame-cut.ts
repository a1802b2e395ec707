import { cropPlane } from '../crop.ts';
import type { Matte } from '../matte.ts';
import type { Box } from '../subject-box.ts';

/** From this alpha on a pixel counts as subject. */
const SOLID = 128;

/**
 * Returns how much of a side of a photo is subject, 0..1, on the side with the most.
 * @param region of the photo that was searched for the subject; its sides count
 */
export function largestCutShare(matte: Matte, region: Box): number {
  const { width, height } = region;
  const alpha = cropPlane(matte.data, matte.width, region, 1);
  const last = (height - 1) * width;
  const shareOf = (length: number, at: (i: number) => number): number => {
    let solid = 0;
    for (let i = 0; i < length; i++) if (alpha[at(i)]! >= SOLID) solid++;
    return solid / length;
  };
  return Math.max(
    shareOf(width, (i) => i),
    shareOf(width, (i) => last + i),
    shareOf(height, (i) => i * width),
    shareOf(height, (i) => i * width + width - 1),
  );
}
