/* The colours of windows of 3 x 3 pixels, in which alpha is a linear function of colour. */

import { alpha, colours, width } from './picture.ts';

/** Pixels of a window. */
const COUNT: i32 = 9;
/** Colours, 0..1, are whole numbers here: nine times a byte, less the sum of the window's nine. */
const SCALE: f64 = 1.0 / 81.0 / 255.0 / 255.0;

/** Rows of three numbers and a zero, for red, green and blue: each pixel's colour less the mean, as whole numbers. */
export const ROW_BYTES: i32 = 32;
export const RED = memory.data(3 * ROW_BYTES, 16) as i32;
export const GREEN = memory.data(3 * ROW_BYTES, 16) as i32;
export const BLUE = memory.data(3 * ROW_BYTES, 16) as i32;
/** The same times the inverse of the covariance, so that its product with a colour of the window is a ninth of a mean. */
export const WHITE_RED = memory.data(3 * ROW_BYTES, 16) as i32;
export const WHITE_GREEN = memory.data(3 * ROW_BYTES, 16) as i32;
export const WHITE_BLUE = memory.data(3 * ROW_BYTES, 16) as i32;
/** The inverse, symmetric: rr, rg, rb, gg, gb, bb. */
const INVERSE = memory.data(48, 16) as i32;
/** Sums of bytes. */
let reds: i32 = 0;
let greens: i32 = 0;
let blues: i32 = 0;

/** Where a pixel of a window is in its rows. */
export function placeOf(k: i32): i32 {
  return ROW_BYTES * (k / 3) + 8 * (k % 3);
}

function sumOf(lanes: v128): i32 {
  return i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) + i32x4.extract_lane(lanes, 2);
}

/** Returns nine times three bytes less their sum, and zero. */
function centre(bytes: v128, sum: i32): v128 {
  const centred = i32x4.sub(i32x4.mul(bytes, i32x4.splat(COUNT)), i32x4.splat(sum));
  return v128.and(centred, i32x4(-1, -1, -1, 0));
}

function storeRow(lanes: v128, out: i32): void {
  v128.store(out, f64x2.convert_low_i32x4_s(lanes));
  v128.store(out + 16, f64x2.convert_low_i32x4_s(i64x2.shuffle(lanes, lanes, 1, 1)));
}

/** Reads a window. @param epsilon regularisation, in squared colours of 0..1 */
export function readColours(middle: i32, epsilon: f64): void {
  const first = i8x16(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, -1, -1, -1, -1);
  const second = i8x16(1, -1, -1, -1, 4, -1, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1);
  const third = i8x16(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, -1, -1, -1, -1);
  const top = colours + 3 * (middle - width - 1);
  let red = i32x4.splat(0);
  let green = red;
  let blue = red;
  for (let y = 0, row = top; y < 3; y++, row += 3 * width) {
    const bytes = v128.load(row);
    red = i32x4.add(red, i8x16.swizzle(bytes, first));
    green = i32x4.add(green, i8x16.swizzle(bytes, second));
    blue = i32x4.add(blue, i8x16.swizzle(bytes, third));
  }
  reds = sumOf(red);
  greens = sumOf(green);
  blues = sumOf(blue);
  let rr = i32x4.splat(0);
  let rg = rr;
  let rb = rr;
  let gg = rr;
  let gb = rr;
  let bb = rr;
  for (let at = 0, row = top; at < 3 * ROW_BYTES; at += ROW_BYTES, row += 3 * width) {
    const bytes = v128.load(row);
    const r = centre(i8x16.swizzle(bytes, first), reds);
    const g = centre(i8x16.swizzle(bytes, second), greens);
    const b = centre(i8x16.swizzle(bytes, third), blues);
    storeRow(r, RED + at);
    storeRow(g, GREEN + at);
    storeRow(b, BLUE + at);
    rr = i32x4.add(rr, i32x4.mul(r, r));
    rg = i32x4.add(rg, i32x4.mul(r, g));
    rb = i32x4.add(rb, i32x4.mul(r, b));
    gg = i32x4.add(gg, i32x4.mul(g, g));
    gb = i32x4.add(gb, i32x4.mul(g, b));
    bb = i32x4.add(bb, i32x4.mul(b, b));
  }
  invert(
    epsilon + SCALE * sumOf(rr),
    SCALE * sumOf(rg),
    SCALE * sumOf(rb),
    epsilon + SCALE * sumOf(gg),
    SCALE * sumOf(gb),
    epsilon + SCALE * sumOf(bb),
  );
}

