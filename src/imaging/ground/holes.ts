import type { MattedImage } from '../downscale.ts';
import type { Matte } from '../matte.ts';
import { eachBorderSide, regionsOf } from '../regions.ts';
import { type EvenGround, quantileOf } from './even-ground.ts';

/** A part that was left out of the subject, within it or at its outline, although it has not the ground's colour. */
export interface Hole {
  /** Pixels. */
  size: number;
  /** Share of its pixels that no soft shadow on the ground explains. */
  foreign: number;
  /** Between how many levels from the ground six tenths of it lie: a shadow is uneven. */
  range: number;
  /** Their median. */
  distance: number;
  /** Share of its border that is open to the ground; a hole within the subject has none. */
  open: number;
  /** Of what is open, the share that is a crisp edge; a shadow fades. */
  crisp: number;
  /** Area over what is open of its border, pixels. */
  depth: number;
}

const HALF = 128;
/** A smaller hole is not looked at, pixels. */
const MIN_PIXELS = 24;
/** From so far from the ground on a pixel is no soft shadow on it, levels. */
const MAX_SHADOW = 60;

/** Returns whether a pixel is certainly no ground, neither in light nor in a soft shadow. */
const isForeign = (ground: EvenGround, pixel: number): boolean =>
  ground.distance[pixel]! > MAX_SHADOW || ground.shadedDistance(pixel) > ground.minEdge;

/** So much of its border is subject: else it lies outside. */
const MIN_ENCLOSED = 0.5;
/** A crisp edge is no wider, pixels. */
const CRISP_REACH = 3;

/**
 * Returns the lengths of a part's border: all of it, beside the subject, and as a crisp edge beside the ground.
 * @param marks of all that was left out
 */
function measureBorder(
  cells: Int32Array,
  marks: Uint8Array,
  { data, width }: Matte,
  { distance, tolerance }: EvenGround,
) {
  let [border, subject, crisp] = [0, 0, 0];
  eachBorderSide(cells, marks, width, (pixel, step, room) => {
    border++;
    if (room > 0 && data[pixel + step]! >= HALF) subject++;
    else if (room >= CRISP_REACH && distance[pixel + CRISP_REACH * step]! <= tolerance) crisp++;
  });
  return { border, subject, crisp };
}

/** Calls `visit` with each part of the subject that was left out but is no ground, and its pixels. */
export function eachHole(
  { matte }: MattedImage,
  ground: EvenGround,
  visit: (hole: Hole, cells: Int32Array) => void,
): void {
  const marks = new Uint8Array(matte.data.length);
  const { distance: levelsOff, minEdge } = ground;
  for (let i = 0; i < marks.length; i++)
    if (matte.data[i]! < HALF && levelsOff[i]! > minEdge) marks[i] = 1;
  for (const cells of regionsOf(marks, matte.width, MIN_PIXELS)) {
    const { border, subject, crisp } = measureBorder(cells, marks, matte, ground);
    if (subject < MIN_ENCLOSED * border) continue;
    const size = cells.length;
    const levels = new Uint32Array(256);
    let foreign = 0;
    for (const pixel of cells) {
      if (isForeign(ground, pixel)) foreign++;
      levels[ground.distance[pixel]!]!++;
    }
    const range = quantileOf(levels, 0.8 * size) - quantileOf(levels, 0.2 * size);
    const distance = quantileOf(levels, size / 2);
    const open = border - subject;
    const outside = { open: open / border, crisp: crisp / open, depth: size / open };
    visit({ size, foreign: foreign / size, range, distance, ...outside }, cells);
  }
}
