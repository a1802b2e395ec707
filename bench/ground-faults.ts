import type { Matte, Pixels } from '../src/imaging/picture.ts';
import { regionsOf } from '../src/imaging/regions.ts';
import type { Reference } from './matte-scores.ts';

/** What a cut-out gets wrong about the ground behind it, pixels. */
export interface GroundFaults {
  /** In closed holes of the cut-out that are subject. */
  hole: number;
  /** Of the ground that the cut-out kept. */
  kept: number;
}

/** What is known of a photo: for each pixel whether it is certainly ground, or certainly subject. */
interface Truth {
  width: number;
  height: number;
  ground: Uint8Array;
  subject: Uint8Array;
}

/** A smaller hole is no fault that is seen. */
const MIN_HOLE_PIXELS = 60;
/** Less kept ground is an outline that is a little off. */
const MIN_KEPT_PIXELS = 100;
/** The share of a hole that must be subject. */
const MIN_SUBJECT_SHARE = 0.8;
const HALF = 128;

const isOnRim = (pixel: number, { width, height }: Truth): boolean => {
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  return x === 0 || y === 0 || x === width - 1 || y === height - 1;
};

/** Counts the pixels of closed holes that are subject, and of ground that was kept. */
function countFaults({ data }: Matte, truth: Truth): GroundFaults {
  const faults = { hole: 0, kept: 0 };
  const clear = Uint8Array.from(data, (alpha) => Number(alpha < HALF));
  for (const hole of regionsOf(clear, truth.width)) {
    if (hole.length < MIN_HOLE_PIXELS || hole.some((pixel) => isOnRim(pixel, truth))) continue;
    const wrong = hole.reduce((sum, pixel) => sum + truth.subject[pixel]!, 0);
    if (wrong > MIN_SUBJECT_SHARE * hole.length) faults.hole += hole.length;
  }
  data.forEach((alpha, i) => {
    if (alpha >= HALF) faults.kept += truth.ground[i]!;
  });
  return { hole: faults.hole, kept: faults.kept >= MIN_KEPT_PIXELS ? faults.kept : 0 };
}

/** So near to the reference's subject, pixels, an outline may be. */
const OUTLINE_PIXELS = 3;

/** Marks the pixels that have no mark of `marks` within `radius`. */
function farFrom(marks: Uint8Array, width: number, radius: number): Uint8Array {
  const far = new Uint8Array(marks.length).fill(1);
  for (let i = 0; i < marks.length; i++) {
    if (!marks[i]) continue;
    const x = i % width;
    const [left, right] = [Math.max(0, x - radius), Math.min(width - 1, x + radius)];
    for (let row = i - x - radius * width; row <= i - x + radius * width; row += width)
      if (row >= 0 && row < marks.length) far.fill(0, row + left, row + right + 1);
  }
  return far;
}

/** Returns what a cut-out gets wrong, by a reference matte. */
export function faultsByReference(
  matte: Matte,
  { data, width, height, ignore }: Reference,
): GroundFaults {
  const some = Uint8Array.from(data, (alpha, i) => Number(alpha > 0 || (ignore?.[i] ?? 0) > 0));
  const ground = farFrom(some, width, OUTLINE_PIXELS);
  const subject = Uint8Array.from(data, (alpha, i) => Number(alpha >= HALF && !ignore?.[i]));
  return countFaults(matte, { width, height, ground, subject });
}

/** Of the border that has the ground's colour, at least: else the ground is not even. */
const MIN_EVEN_SHARE = 0.5;
/** Levels from the ground's colour, 0..255 in the channel that differs most. */
const LEVELS = { onEvenBorder: 4, ground: 3, subject: 60 };

const medianOf = (values: Uint8Array): number => values.sort()[values.length >> 1]!;

function rimOf({ width, height }: Pixels): number[] {
  const across = Array.from({ length: width }, (_, x) => [x, (height - 1) * width + x]);
  const down = Array.from({ length: height }, (_, y) => [y * width, y * width + width - 1]);
  return [...across, ...down].flat();
}

/**
 * Returns what a cut-out gets wrong as its photo alone shows it: holes far from the ground's colour, and ground that is
 * joined to the photo's border but was kept.
 * @returns undefined if the photo has no even ground
 */
export function faultsByColour(matte: Matte, pixels: Pixels): GroundFaults | undefined {
  const { data, width, height } = pixels;
  const rim = rimOf(pixels);
  const [r, g, b] = [0, 1, 2].map((c) => medianOf(Uint8Array.from(rim, (i) => data[3 * i + c]!)));
  const distance = new Uint8Array(width * height);
  for (let i = 0; i < distance.length; i++)
    distance[i] = Math.max(
      Math.abs(data[3 * i]! - r!),
      Math.abs(data[3 * i + 1]! - g!),
      Math.abs(data[3 * i + 2]! - b!),
    );
  const even = rim.filter((i) => distance[i]! <= LEVELS.onEvenBorder).length;
  if (even < MIN_EVEN_SHARE * rim.length) return undefined;
  const truth = {
    width,
    height,
    ground: new Uint8Array(distance.length),
    subject: distance.map((d) => Number(d > LEVELS.subject)),
  };
  const alike = distance.map((d) => Number(d <= LEVELS.ground));
  for (const region of regionsOf(alike, width))
    if (region.some((pixel) => isOnRim(pixel, truth)))
      for (const pixel of region) truth.ground[pixel] = 1;
  return countFaults(matte, truth);
}
