import type { Matte, MattedImage, Rgb } from '../picture.ts';

/** Half of alpha: the outline runs between pixels above and below it. */
const HALF = 128;
const OPAQUE = 250;
const CLEAR = 5;
/** From this distance to the outline on a pixel is ground, or subject: pixels in an image of 1,000; more in larger ones. */
const REACH = 5;
/** Of so many pixels at each end the colours are averaged: grain and the blocks of JPEG do not count. */
const END_PIXELS = 3;
/** A longest side up to which each pixel across the outline counts; in larger images each second, third … */
const FINE_SIDE = 3000;
/** Subject and old ground must differ by this to tell, and old and new ground for a fringe to be seen; 0..441. */
const MIN_CONTRAST = 40;
/** From this share of the way from the old ground's colour to the subject's on, an opaque pixel is the subject's. */
const MIN_SUBJECT_SHARE = 0.7;
/** A colour is neither's if it lies off that way by more than this share of it. */
const MAX_OFF_WAY = 0.5;
/** So much of the old ground shows in a fringe: the sum of alpha across the outline. */
const MIN_VISIBLE = 0.75;
/** Nothing is said if it can be told at fewer places than these, or at a smaller share of the outline. */
const MIN_PLACES = 40;
const MIN_PLACES_SHARE = 0.25;

type Colour = [number, number, number];

/** A line across the outline: the pixels at so many steps from it, into the subject or, if negative, out of it. */
interface Crossing {
  edge: number;
  at(steps: number): number;
  /** Steps to where there is only subject or only ground. */
  reach: number;
}

const isOutline = (alpha: Uint8Array, width: number, i: number): boolean =>
  alpha[i]! >= HALF &&
  (alpha[i - 1]! < HALF ||
    alpha[i + 1]! < HALF ||
    alpha[i - width]! < HALF ||
    alpha[i + width]! < HALF);

/** Returns the direction into the subject, of length 1: where alpha rises in the 5 x 5 pixels around; or undefined. */
function inward(alpha: Uint8Array, width: number, i: number): [number, number] | undefined {
  let across = 0;
  let down = 0;
  for (let dy = -2; dy <= 2; dy++)
    for (let dx = -2; dx <= 2; dx++) {
      const a = alpha[i + dy * width + dx]!;
      across += dx * a;
      down += dy * a;
    }
  const length = Math.hypot(across, down);
  return length > 0 ? [across / length, down / length] : undefined;
}

/**
 * Calls `visit` for each place on the outline with opaque subject on one side and nothing of it on the other.
 * @returns the number of all places on the outline
 */
function eachCrossing({ matte }: MattedImage, visit: (crossing: Crossing) => void): number {
  const { data, width, height } = matte;
  const longest = Math.max(width, height);
  const step = Math.max(1, longest / FINE_SIDE);
  const reach = Math.floor((REACH * Math.max(1, longest / 1000)) / step);
  const margin = Math.ceil(reach * step) + 2;
  let places = 0;
  for (let y = margin; y < height - margin; y++)
    for (let x = margin; x < width - margin; x++) {
      const edge = y * width + x;
      if (!isOutline(data, width, edge)) continue;
      const direction = inward(data, width, edge);
      if (!direction) continue;
      places++;
      const [across, down] = direction;
      const at = (steps: number) =>
        edge + Math.round(down * steps * step) * width + Math.round(across * steps * step);
      if (data[at(reach)]! >= OPAQUE && data[at(-reach)]! <= CLEAR) visit({ edge, at, reach });
    }
  return places;
}

const colourAt = (data: Uint8Array, pixel: number): Colour => [
  data[3 * pixel]!,
  data[3 * pixel + 1]!,
  data[3 * pixel + 2]!,
];

/** Returns the mean colour at the end of a line. @param side 1 for the subject's, -1 for the ground's */
function endColour(data: Uint8Array, { at, reach }: Crossing, side: 1 | -1): Colour {
  const mean: Colour = [0, 0, 0];
  for (let back = 0; back < END_PIXELS; back++)
    for (const [c, value] of colourAt(data, at(side * (reach - back))).entries())
      mean[c]! += value / END_PIXELS;
  return mean;
}