function invert(rr: f64, rg: f64, rb: f64, gg: f64, gb: f64, bb: f64): void {
  const a = gg * bb - gb * gb;
  const b = rb * gb - rg * bb;
  const c = rg * gb - rb * gg;
  const scale = SCALE / (rr * a + rg * b + rb * c);
  store<f64>(INVERSE, a * scale);
  store<f64>(INVERSE, b * scale, 8);
  store<f64>(INVERSE, c * scale, 16);
  store<f64>(INVERSE, (rr * bb - rb * rb) * scale, 24);
  store<f64>(INVERSE, (rg * rb - rr * gb) * scale, 32);
  store<f64>(INVERSE, (rr * gg - rg * rg) * scale, 40);
}

function product(red: v128, green: v128, blue: v128, one: i32, two: i32, three: i32): v128 {
  return f64x2.add(
    f64x2.add(
      f64x2.mul(red, v128.load64_splat(INVERSE + one)),
      f64x2.mul(green, v128.load64_splat(INVERSE + two)),
    ),
    f64x2.mul(blue, v128.load64_splat(INVERSE + three)),
  );
}

/** Multiplies the colours by the inverse. */
export function whiten(): void {
  for (let at = 0; at < 3 * ROW_BYTES; at += 16) {
    const red = v128.load(RED + at);
    const green = v128.load(GREEN + at);
    const blue = v128.load(BLUE + at);
    v128.store(WHITE_RED + at, product(red, green, blue, 0, 8, 16));
    v128.store(WHITE_GREEN + at, product(red, green, blue, 8, 24, 32));
    v128.store(WHITE_BLUE + at, product(red, green, blue, 16, 32, 40));
  }
}

/**
 * Writes alpha, 0..1, as a linear function of colour, 0..1, by the window that was read: red, green, blue and constant,
 * four f32.
 * @see He, Sun & Tang, Guided Image Filtering, PAMI 35(6), 2013, eq. 5 and 6, for colours eq. 14
 */
export function writeLine(centre: i32, out: i32): void {
  let red: f64 = 0;
  let green: f64 = 0;
  let blue: f64 = 0;
  let mean = 0;
  let pixel = alpha + centre - width - 1;
  for (let y = 0, at = 0; y < 3; y++, at += 8, pixel += width - 3)
    for (let x = 0; x < 3; x++, at += 8, pixel++) {
      const level = load<u8>(pixel) as f64;
      red += level * load<f64>(RED + at);
      green += level * load<f64>(GREEN + at);
      blue += level * load<f64>(BLUE + at);
      mean += load<u8>(pixel);
    }
  // Colours are whole numbers of 1 / 2295, and alphas of 1 / 255; the inverse has been divided by 2295 twice.
  const toColour: f64 = 9.0;
  const r = toColour * term(red, green, blue, 0, 8, 16);
  const g = toColour * term(red, green, blue, 8, 24, 32);
  const b = toColour * term(red, green, blue, 16, 32, 40);
  store<f32>(out, r as f32);
  store<f32>(out, g as f32, 4);
  store<f32>(out, b as f32, 8);
  const line =
    (mean as f64) -
    (load<f32>(out) as f64) * reds -
    (load<f32>(out, 4) as f64) * greens -
    (load<f32>(out, 8) as f64) * blues;
  store<f32>(out, (line / (9.0 * 255.0)) as f32, 12);
}

function term(red: f64, green: f64, blue: f64, one: i32, two: i32, three: i32): f64 {
  return (
    red * load<f64>(INVERSE + one) +
    green * load<f64>(INVERSE + two) +
    blue * load<f64>(INVERSE + three)
  );
}
