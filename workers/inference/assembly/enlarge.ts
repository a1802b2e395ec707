/* Enlarges a solved picture: between its pixels, alpha is a linear function of the photo's colours. */

import { allocate, alpha, band, height, nearBand, width } from './picture.ts';
import { line } from './shrink.ts';
import { readColours, writeLine } from './window.ts';

/** Regularisation of the linear functions: keeps colour noise out of an enlarged alpha. */
const EPSILON: f64 = 3e-3;

/** Of each pixel of the picture: red, green, blue and constant, f32. */
let lines: i32 = 0;
/** Those between two rows of the picture. */
let mixed: i32 = 0;
/** Alpha of a row of the photo. */
export let enlarged: i32 = 0;

/** Fits alpha around each pixel of the band as a linear function of colour; of other pixels it is constant. */
export function fitLines(columns: i32): void {
  lines = allocate(16 * width * height);
  mixed = allocate(16 * width);
  enlarged = allocate(columns);
  for (let y = 0, pixel = 0; y < height; y++)
    for (let x = 0; x < width; x++, pixel++) {
      if (load<u8>(nearBand + pixel) === 0) continue;
      const out = lines + 16 * pixel;
      const isInside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
      if (isInside && load<u8>(band + pixel) !== 0) {
        readColours(pixel, EPSILON);
        writeLine(pixel, out);
      } else store<f32>(out, (load<u8>(alpha + pixel) as f32) / 255, 12);
    }
}

function mixRows(above: i32, below: i32, share: f32, from: i32, to: i32): void {
  const part = f32x4.splat(share);
  for (let x = from; x < to; x++) {
    const one = v128.load(lines + 16 * (above + x));
    const other = v128.load(lines + 16 * (below + x));
    v128.store(mixed + 16 * x, f32x4.add(one, f32x4.mul(f32x4.sub(other, one), part)));
  }
}

/** Four numbers of one kind between two functions. */
function between(one: i32, other: i32, shares: v128): v128 {
  const first = v128.load32_splat(one);
  return f32x4.add(first, f32x4.mul(f32x4.sub(v128.load32_splat(other), first), shares));
}

/** One channel of four pixels. */
function channel(bytes: v128, pattern: v128): v128 {
  return f32x4.convert_i32x4_u(i8x16.swizzle(bytes, pattern));
}

/** Writes the alpha of four pixels, whose colours are at `at`. */
function writeFour(one: i32, other: i32, shares: v128, at: i32, out: i32): void {
  const bytes = v128.load(at);
  const red = channel(bytes, i8x16(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1));
  const green = channel(bytes, i8x16(1, -1, -1, -1, 4, -1, -1, -1, 7, -1, -1, -1, 10, -1, -1, -1));
  const blue = channel(bytes, i8x16(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1));
  const byColours = f32x4.add(
    f32x4.add(
      f32x4.mul(red, between(one, other, shares)),
      f32x4.mul(green, between(one + 4, other + 4, shares)),
    ),
    f32x4.mul(blue, between(one + 8, other + 8, shares)),
  );
  const constant = f32x4.mul(between(one + 12, other + 12, shares), f32x4.splat(255));
  const levels = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.add(byColours, constant)));
  const words = i16x8.narrow_i32x4_s(levels, levels);
  v128.store32_lane(out, i8x16.narrow_i16x8_u(words, words), 0);
}

/**
 * Writes the alpha of the pixels `left` to `right` of row `y` of the photo, whose colours are in the line.
 * @param factor how many pixels of the photo one of the picture is long
 */
export function enlarge(y: i32, left: i32, right: i32, factor: i32): void {
  const v = clampTo(((y as f64) + 0.5) / (factor as f64) - 0.5, height);
  const row = v as i32;
  const below = min(height - 1, row + 1);
  const first = max(0, left / factor - 1);
  const last = min(width, (right - 1) / factor + 2);
  mixRows(row * width, below * width, (v - (row as f64)) as f32, first, last);
  for (let x = left; x < right; ) {
    const u = clampTo(((x as f64) + 0.5) / (factor as f64) - 0.5, width);
    const column = u as i32;
    const next = min(width - 1, column + 1);
    let share = (u - (column as f64)) as f32;
    const rise: f32 = column < width - 1 && u > 0 ? (1 as f32) / (factor as f32) : 0;
    // Pixels up to the middle of the next one of the picture lie between the same two.
    const middle = next * factor + (factor >> 1);
    const end = column === width - 1 ? right : u > 0 ? min(right, middle) : x + 1;
    for (; x < end; x += 4) {
      const shares = f32x4(share, share + rise, share + 2 * rise, share + 3 * rise);
      writeFour(
        mixed + 16 * column,
        mixed + 16 * next,
        shares,
        line + 3 * (x - left),
        enlarged + x - left,
      );
      share += 4 * rise;
    }
    x = end;
  }
}

function clampTo(position: f64, length: i32): f64 {
  return min((length - 1) as f64, max(0.0, position));
}
