import { fitSurface, type Surface, TERMS, valueAt, writeTerms } from './ground/even-ground.ts';
import {
  endBefore,
  firstFrom,
  type Matte,
  type MattedImage,
  type Pixels,
  wordsOf,
} from './picture.ts';
import { boxSums, regionsFrom } from './regions.ts';

const CHANNELS = 3;
/** Fits of the surface: each leaves out what the one before found to be in shadow. */
const FITS = 8;
/** Cells that are fitted, at most. */
const MAX_SAMPLES = 20_000;
/** Darker than the surface by more than this share of it, and by more than noise: in shadow. */
const MAX_DARKER = 0.02;
const NOISE_LEVELS = 1.5;
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
    return light - seen <= Math.max(MAX_DARKER * light, CHANNELS * NOISE_LEVELS);
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
function fitBackdropLight(pixels: Pixels, backdrop: Int32Array): Float32Array | undefined {
  const step = Math.ceil(backdrop.length / MAX_SAMPLES);
  const samples = backdrop.filter((_, i) => i % step === 0);
  let surface = fitSurface(pixels, samples);
  for (let i = 1; surface && i < FITS; i++) {
    surface = fitSurface(pixels, litCells(pixels, samples, surface));
  }
  return surface && isEven(pixels, samples, surface) ? draw(surface, pixels) : undefined;
}

/** Averages blocks of `factor` x `factor` alphas; blocks at the right and lower edge may be smaller. */
function downscaleMatte({ data, ...size }: Matte, factor: number): Matte {
  const width = Math.ceil(size.width / factor);
  const height = Math.ceil(size.height / factor);
  const small = new Uint8Array(width * height);
  const sums = new Int32Array(width);
  const words = wordsOf(data);
  for (let row = 0, cell = 0; row < height; row++) {
    sums.fill(0);
    const rows = Math.min(factor, size.height - row * factor);
    for (let y = row * factor; y < row * factor + rows; y++) {
      const start = y * size.width;
      const first = firstFrom(data, words, start, start + size.width, 1) - start;
      const end = endBefore(data, words, start + first, start + size.width, 1);
      for (let x = Math.floor(first / factor), i = start + x * factor; i < end; x++) {
        let sum = 0;
        for (const next = Math.min(end, i + factor); i < next; i++) sum += data[i]!;
        sums[x]! += sum;
      }
    }
    for (let x = 0; x < width; x++, cell++)
      small[cell] = sums[x]! * (1 / (rows * Math.min(factor, size.width - x * factor))) + 0.5;
  }
  return { data: small, width, height };
}

/** Averages blocks of colours likewise. */
function downscaleColours({ data, ...size }: Pixels, factor: number): Pixels {
  const width = Math.ceil(size.width / factor);
  const height = Math.ceil(size.height / factor);
  const small = new Uint8Array(3 * width * height);
  for (let row = 0, cell = 0; row < height; row++) {
    const rows = Math.min(factor, size.height - row * factor);
    for (let x = 0; x < width; x++, cell++) {
      const columns = Math.min(factor, size.width - x * factor);
      let [red, green, blue] = [0, 0, 0];
      for (let y = 0; y < rows; y++) {
        let p = 3 * ((row * factor + y) * size.width + x * factor);
        for (const end = p + 3 * columns; p < end; p += 3) {
          red += data[p]!;
          green += data[p + 1]!;
          blue += data[p + 2]!;
        }
      }
      const share = 1 / (rows * columns);
      small[3 * cell] = red * share + 0.5;
      small[3 * cell + 1] = green * share + 0.5;
      small[3 * cell + 2] = blue * share + 0.5;
    }
  }
  return { data: small, width, height };
}

export const downscale = ({ pixels, matte }: MattedImage, factor: number): MattedImage => ({
  pixels: downscaleColours(pixels, factor),
  matte: downscaleMatte(matte, factor),
});

/** A shadow is soft: it is measured on an image of this longest side at most, pixels. */
const MAX_SIDE_CELLS = 384;
/** Less than this is noise, from the upper one on all counts: shares of the backdrop's light. */
const NOISE = 0.02;
const CERTAIN = 0.05;
/** What is measured this near to the subject, cells, may be its edge. */
const EDGE_CELLS = 2;
/** How far what was measured around the subject is continued below its edge, cells: from as near as possible. */
const BELOW_CELLS = [3, 6] as const;

/** Returns how much light a cell lacks, 0..1: in the channel that lacks least, as shadows have no colour. */
function darknessAt(colours: Uint8Array, light: Float32Array, cell: number): number {
  let darkness = 1;
  for (let i = 3 * cell; i < 3 * cell + 3; i++) {
    darkness = Math.min(darkness, 1 - colours[i]! / Math.max(1, light[i]!));
  }
  return darkness * Math.min(1, Math.max(0, (darkness - NOISE) / (CERTAIN - NOISE)));
}

/** Removes what is not connected with the subject: stains, and shadows of other things. */
function dropOthers(darkness: Float32Array, { data, width, height }: Matte): void {
  const joined = darkness.map((value, i) => (data[i]! > 0 ? 1 : value));
  const kept = new Float32Array(darkness.length);
  for (const cells of regionsFrom({ data: joined, width, height }, NOISE))
    if (cells.some((cell) => data[cell]! > 0))
      for (const cell of cells) kept[cell] = darkness[cell]!;
  darkness.set(kept);
}

/** Continues what was measured below the subject's edge, where it shows through. */
function continueBelow(darkness: Float32Array, isKnown: Float32Array, size: Matte): void {
  const measured = darkness.slice();
  const filled = isKnown.slice();
  for (const radius of BELOW_CELLS) {
    const sums = boxSums(measured, size, 1, radius);
    const counts = boxSums(isKnown, size, 1, radius);
    for (let i = 0; i < darkness.length; i++) {
      if (filled[i] || counts[i]! < 0.5) continue;
      darkness[i] = sums[i]! / counts[i]!;
      filled[i] = 1;
    }
  }
}

/**
 * Measures the soft shadow that a subject casts on an even backdrop.
 * @param image as photographed, with the subject's matte
 * @returns its opacity at a smaller size, as a matte of black; nothing if the backdrop is not even
 */
export function measureOwnShadow(image: MattedImage): Matte | undefined {
  const { width, height } = image.pixels;
  const factor = Math.ceil(Math.max(width, height) / MAX_SIDE_CELLS);
  const { pixels, matte } = downscale(image, factor);
  const subject = Float32Array.from(matte.data, (alpha) => Number(alpha > 0));
  const isKnown = boxSums(subject, matte, 1, EDGE_CELLS).map((sum) => Number(sum < 0.5));
  const cells = Int32Array.from(isKnown.keys()).filter((cell) => isKnown[cell] === 1);
  const light = fitBackdropLight(pixels, cells);
  if (!light) return undefined;
  const darkness = isKnown.map((known, i) => known && darknessAt(pixels.data, light, i));
  continueBelow(darkness, isKnown, matte);
  dropOthers(darkness, matte);
  return { ...matte, data: Uint8Array.from(darkness, (share) => Math.round(255 * share)) };
}
