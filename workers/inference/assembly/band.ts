/* Finds the pixels that are solved for. */

import { allocate, alpha, band, height, nearBand, width } from './picture.ts';

/** Alphas between these are unsure; the others count as known. */
const UNSURE_ABOVE: u8 = 40;
const UNSURE_BELOW: u8 = 215;
/** Radius of the band, as a share of the longer side: 3 pixels in a photo of 533. */
const REACH: f64 = 3.0 / 533.0;

/** Returns marks, a byte a pixel, for what is unsure or on another side of one half than the next pixels. */
function seedsAt(here: v128, right: v128, below: v128): v128 {
  const steps = v128.or(v128.xor(here, right), v128.xor(here, below));
  const unsure = v128.and(
    i8x16.gt_u(here, i8x16.splat(UNSURE_ABOVE)),
    i8x16.lt_u(here, i8x16.splat(UNSURE_BELOW)),
  );
  return v128.or(i8x16.shr_s(steps, 7), unsure);
}

/** Marks what is unsure or at a boundary of subject (half or more) and background, in a row. */
function markSeeds(y: i32, out: i32): void {
  const row = alpha + y * width;
  const below = row + (y + 1 < height ? width : 0);
  for (let x = 0; x < width; x += 16) {
    const seeds = seedsAt(v128.load(row + x), v128.load(row + x + 1), v128.load(below + x));
    v128.store(out + x, seeds);
  }
  // Nothing is to the right of the last pixel.
  const last = v128.load(row + width - 1);
  store<u8>(
    out + width - 1,
    i8x16.extract_lane_u(seedsAt(last, last, v128.load(below + width - 1)), 0),
  );
}

/** Marks in `out` what lies within `radius` pixels of a mark in a row. */
function spreadRow(marks: i32, out: i32, radius: i32): void {
  for (let ahead = 0, end = 0; ahead < width + radius; ahead++) {
    if (ahead < width && load<u8>(marks + ahead) !== 0) end = ahead + 2 * radius + 1;
    if (ahead >= radius) store<u8>(out + ahead - radius, ahead < end ? 1 : 0);
  }
}

/** Marks the squares of `2 * radius + 1` pixels a side around all seeds. @returns how many pixels */
function markBand(radius: i32): i32 {
  const seeds = allocate(width);
  const across = allocate(width);
  /** For each column, the row after the last one that is marked. */
  const marked = allocate(4 * width);
  let count = 0;
  for (let ahead = 0; ahead < height + radius; ahead++) {
    if (ahead < height) {
      markSeeds(ahead, seeds);
      spreadRow(seeds, across, radius);
      for (let x = 0; x < width; x++)
        if (load<u8>(across + x) !== 0) store<i32>(marked + 4 * x, ahead + 1);
    }
    const y = ahead - radius;
    if (y < 0) continue;
    const first = max(0, y - radius);
    for (let x = 0; x < width; x++) {
      if (load<i32>(marked + 4 * x) <= first) continue;
      store<u8>(band + y * width + x, 1);
      count++;
    }
  }
  return count;
}

/** Marks what is marked or has a marked neighbour, and a few pixels more at the sides of the picture. */
export function markNeighbours(marks: i32, out: i32): void {
  for (let y = 0; y < height; y++) {
    const row = marks + y * width;
    const above = row - (y > 0 ? width : 0);
    const below = row + (y + 1 < height ? width : 0);
    for (let x = 0; x < width; x += 16) {
      const left = v128.or(
        v128.or(v128.load(above + x - 1), v128.load(row + x - 1)),
        v128.load(below + x - 1),
      );
      const middle = v128.or(
        v128.or(v128.load(above + x), v128.load(row + x)),
        v128.load(below + x),
      );
      const right = v128.or(
        v128.or(v128.load(above + x + 1), v128.load(row + x + 1)),
        v128.load(below + x + 1),
      );
      v128.store(out + y * width + x, v128.or(v128.or(left, middle), right));
    }
  }
}

/** Finds the pixels close to a boundary or to an unsure pixel. @returns how many there are */
export function findBand(): i32 {
  const reach = nearest(REACH * (max(width, height) as f64));
  const count = markBand(max(1, reach as i32));
  markNeighbours(band, nearBand);
  return count;
}
