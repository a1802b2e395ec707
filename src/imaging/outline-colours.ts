import { type ProbabilityMap, SUBJECT } from './probability-map.ts';
import type { Pixels } from './tensor.ts';

/** Colours are compared this many cells inside the outline, and as many outside. */
const DISTANCE = 3;
/** Of so many lines across the outline one is read, which is enough. */
const LINE_STEP = 2;
/** Colours closer than this, of 441, look the same. */
const SAME_COLOUR = 20;

function areAlike({ data }: Pixels, one: number, other: number): boolean {
  const red = data[3 * one]! - data[3 * other]!;
  const green = data[3 * one + 1]! - data[3 * other + 1]!;
  const blue = data[3 * one + 2]! - data[3 * other + 2]!;
  return red * red + green * green + blue * blue < SAME_COLOUR * SAME_COLOUR;
}

/** Returns the share of the outline, 0..1, with nearly the same colour on both sides; 0 if there is none. */
export function blendedShareOf(map: ProbabilityMap, pixels: Pixels): number {
  const { data, width, height } = map;
  let outline = 0;
  let blended = 0;
  const readLine = (first: number, step: number, length: number) => {
    const last = first + (length - DISTANCE) * step;
    for (let cell = first + DISTANCE * step; cell < last; cell += step) {
      if (data[cell]! >= SUBJECT === data[cell + step]! >= SUBJECT) continue;
      outline++;
      if (areAlike(pixels, cell - (DISTANCE - 1) * step, cell + DISTANCE * step)) blended++;
    }
  };
  for (let y = 0; y < height; y += LINE_STEP) readLine(y * width, 1, width);
  for (let x = 0; x < width; x += LINE_STEP) readLine(x, width, height);
  return outline === 0 ? 0 : blended / outline;
}
