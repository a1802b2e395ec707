/* Shrinks rows of a photo and its matte to the picture that is solved: means of blocks. */

import { allocate, alpha, colours, width } from './picture.ts';

/** A row of the photo goes here, a byte a pixel or three. */
export let line: i32 = 0;
/** Sums over the rows of a block, u16: no picture has so many blocks of more than 257 rows. */
let sums: i32 = 0;

export function setLine(columns: i32): void {
  line = allocate(3 * columns);
  sums = allocate(6 * columns);
}

/** Adds the first bytes of the row. */
export function addRow(bytesOfRow: i32): void {
  v128.store(line + bytesOfRow, i8x16.splat(0));
  for (let i = 0; i < bytesOfRow; i += 16) {
    const bytes = v128.load(line + i);
    const at = sums + 2 * i;
    v128.store(at, i16x8.add(v128.load(at), i16x8.extend_low_i8x16_u(bytes)));
    v128.store(at + 16, i16x8.add(v128.load(at + 16), i16x8.extend_high_i8x16_u(bytes)));
  }
}

/** Sums of one channel of a block, and clears them. */
function takeSum(at: i32, end: i32, step: i32): i32 {
  let sum = 0;
  for (; at < end; at += step) {
    sum += load<u16>(at);
    store<u16>(at, 0);
  }
  return sum;
}

/** Writes alphas of row `y` of the picture. @param rows that were added */
export function endAlpha(y: i32, rows: i32, factor: i32, columns: i32): void {
  for (let x = 0, at = sums; x < width; x++) {
    const count = min(factor, columns - x * factor);
    const end = at + 2 * count;
    const sum = takeSum(at, end, 2);
    store<u8>(alpha + y * width + x, ((sum as f64) * (1.0 / ((rows * count) as f64)) + 0.5) as u8);
    at = end;
  }
}

/** Writes colours of the pixels `from` to `to` of row `y` of the picture. */
export function endColours(y: i32, rows: i32, factor: i32, columns: i32, from: i32, to: i32): void {
  for (let x = from; x < to; x++) {
    const count = min(factor, columns - x * factor);
    const at = sums + 6 * factor * (x - from);
    const share = 1.0 / ((rows * count) as f64);
    const out = colours + 3 * (y * width + x);
    for (let c = 0; c < 3; c++) {
      const sum = takeSum(at + 2 * c, at + 6 * count, 6);
      store<u8>(out + c, ((sum as f64) * share + 0.5) as u8);
    }
  }
}
