import type { Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';

/** An image and its matte, of the same size. */
export interface MattedImage {
  pixels: Pixels;
  matte: Matte;
}

/** Adds one row to the sums of its blocks, four a block: red, green, blue, alpha. */
function addRow({ pixels, matte }: MattedImage, y: number, factor: number, sums: Int32Array): void {
  const { data, width } = pixels;
  const alphas = matte.data;
  const end = (y + 1) * width;
  for (let cell = 0, i = y * width; i < end; cell += 4) {
    let [red, green, blue, alpha] = [0, 0, 0, 0];
    for (const next = Math.min(end, i + factor); i < next; i++) {
      red += data[3 * i]!;
      green += data[3 * i + 1]!;
      blue += data[3 * i + 2]!;
      alpha += alphas[i]!;
    }
    sums[cell]! += red;
    sums[cell + 1]! += green;
    sums[cell + 2]! += blue;
    sums[cell + 3]! += alpha;
  }
}

/** Averages blocks of `factor` x `factor` pixels; blocks at the right and lower edge may be smaller. */
export function downscale(image: MattedImage, factor: number): MattedImage {
  const { pixels } = image;
  const width = Math.ceil(pixels.width / factor);
  const height = Math.ceil(pixels.height / factor);
  const small = new Uint8Array(3 * width * height);
  const alpha = new Uint8Array(width * height);
  const sums = new Int32Array(4 * width);
  for (let row = 0, i = 0; row < height; row++) {
    sums.fill(0);
    const rows = Math.min(factor, pixels.height - row * factor);
    for (let r = 0; r < rows; r++) addRow(image, row * factor + r, factor, sums);
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
