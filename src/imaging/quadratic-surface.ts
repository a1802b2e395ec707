import type { Size } from './layout.ts';
import type { Pixels } from './tensor.ts';

/** Terms of a quadratic surface: 1, x, y, x², xy, y². */
export const TERMS = 6;
const CHANNELS = 3;

/** A quadratic surface for each channel: the coefficients of red, then of green, then of blue. */
export type Surface = Float64Array;

/** Writes the terms at the centre of a cell; coordinates are -1..1. */
export function writeTerms(cell: number, { width, height }: Size, terms: Float64Array): void {
  const x = (2 * (cell % width) + 1) / width - 1;
  const y = (2 * Math.floor(cell / width) + 1) / height - 1;
  terms[0] = 1;
  terms[1] = x;
  terms[2] = y;
  terms[3] = x * x;
  terms[4] = x * y;
  terms[5] = y * y;
}

/** Returns a channel of the surface where the terms were written. */
export function valueAt(surface: Surface, channel: number, terms: Float64Array): number {
  let value = 0;
  for (let i = 0; i < TERMS; i++) value += surface[TERMS * channel + i]! * terms[i]!;
  return value;
}

/** Solves `rows`, a square matrix beside three right sides, by Gauss-Jordan elimination, in place. */
function solve(rows: Float64Array[]): Surface | undefined {
  for (const [pivot, row] of rows.entries()) {
    const scale = row[pivot]!;
    if (Math.abs(scale) < 1e-6) return undefined; // too few cells, or all in one line
    for (let i = 0; i < row.length; i++) row[i]! /= scale;
    for (const other of rows) {
      const factor = other === row ? 0 : other[pivot]!;
      for (let i = 0; i < row.length; i++) other[i]! -= factor * row[i]!;
    }
  }
  return Float64Array.from({ length: CHANNELS * TERMS }, (_, i) => {
    const channel = Math.floor(i / TERMS);
    return rows[i % TERMS]![TERMS + channel]!;
  });
}

/** Fits a surface to the colours of cells by least squares; undefined if there are too few. */
export function fitSurface(pixels: Pixels, cells: Int32Array): Surface | undefined {
  const rows = Array.from({ length: TERMS }, () => new Float64Array(TERMS + CHANNELS));
  const values = new Float64Array(TERMS + CHANNELS);
  for (const cell of cells) {
    writeTerms(cell, pixels, values);
    for (let c = 0; c < CHANNELS; c++) values[TERMS + c] = pixels.data[CHANNELS * cell + c]!;
    for (let i = 0; i < TERMS; i++) {
      const row = rows[i]!;
      const value = values[i]!;
      for (let j = i; j < row.length; j++) row[j]! += value * values[j]!;
    }
  }
  for (const [i, row] of rows.entries()) for (let j = 0; j < i; j++) row[j] = rows[j]![i]!;
  return solve(rows);
}