const dot = (a: Colour, b: Colour): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: Colour, b: Colour): Colour => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/**
 * Returns how much of the old ground shows before the subject begins: the sum of alpha along a line, of each pixel as far
 * as its colour is the ground's.
 * @param way from the ground's colour to the subject's
 */
function visibleGround(image: MattedImage, line: Crossing, ground: Colour, way: Colour): number {
  const colours = image.pixels.data;
  const contrast = dot(way, way);
  let visible = 0;
  for (let steps = -line.reach; steps <= line.reach; steps++) {
    const pixel = line.at(steps);
    const alpha = image.matte.data[pixel]!;
    const offset = minus(colourAt(colours, pixel), ground);
    const share = dot(offset, way) / contrast;
    if (alpha >= OPAQUE && share >= MIN_SUBJECT_SHARE) break;
    const offWay = dot(offset, offset) - share * share * contrast;
    if (offWay > MAX_OFF_WAY * MAX_OFF_WAY * contrast) continue;
    visible += (alpha / 255) * Math.min(1, Math.max(0, 1 - share));
  }
  return visible;
}

/** Returns whether a line shows a fringe; undefined if it cannot be told. */
function isFringed(
  image: MattedImage,
  line: Crossing,
  newGround: Colour | undefined,
): boolean | undefined {
  const ground = endColour(image.pixels.data, line, -1);
  const way = minus(endColour(image.pixels.data, line, 1), ground);
  const differ = (difference: Colour) => dot(difference, difference) >= MIN_CONTRAST * MIN_CONTRAST;
  if (!differ(way) || (newGround && !differ(minus(newGround, ground)))) return undefined;
  return visibleGround(image, line, ground, way) > MIN_VISIBLE;
}

/** Returns the places with a fringe, and their share of all where it could be told. */
function findFringe(image: MattedImage, newGround: Rgb | undefined) {
  const covering: Colour | undefined = newGround && [newGround.r, newGround.g, newGround.b];
  const fringed: number[] = [];
  let told = 0;
  const places = eachCrossing(image, (line) => {
    const isFound = isFringed(image, line, covering);
    if (isFound === undefined) return;
    told++;
    if (isFound) fringed.push(line.edge);
  });
  const isTold = told >= Math.max(MIN_PLACES, MIN_PLACES_SHARE * places);
  return { fringed, share: isTold ? fringed.length / told : 0 };
}

/**
 * Returns the share of the outline, 0..1, that shows the old ground; 0 if it cannot be told.
 * @param image the photo with its matte: outside of it the old ground is still there
 * @param newGround where the old ground has its colour a fringe is not seen, and not counted; transparent if absent
 */
export const fringeShare = (image: MattedImage, newGround: Rgb | undefined): number =>
  findFringe(image, newGround).share;

/** Takes a layer of one pixel off a matte within two pixels of some places, in place. */
function peel(matte: Matte, places: readonly number[]): void {
  const { data, width, height } = matte;
  const before = data.slice();
  const lowest = (i: number) =>
    Math.min(before[i]!, before[i - 1]!, before[i + 1]!, before[i - width]!, before[i + width]!);
  for (const place of places)
    for (let dy = -2; dy <= 2; dy++)
      for (let dx = -2; dx <= 2; dx++) {
        const x = (place % width) + dx;
        const y = Math.floor(place / width) + dy;
        if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) continue;
        const i = y * width + x;
        data[i] = Math.min(data[i]!, lowest(i));
      }
}

/** Layers of a fringe that are taken off at most, pixels in an image of 1,000. */
const MAX_PEELS = 6;

/**
 * Takes a fringe of the old ground off a matte, in place: layer by layer, where there is one.
 * @param maxShare of the outline that may stay fringed
 */
export function trimFringe(image: MattedImage, newGround: Rgb | undefined, maxShare: number): void {
  const { width, height } = image.matte;
  const peels = Math.ceil(MAX_PEELS * Math.max(1, Math.max(width, height) / 1000));
  for (let done = 0; done < peels; done++) {
    const { fringed, share } = findFringe(image, newGround);
    if (share <= maxShare) return;
    peel(image.matte, fringed);
  }
}
