import type { MattedImage } from '../downscale.ts';
import type { Rgb } from '../image-border.ts';
import type { Matte } from '../matte.ts';

/** Half of alpha: the outline runs between pixels above and below it. */
const HALF = 128;
const OPAQUE = 250;
const CLEAR = 5;
/** Where colours are compared, pixels from the outline in an image of 1,000; more in larger ones. */
const RIM = 1;
const INSIDE = 6;
const OUTSIDE = 6;
/** Subject and old ground must differ by this to tell, and old and new ground for a fringe to be seen; 0..441. */
const MIN_CONTRAST = 40;
/** The rim belongs to the old ground if its colour lies below this on the way from there to the subject's. */
const MAX_SUBJECT_SHARE = 0.4;
/** Below this number of places nothing is said. */
const MIN_PLACES = 40;

/** Places across the outline, offsets of pixels. */
interface Crossing {
  edge: number;
  rim: number;
  inside: number;
  outside: number;
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

/** Calls `visit` for each place on the outline with opaque subject on one side and nothing of it on the other. */
function eachCrossing({ matte }: MattedImage, visit: (crossing: Crossing) => void): void {
  const { data, width, height } = matte;
  const scale = Math.max(1, Math.max(width, height) / 1000);
  const margin = Math.ceil(Math.max(INSIDE, OUTSIDE) * scale) + 2;
  for (let y = margin; y < height - margin; y++)
    for (let x = margin; x < width - margin; x++) {
      const i = y * width + x;
      if (!isOutline(data, width, i)) continue;
      const direction = inward(data, width, i);
      if (!direction) continue;
      const [across, down] = direction;
      const away = (distance: number) =>
        i + Math.round(down * distance * scale) * width + Math.round(across * distance * scale);
      const inside = away(INSIDE);
      const outside = away(-OUTSIDE);
      if (data[inside]! >= OPAQUE && data[outside]! <= CLEAR)
        visit({ edge: i, rim: away(RIM), inside, outside });
    }
}

/** Returns how much of a colour is the subject's, on the way from the old ground; undefined if both are alike. */
function subjectShareOf(data: Uint8Array, { rim, inside, outside }: Crossing): number | undefined {
  let along = 0;
  let contrast = 0;
  for (let c = 0; c < 3; c++) {
    const ground = data[3 * outside + c]!;
    const span = data[3 * inside + c]! - ground;
    along += span * (data[3 * rim + c]! - ground);
    contrast += span * span;
  }
  return contrast < MIN_CONTRAST * MIN_CONTRAST ? undefined : along / contrast;
}

const differs = (data: Uint8Array, pixel: number, { r, g, b }: Rgb): boolean =>
  Math.hypot(data[3 * pixel]! - r, data[3 * pixel + 1]! - g, data[3 * pixel + 2]! - b) >=
  MIN_CONTRAST;

/** Returns the places with a fringe, and the number of all places where it could be told. */
function findFringe(image: MattedImage, newGround: Rgb | undefined) {
  const { data } = image.pixels;
  const fringed: number[] = [];
  let places = 0;
  eachCrossing(image, (crossing) => {
    if (newGround && !differs(data, crossing.outside, newGround)) return;
    const share = subjectShareOf(data, crossing);
    if (share === undefined) return;
    places++;
    if (share < MAX_SUBJECT_SHARE) fringed.push(crossing.edge);
  });
  return { fringed, share: places < MIN_PLACES ? 0 : fringed.length / places };
}

/**
 * Returns the share of the outline, 0..1, whose rim has the colour of the old ground; 0 if it can be told nowhere.
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
 * @returns whether anything has changed
 */
export function trimFringe(
  image: MattedImage,
  newGround: Rgb | undefined,
  maxShare: number,
): boolean {
  const { width, height } = image.matte;
  const peels = Math.ceil(MAX_PEELS * Math.max(1, Math.max(width, height) / 1000));
  for (let done = 0; done < peels; done++) {
    const { fringed, share } = findFringe(image, newGround);
    if (share <= maxShare) return done > 0;
    peel(image.matte, fringed);
  }
  return true;
}
