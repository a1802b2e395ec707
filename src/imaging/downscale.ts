import type { Matte } from './matte.ts';
import { endBefore, firstFrom, wordsOf } from './subject-box.ts';
import type { Pixels } from './tensor.ts';

/** An image and its matte, of the same size. */
export interface MattedImage {
  pixels: Pixels;
  matte: Matte;
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

/** Averages blocks of an image and its matte. */
export const downscale = ({ pixels, matte }: MattedImage, factor: number): MattedImage => ({
  pixels: downscaleColours(pixels, factor),
  matte: downscaleMatte(matte, factor),
});
