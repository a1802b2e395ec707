import type { MattedImage } from '../downscale.ts';
import { regionsOf } from '../regions.ts';
import { type EvenGround, quantileOf } from './even-ground.ts';

/** A part that was left out of the subject although it has not the ground's colour. */
export interface Hole {
  /** Pixels. */
  size: number;
  /** Share of its border that is subject. */
  enclosed: number;
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

/** Calls `visit` with each part that was left out of the subject but is no ground, and its pixels. */
export function eachHole(
  { matte: { data, width, height } }: MattedImage,
  ground: EvenGround,
  visit: (hole: Hole, cells: Int32Array) => void,
): void {
  const marks = new Uint8Array(data.length);
  for (let i = 0; i < marks.length; i++)
    if (data[i]! < HALF && ground.distance[i]! > ground.minEdge) marks[i] = 1;
  const isMarked = marks.slice();
  for (const cells of regionsOf(marks, width)) {
    if (cells.length < MIN_PIXELS) continue;
    let [border, subject, foreign] = [0, 0, 0];
    const levels = new Uint32Array(256);
    const look = (next: number, isInside: boolean) => {
      if (isInside && isMarked[next] === 1) return;
      border++;
      if (isInside && data[next]! >= HALF) subject++;
    };
    for (const pixel of cells) {
      const x = pixel % width;
      if (isForeign(ground, pixel)) foreign++;
      levels[ground.distance[pixel]!]!++;
      look(pixel - 1, x > 0);
      look(pixel + 1, x < width - 1);
      look(pixel - width, pixel >= width);
      look(pixel + width, pixel < width * (height - 1));
    }
    const size = cells.length;
    const range = quantileOf(levels, 0.8 * size) - quantileOf(levels, 0.2 * size);
    const distance = quantileOf(levels, size / 2);
    visit({ size, enclosed: subject / border, foreign: foreign / size, range, distance }, cells);
  }
}
