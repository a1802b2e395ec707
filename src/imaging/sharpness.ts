import { type ProbabilityMap, SUBJECT } from './probability-map.ts';
import type { Pixels } from './tensor.ts';

/** Smaller differences, 0..255, are mostly rounding. */
const MIN_DIFFERENCE = 4;
/** Of so many lines one is read, which is enough. */
const LINE_STEP = 2;

/** Adds the squared differences along a line of cells. */
function readLine(
  data: Float32Array,
  colours: Uint8Array,
  first: number,
  step: number,
  length: number,
  sums: { fine: number; coarse: number },
): void {
  for (let cell = first; cell < first + (length - 2) * step; cell += step) {
    if (data[cell]! < SUBJECT && data[cell + 2 * step]! < SUBJECT) continue;
    const green = colours[3 * cell + 1]!;
    const near = green - colours[3 * (cell + step) + 1]!;
    const far = green - colours[3 * (cell + 2 * step) + 1]!;
    if (Math.abs(far) < MIN_DIFFERENCE) continue;
    sums.fine += near * near;
    sums.coarse += far * far;
  }
}

/**
 * Returns how fine the detail of a subject is: the squared differences of neighbours in relation to those of cells
 * two apart, in green. Of a blurred photo it is .25, because colours change evenly; of a hard edge .5; of noise 1.
 * It does not depend on contrast or brightness.
 * @returns 1 if there is no subject, or if it has one colour with its surroundings
 */
export function sharpnessOf(map: ProbabilityMap, { data: colours }: Pixels): number {
  const { data, width, height } = map;
  const sums = { fine: 0, coarse: 0 };
  for (let y = 0; y < height; y += LINE_STEP) readLine(data, colours, y * width, 1, width, sums);
  for (let x = 0; x < width; x += LINE_STEP) readLine(data, colours, x, width, height, sums);
  return sums.coarse === 0 ? 1 : sums.fine / sums.coarse;
}
