import { cropPlane } from '../../../src/imaging/crop.ts';
import { type Levels, type Matte, toMatte } from '../../../src/imaging/matte.ts';
import type { ProbabilityMap } from '../../../src/imaging/probability-map.ts';
import type { Box } from '../../../src/imaging/subject-box.ts';
import type { Garment } from './separate.ts';

/**
 * Symmetric, so that two garments that meet add up to what is there. Narrow, because where the network is torn between
 * two garments of one cloth, one of them is right: with wider levels both would be translucent.
 */
const LEVELS: Levels = [0.42, 0.58];

/**
 * Returns the matte of a part of the subject, of the size of a box.
 * @param region of the image that the mask covers; contains the box
 * @param matte of the whole subject, of the image's size: nothing becomes more opaque than there
 */
export function matteOfMask(mask: ProbabilityMap, region: Box, box: Box, matte: Matte): Matte {
  const { data } = toMatte(mask, region, LEVELS);
  const within = { ...box, left: box.left - region.left, top: box.top - region.top };
  const own = cropPlane(data, region.width, within, 1);
  const whole = cropPlane(matte.data, matte.width, box, 1);
  for (let i = 0; i < own.length; i++) own[i] = (own[i]! * whole[i]!) / 255 + 0.5;
  return { data: own, width: box.width, height: box.height };
}

/** Returns the matte of one garment, of the size of its box; see `matteOfMask` and `Outfit`. */
export const matteOfGarment = ({ mask, box }: Garment, region: Box, matte: Matte): Matte =>
  matteOfMask(mask, region, box, matte);
