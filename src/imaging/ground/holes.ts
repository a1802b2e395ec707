import type { MattedImage } from '../downscale.ts';
import { regionsOf } from '../regions.ts';
import { type EvenGround, quantileOf } from './even-ground.ts';

/** A part that was left out of the subject although it has not the ground's colour. */
export interface Hole {
  /** Pixels. */
  size: number;
  /** Share of its pixels that no soft shadow on the ground explains. */
  foreign: number;
  /** Between how many levels from the ground six tenths of it lie: a shadow is uneven. */
  range: number;
  /** Their median. */
  distance: number;
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
const MIN_ENCLOSED = 0.75;

/** Calls `visit` with each part within the subject that was left out but is no ground, and its pixels. */
export function eachHole(
  { matte: { data, width, height } }: MattedImage,
  ground: EvenGround,
  visit: (hole: Hole, cells: Int32Array) => void,
): void {
  const marks = new Uint8Array(data.length);
  const { distance: levelsOff, minEdge } = ground;
  for (let i = 0; i < marks.length; i++)
    if (data[i]! < HALF && levelsOff[i]! > minEdge) marks[i] = 1;
  for (const cells of regionsOf(marks, width, MIN_PIXELS)) {
    let [border, subject] = [0, 0];
    const look = (next: number, isInside: boolean) => {
      if (isInside && marks[next] === 1) return;
      border++;
      if (isInside && data[next]! >= HALF) subject++;
    };
    for (const pixel of cells) {
      const x = pixel % width;
      look(pixel - 1, x > 0);
      look(pixel + 1, x < width - 1);
      look(pixel - width, pixel >= width);
      look(pixel + width, pixel < width * (height - 1));
    }
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
    visit({ size, foreign: foreign / size, range, distance }, cells);
  }
}
