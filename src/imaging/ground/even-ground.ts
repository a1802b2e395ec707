import type { MattedImage } from '../downscale.ts';
import { fitSurface, type Surface, TERMS, valueAt, writeTerms } from '../quadratic-surface.ts';

/** An even ground, and how far from it each pixel is. */
export interface EvenGround {
  /** Levels, 0..255, in the channel that differs most, in the light that falls on the ground there. */
  distance: Uint8Array;
  /** The same if a soft shadow may be on the ground. */
  shadedDistance: Uint8Array;
  /** Whether the camera or JPEG may have made goods exactly as light or dark: of a white or black ground. */
  isExtreme: boolean;
  /** The deviation of the ground's own pixels, levels. */
  noise: number;
  /** A pixel so far from the ground or less may be ground, levels. */
  tolerance: number;
}

/** Pixels that are fitted, about. */
const SAMPLES = 6000;
/** So far from the subject the ground is certain, as a share of the longer side. */
const CLEARANCE = 1 / 170;
/** Less of the image is no ground that can be measured, share. */
const MIN_SHARE = 0.03;
const FITS = 3;
/** A fit leaves out what is further away than so many deviations, or than so many levels. */
const OUTLIER = { deviations: 2.5, levels: 3 };
/** Of the samples, at least, the fit must keep. */
const MIN_FITTED_SHARE = 0.3;
/** Of a normal distribution, the standard deviation over the median one. */
const DEVIATION = 1.48;
/** An even ground deviates by less, levels, and so much of it lies within twice the tolerance, share. */
const EVEN = { maxNoise: 5, minShare: 0.85 };
const TOLERANCE = { deviations: 3, levels: 6 };
/** The light that a soft shadow leaves, at least, and that a reflection has, at most. */
const LIGHT = { min: 0.7, max: 1.02 };

/** Returns some pixels that are ground for certain. */
function sampleGround({ matte: { data, width, height } }: MattedImage): Int32Array {
  const step = Math.max(1, Math.floor(Math.sqrt((width * height) / SAMPLES)));
  const reach = Math.max(2, Math.round(CLEARANCE * Math.max(width, height)));
  const samples: number[] = [];
  for (let y = step >> 1; y < height; y += step)
    for (let x = step >> 1; x < width; x += step) {
      const [left, right] = [Math.max(0, x - reach), Math.min(width - 1, x + reach)];
      const [top, bottom] = [Math.max(0, y - reach), Math.min(height - 1, y + reach)];
      const alpha =
        data[y * width + x]! |
        data[y * width + left]! |
        data[y * width + right]! |
        data[top * width + x]! |
        data[bottom * width + x]!;
      if (alpha === 0) samples.push(y * width + x);
    }
  const all = Math.floor(width / step) * Math.floor(height / step);
  return Int32Array.from(samples.length < MIN_SHARE * all ? [] : samples);
}

/** Returns how far pixels are from a surface, levels. */
function deviationsFrom({ pixels }: MattedImage, surface: Surface, cells: Int32Array): Float64Array {
  const terms = new Float64Array(TERMS);
  return Float64Array.from(cells, (cell) => {
    writeTerms(cell, pixels, terms);
    let most = 0;
    for (let c = 0; c < 3; c++) {
      const light = Math.min(255, valueAt(surface, c, terms));
      most = Math.max(most, Math.abs(pixels.data[3 * cell + c]! - light));
    }
    return most;
  });
}

const deviationOf = (values: Float64Array): number =>
  DEVIATION * (Float64Array.from(values).sort()[values.length >> 1] ?? 0);

/** Fits a surface to the ground, and leaves out what is not on it: shadows, props, missed parts of the subject. */
function fitGround(image: MattedImage, samples: Int32Array): Surface | undefined {
  let surface = fitSurface(image.pixels, samples);
  for (let i = 0; surface && i < FITS; i++) {
    const far = deviationsFrom(image, surface, samples);
    const limit = Math.max(OUTLIER.levels, OUTLIER.deviations * deviationOf(far));
    const fitted = samples.filter((_, n) => far[n]! <= limit);
    if (fitted.length < MIN_FITTED_SHARE * samples.length) return undefined;
    surface = fitSurface(image.pixels, fitted);
  }
  return surface;
}

/** Grounds that are lighter or darker than this, levels, are white or black. */
const EXTREME = { light: 251, dark: 40 };

function isExtremeAtCentre(surface: Surface): boolean {
  const centre = [0, TERMS, 2 * TERMS].map((at) => surface[at]!);
  return Math.min(...centre) > EXTREME.light || Math.max(...centre) < EXTREME.dark;
}

/** Measures how far each pixel is from the ground. */
function measureDistances({ pixels }: MattedImage, surface: Surface) {
  const { data, width, height } = pixels;
  const count = width * height;
  const [distance, shadedDistance] = [new Uint8Array(count), new Uint8Array(count)];
  const [k0, kx, kxx] = [new Float64Array(3), new Float64Array(3), surface];
  const ground = new Float64Array(3);
  for (let row = 0, i = 0; row < height; row++) {
    const y = (2 * row + 1) / height - 1;
    for (let c = 0; c < 3; c++) {
      const at = TERMS * c;
      k0[c] = surface[at]! + surface[at + 2]! * y + surface[at + 5]! * y * y;
      kx[c] = surface[at + 1]! + surface[at + 4]! * y;
    }
    for (let column = 0; column < width; column++, i++) {
      const x = (2 * column + 1) / width - 1;
      let [along, square] = [0, 0];
      for (let c = 0; c < 3; c++) {
        const value = Math.min(255, k0[c]! + (kx[c]! + kxx[TERMS * c + 3]! * x) * x);
        ground[c] = value;
        along += value * data[3 * i + c]!;
        square += value * value;
      }
      const light = Math.min(LIGHT.max, Math.max(LIGHT.min, along / Math.max(1, square)));
      let [plain, shaded] = [0, 0];
      for (let c = 0; c < 3; c++) {
        plain = Math.max(plain, Math.abs(data[3 * i + c]! - ground[c]!));
        shaded = Math.max(shaded, Math.abs(data[3 * i + c]! - light * ground[c]!));
      }
      distance[i] = Math.min(255, plain + 0.5);
      shadedDistance[i] = Math.min(255, shaded + 0.5);
    }
  }
  return { distance, shadedDistance };
}

/**
 * Measures the ground of an image.
 * @returns undefined if it is not even: no plain backdrop, however lit
 */
export function measureEvenGround(image: MattedImage): EvenGround | undefined {
  const samples = sampleGround(image);
  const surface = samples.length > 0 ? fitGround(image, samples) : undefined;
  if (!surface) return undefined;
  const far = deviationsFrom(image, surface, samples);
  const noise = deviationOf(far);
  const tolerance = Math.max(TOLERANCE.levels, TOLERANCE.deviations * noise);
  const within = far.filter((distance) => distance <= 2 * tolerance).length;
  if (noise > EVEN.maxNoise || within < EVEN.minShare * samples.length) return undefined;
  const isExtreme = isExtremeAtCentre(surface);
  return { ...measureDistances(image, surface), isExtreme, noise, tolerance };
}
