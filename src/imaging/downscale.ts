import type { Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';

/** A picture and its matte. */
export interface Pair {
  pixels: Pixels;
  matte: Matte;
}

/** Adds the squares of `factor` pixels a side of one row to sums, four a square: red, green, blue, alpha. */
function addRow({ pixels, matte }: Pair, y: number, factor: number, sums: Float32Array): void {
  const { data, width } = pixels;
  for (let x = 0, cell = 0, inside = 0, i = y * width; x < width; x++, i++) {
    sums[cell]! += data[3 * i]!;
    sums[cell + 1]! += data[3 * i + 1]!;
    sums[cell + 2]! += data[3 * i + 2]!;
    sums[cell + 3]! += matte.data[i]!;
    if (++inside < factor) continue;
    inside = 0;
    cell += 4;
  }
}

/** Means over squares of `factor` pixels a side; at the right and lower end over what is there. */
export function shrunk(pair: Pair, factor: number): Pair {
  const { pixels } = pair;
  const width = Math.ceil(pixels.width / factor);
  const height = Math.ceil(pixels.height / factor);
  const small = new Uint8Array(3 * width * height);
  const alpha = new Uint8Array(width * height);
  const sums = new Float32Array(4 * width);
  for (let row = 0, i = 0; row < height; row++) {
    sums.fill(0);
    const rows = Math.min(factor, pixels.height - row * factor);
    for (let r = 0; r < rows; r++) addRow(pair, row * factor + r, factor, sums);
    for (let x = 0; x < width; x++, i++) {
      const share = 1 / (rows * Math.min(factor, pixels.width - x * factor));
      for (let c = 0; c < 3; c++) small[3 * i + c] = sums[4 * x + c]! * share + 0.5;
      alpha[i] = sums[4 * x + 3]! * share + 0.5;
    }
  }
  return {
    pixels: { data: small, width, height },
    matte: { data: alpha, width, height },
  };
}
