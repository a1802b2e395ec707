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

/** Adds the outline of a line of cells. */
function readLine(
  data: Float32Array,
  pixels: Pixels,
  first: number,
  step: number,
  length: number,
  outline: { length: number; blended: number },
): void {
  const last = first + (length - DISTANCE) * step;
  for (let cell = first + DISTANCE * step; cell < last; cell += step) {
    if (data[cell]! >= SUBJECT === data[cell + step]! >= SUBJECT) continue;
    outline.length++;
    if (areAlike(pixels, cell - (DISTANCE - 1) * step, cell + DISTANCE * step)) outline.blended++;
  }
}

/** Returns the share of the outline, 0..1, with nearly the same colour on both sides; 0 if there is none. */
export function blendedShareOf(map: ProbabilityMap, pixels: Pixels): number {
  const { data, width, height } = map;
  const outline = { length: 0, blended: 0 };
  for (let y = 0; y < height; y += LINE_STEP) readLine(data, pixels, y * width, 1, width, outline);
  for (let x = 0; x < width; x += LINE_STEP) readLine(data, pixels, x, width, height, outline);
  return outline.length === 0 ? 0 : outline.blended / outline.length;
}
