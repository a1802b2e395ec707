import type { Matte } from '../matte.ts';
import { regionsOf } from '../regions.ts';
import type { EvenGround } from './even-ground.ts';

/** Alpha from which on pixels join. */
const FAINT = 13;
/** A smaller shadow is not looked at, pixels. */
const MIN_PIXELS = 24;
/** A soft shadow differs from the ground by less, levels. */
const MAX_DISTANCE = 90;
/** Its neighbours differ by less, levels beside the noise. */
const ROUGHNESS = 4;
/** So many of its pixels may be no shadow, or differ more, share. */
const MAX_OTHERS = 0.02;

/**
 * Returns soft shadows on the ground that were taken for subject and do not touch it; never the largest piece.
 * @param isClear 1 where a pixel is clear by now, whatever the matte says
 */
export function detachedShadows(
  { data, width }: Matte,
  ground: EvenGround,
  isClear: Uint8Array,
): Int32Array[] {
  const { distance, tolerance, noise } = ground;
  const marks = new Uint8Array(data.length);
  for (let i = 0; i < marks.length; i++) if (data[i]! >= FAINT && isClear[i] !== 1) marks[i] = 1;
  const pieces = regionsOf(marks, width, MIN_PIXELS);
  const largest = pieces.reduce((most, { length }) => Math.max(most, length), 0);
  const isOther = (pixel: number): boolean =>
    distance[pixel]! > MAX_DISTANCE ||
    Math.abs(distance[pixel]! - distance[pixel + 1]!) > ROUGHNESS + noise ||
    Math.abs(distance[pixel]! - distance[pixel + width]!) > ROUGHNESS + noise ||
    ground.shadedDistance(pixel) > tolerance;
  return pieces.filter((cells) => {
    if (cells.length === largest) return false;
    const limit = MAX_OTHERS * cells.length;
    let others = 0;
    for (let n = 0; n < cells.length && others <= limit; n++) if (isOther(cells[n]!)) others++;
    return others <= limit;
  });
}
