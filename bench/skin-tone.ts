import { converter } from 'culori';
import type { Pixels } from '../src/imaging/picture.ts';
import { median } from './statistics.ts';

/** Tan and darker, degrees; see `skinTone`. */
export const MAX_DARKER_TONE = 10;
/** With fewer pixels of skin no tone is told. */
const MIN_PIXELS = 50;
const toLab = converter('lab65');

/**
 * Returns the individual typology angle of a person's skin as the photo shows it, degrees: from -30 (dark) over 10
 * (tan) to 55 (very light); undefined if too little skin shows. The photo's light changes it.
 * @param isSkin for each pixel
 */
export function skinTone({ data }: Pixels, isSkin: readonly boolean[]): number | undefined {
  const pixels = isSkin.flatMap((is, i) => (is ? [i] : []));
  if (pixels.length < MIN_PIXELS) return undefined;
  const [r, g, b] = [0, 1, 2].map((c) => median(pixels.map((i) => data[3 * i + c]!)) / 255);
  const lab = toLab({ mode: 'rgb', r: r!, g: g!, b: b! });
  return (Math.atan2(lab.l - 50, lab.b) * 180) / Math.PI;
}
