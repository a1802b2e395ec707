import { fitSurface, type Surface, TERMS, valueAt, writeTerms } from './quadratic-surface.ts';
import type { Pixels } from './tensor.ts';

const CHANNELS = 3;
/** Fits of the surface: each leaves out what the one before found to be in shadow. */
const FITS = 8;
/** Cells that are fitted, at most. */
const MAX_SAMPLES = 20_000;
/** Darker than the surface by more than this share of it, and by more than noise: in shadow. */
const MAX_DARKER = 0.02;
const NOISE = 1.5;
/** Brighter than the surface by more than this share of it: not the backdrop. */
const MAX_BRIGHTER = 0.05;
/** The share of the cells that must lie on the surface; the rest may be in shadow. */
const MIN_LIT_SHARE = 0.6;
/** A darker backdrop hides its shadows in its noise; mean of the channels, 0..255. */
const MIN_BRIGHTNESS = 60;

/** How bright a cell is beside the surface. @returns the sums of the channels */
function compare(pixels: Pixels, cell: number, surface: Surface, terms: Float64Array) {
  writeTerms(cell, pixels, terms);
  let [light, seen] = [0, 0];
  for (let c = 0; c < CHANNELS; c++) {
    light += valueAt(surface, c, terms);
    seen += pixels.data[CHANNELS * cell + c]!;
  }
  return { light, seen };
}

function litCells(pixels: Pixels, cells: Int32Array, surface: Surface): Int32Array {
  const terms = new Float64Array(TERMS);
  return cells.filter((cell) => {
    const { light, seen } = compare(pixels, cell, surface, terms);
    return light - seen <= Math.max(MAX_DARKER * light, CHANNELS * NOISE);
  });
}

/** Returns whether most cells lie on a surface that is bright enough to show a shadow. */
function isEven(pixels: Pixels, cells: Int32Array, surface: Surface): boolean {
  const terms = new Float64Array(TERMS);
  let [brightness, lit] = [0, 0];
  for (const cell of litCells(pixels, cells, surface)) {
    const { light, seen } = compare(pixels, cell, surface, terms);
    if (seen > light * (1 + MAX_BRIGHTER)) continue;
    brightness += light / CHANNELS;
    lit++;
  }
  return lit >= MIN_LIT_SHARE * cells.length && brightness >= MIN_BRIGHTNESS * lit;
}

/** Draws a surface in the size of `pixels`. */
function draw(surface: Surface, pixels: Pixels): Float32Array {
  const light = new Float32Array(pixels.data.length);
  const terms = new Float64Array(TERMS);
  for (let cell = 0; cell < light.length / CHANNELS; cell++) {
    writeTerms(cell, pixels, terms);
    for (let c = 0; c < CHANNELS; c++) light[CHANNELS * cell + c] = valueAt(surface, c, terms);
  }
  return light;
}

/**
 * Returns the light on an even backdrop: the colours that it would have without any shadow on it, as a quadratic surface
 * over the whole image. Shadows are what stays darker than the surface when it is fitted again and again to the rest.
 * @param backdrop cells of `pixels` without subject
 * @returns three numbers a cell, 0..255; nothing if the backdrop is dark, or not even
 */
export function fitBackdropLight(pixels: Pixels, backdrop: Int32Array): Float32Array | undefined {
  const step = Math.ceil(backdrop.length / MAX_SAMPLES);
  const samples = backdrop.filter((_, i) => i % step === 0);
  let surface = fitSurface(pixels, samples);
  for (let i = 1; surface && i < FITS; i++) {
    surface = fitSurface(pixels, litCells(pixels, samples, surface));
  }
  return surface && isEven(pixels, samples, surface) ? draw(surface, pixels) : undefined;
}
