import type { MattedImage } from './downscale.ts';
import type { Size } from './layout.ts';
import type { Matte } from './matte.ts';
import type { Box } from './subject-box.ts';
import type { Pixels } from './tensor.ts';

/** Bytes per pixel of colours; a matte has one. */
const RGB = 3;

const isInside = ({ left, top, width, height }: Box, size: Size): boolean =>
  left >= 0 && top >= 0 && left + width <= size.width && top + height <= size.height;

/** Returns a copy of one plane, cropped. @param bytes per pixel */
export function cropPlane(data: Uint8Array, width: number, box: Box, bytes: number): Uint8Array {
  const cropped = new Uint8Array(box.width * box.height * bytes);
  for (let row = 0; row < box.height; row++) {
    const from = ((box.top + row) * width + box.left) * bytes;
    cropped.set(data.subarray(from, from + box.width * bytes), row * box.width * bytes);
  }
  return cropped;
}

function pastePlane(
  source: Uint8Array,
  box: Box,
  target: Uint8Array,
  width: number,
  bytes: number,
): void {
  const rowBytes = box.width * bytes;
  for (let row = 0; row < box.height; row++) {
    const to = ((box.top + row) * width + box.left) * bytes;
    target.set(source.subarray(row * rowBytes, (row + 1) * rowBytes), to);
  }
}

/** The box must lie within the matte. */
export const cropMatte = (matte: Matte, box: Box): Matte => ({
  data: cropPlane(matte.data, matte.width, box, 1),
  width: box.width,
  height: box.height,
});

/** @throws RangeError if the box reaches beyond the image */
export function cropPixels(pixels: Pixels, box: Box): Pixels {
  if (!isInside(box, pixels)) throw new RangeError('The crop reaches beyond the image');
  const { width, height } = box;
  return { data: cropPlane(pixels.data, pixels.width, box, RGB), width, height };
}

export function mirrorPixels({ data, width, height }: Pixels): Pixels {
  const mirrored = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i += RGB) {
    const x = (i / RGB) % width;
    mirrored.set(data.subarray(i, i + RGB), i + RGB * (width - 1 - 2 * x));
  }
  return { data: mirrored, width, height };
}

/** @throws RangeError if the box reaches beyond the image */
export const crop = ({ pixels, matte }: MattedImage, box: Box): MattedImage => ({
  pixels: cropPixels(pixels, box),
  matte: cropMatte(matte, box),
});

/** Copies an image into another, replacing what is there. @throws RangeError if it reaches beyond the target */
export function paste(source: MattedImage, box: Box, { pixels, matte }: MattedImage): void {
  if (!isInside(box, pixels)) throw new RangeError('The paste reaches beyond the image');
  pastePlane(source.pixels.data, box, pixels.data, pixels.width, RGB);
  pastePlane(source.matte.data, box, matte.data, matte.width, 1);
}

/** Returns a matte of one alpha, 0..255. */
export const evenMatte = ({ width, height }: Size, alpha: number): Matte => ({
  data: new Uint8Array(width * height).fill(alpha),
  width,
  height,
});

/** Returns an image of one colour. @param color red, green, blue and alpha, 0..255 */
export function solidImage(
  { width, height }: Size,
  [red, green, blue, alpha]: readonly [number, number, number, number],
): MattedImage {
  const data = new Uint8Array(RGB * width * height);
  data.set([red, green, blue]);
  for (let done = RGB; done < data.length; done *= 2) data.copyWithin(done, 0, done);
  return { pixels: { data, width, height }, matte: evenMatte({ width, height }, alpha) };
}
