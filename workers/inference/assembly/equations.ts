/*
 * The matting Laplacian over a band, and its solution. Pixels around the band count as known, wholly subject or wholly
 * background.
 *
 * Over all windows k that hold both i and j, with n pixels a window, mean m and covariance C of its colours I:
 * L(i,j) = sum of [i = j] - (1 + (I_i - m)' (C + eps / n)^-1 (I_j - m)) / n: Levin, Lischinski & Weiss, A Closed-Form
 * Solution to Natural Image Matting, PAMI 30(2), 2008, eq. 12.
 */

import { allocate, alpha, band, height, nearBand, width } from './picture.ts';
import {
  BLUE,
  GREEN,
  placeOf,
  RED,
  ROW_BYTES,
  readColours,
  WHITE_BLUE,
  WHITE_GREEN,
  WHITE_RED,
  whiten,
} from './window.ts';

/**
 * Regularisation of the linear model of alpha in a window: Levin's epsilon times the nine pixels of a window. Has the
 * smallest edge error of 1e-7 to 1e-3 on the composites of the evaluation set.
 */
const EPSILON: f64 = 1e-6;

/**
 * An equation's coefficients, f64. It has those of pixels that follow: two to the right and five in each of the two rows
 * below; the matrix is symmetric. Then its diagonal, right-hand side, and the reciprocal of the diagonal.
 */
export const EQUATION_BYTES: i32 = 128;
export const BELOW: i32 = 16;
export const FURTHER_BELOW: i32 = 56;
export const DIAGONAL: i32 = 96;
export const RHS: i32 = 104;
export const RECIPROCAL: i32 = 112;

/** Of the unknowns, by ordinal from 1: their equations and their pixels. Number 0 takes what known pixels would get. */
export let equations: i32 = 0;
export let pixels: i32 = 0;
/** The ordinal of each pixel; 0 if it is known. */
let ordinals: i32 = 0;

/** Ordinals of a window's pixels, and for those that are known subject 1. */
const WINDOW_EQUATIONS = memory.data(36, 4) as i32;
const WINDOW_SUBJECT = memory.data(3 * ROW_BYTES, 16) as i32;
/** A ninth for each of three pixels, and zero. */
const NINTHS = memory.data<f64>([1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 0.0]) as i32;

function numberUnknowns(count: i32): void {
  ordinals = allocate(4 * width * height);
  pixels = allocate(4 * (count + 1));
  equations = allocate(EQUATION_BYTES * (count + 1));
  for (let pixel = 0, ordinal = 0; pixel < width * height; pixel++) {
    if (load<u8>(band + pixel) === 0) continue;
    ordinal++;
    store<i32>(ordinals + 4 * pixel, ordinal);
    store<i32>(pixels + 4 * ordinal, pixel);
  }
}

/** Reads which pixels of a window are known. @returns how many are known subject */
function readKnown(centre: i32): i32 {
  let subject = 0;
  let pixel = centre - width - 1;
  for (let y = 0, at = 0, k = 0; y < 3; y++, at += 8, pixel += width - 3)
    for (let x = 0; x < 3; x++, at += 8, k += 4, pixel++) {
      const ordinal = load<i32>(ordinals + 4 * pixel);
      const isSubject = ordinal === 0 && load<i8>(alpha + pixel) < 0 ? 1 : 0;
      store<i32>(WINDOW_EQUATIONS + k, equations + EQUATION_BYTES * ordinal);
      store<f64>(WINDOW_SUBJECT + at, isSubject as f64);
      subject += isSubject;
    }
  return subject;
}

function terms(red: v128, green: v128, blue: v128, row: i32): v128 {
  return f64x2.add(
    f64x2.add(f64x2.mul(red, v128.load(RED + row)), f64x2.mul(green, v128.load(GREEN + row))),
    f64x2.mul(blue, v128.load(BLUE + row)),
  );
}

/** Subtracts the terms of a pixel with the three of a row from the coefficients at `out`. */
function subtractRow(red: v128, green: v128, blue: v128, row: i32, out: i32): void {
  const first = f64x2.add(terms(red, green, blue, row), v128.load(NINTHS));
  const last = f64x2.add(terms(red, green, blue, row + 16), v128.load(NINTHS + 16));
  v128.store(out, f64x2.sub(v128.load(out), first));
  v128.store(out + 16, f64x2.sub(v128.load(out + 16), last));
}

/** Returns the term of two pixels of the window. */
function termOf(one: i32, two: i32): f64 {
  return (
    1.0 / 9.0 +
    load<f64>(WHITE_RED + one) * load<f64>(RED + two) +
    load<f64>(WHITE_GREEN + one) * load<f64>(GREEN + two) +
    load<f64>(WHITE_BLUE + one) * load<f64>(BLUE + two)
  );
}

/** Adds the terms of a window to the equations of its pixels. */
function addWindow(centre: i32): void {
  readColours(centre, EPSILON);
  whiten();
  const subject = readKnown(centre);
  for (let k = 0; k < 9; k++) {
    const equation = load<i32>(WINDOW_EQUATIONS + 4 * k);
    const at = placeOf(k);
    const column = k % 3;
    const red = v128.load64_splat(WHITE_RED + at);
    const green = v128.load64_splat(WHITE_GREEN + at);
    const blue = v128.load64_splat(WHITE_BLUE + at);
    if (k < 6)
      subtractRow(red, green, blue, at - 8 * column + 32, equation + BELOW + 16 - 8 * column);
    if (k < 3)
      subtractRow(
        red,
        green,
        blue,
        at - 8 * column + 64,
        equation + FURTHER_BELOW + 16 - 8 * column,
      );
    if (column < 2) store<f64>(equation, load<f64>(equation) - termOf(at, at + 8));
    if (column === 0) store<f64>(equation, load<f64>(equation, 8) - termOf(at, at + 16), 8);
    store<f64>(equation, load<f64>(equation, DIAGONAL) + 1 - termOf(at, at), DIAGONAL);
    if (subject > 0) addKnown(equation, at, subject);
  }
}

/** Adds the terms of a pixel with those that are known subject to its right-hand side. */
function addKnown(equation: i32, at: i32, count: i32): void {
  let red: f64 = 0;
  let green: f64 = 0;
  let blue: f64 = 0;
  for (let place = 0; place < 3 * ROW_BYTES; place += 8) {
    const isSubject = load<f64>(WINDOW_SUBJECT + place);
    red += isSubject * load<f64>(RED + place);
    green += isSubject * load<f64>(GREEN + place);
    blue += isSubject * load<f64>(BLUE + place);
  }
  const sum =
    (count as f64) / 9.0 +
    load<f64>(WHITE_RED + at) * red +
    load<f64>(WHITE_GREEN + at) * green +
    load<f64>(WHITE_BLUE + at) * blue;
  store<f64>(equation, load<f64>(equation, RHS) + sum, RHS);
}

/** Writes the equations of the pixels of the band. @param count of them */
export function writeEquations(count: i32): void {
  numberUnknowns(count);
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, centre = y * width + 1; x < width - 1; x++, centre++)
      if (load<u8>(nearBand + centre) !== 0) addWindow(centre);
}
