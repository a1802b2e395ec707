import type { Pair } from './downscale.ts';
import type { Size } from './layout.ts';
import type { Box } from './subject-box.ts';
import type { Pixels } from './tensor.ts';

/** Bytes a pixel of colours; a matte has one. */
const RGB = 3;

const inside = ({ left, top, width, height }: Box, size: Size): boolean =>
  left >= 0 && top >= 0 && left + width <= size.width && top + height <= size.height;

/** One plane of a part of a picture, copied. */
export function partOfPlane(data: Uint8Array, width: number, box: Box, bytes: number): Uint8Array {
  const part = new Uint8Array(box.width * box.height * bytes);
  for (let row = 0; row < box.height; row++) {
    const from = ((box.top + row) * width + box.left) * bytes;
    part.set(data.subarray(from, from + box.width * bytes), row * box.width * bytes);
  }
  return part;
}

function pastePlane(part: Uint8Array, box: Box, onto: Uint8Array, width: number, bytes: number) {
  const rowBytes = box.width * bytes;
  for (let row = 0; row < box.height; row++) {
    const to = ((box.top + row) * width + box.left) * bytes;
    onto.set(part.subarray(row * rowBytes, (row + 1) * rowBytes), to);
  }
}

/** A part of a picture, copied. @param box within the picture */
export function partOfPixels(pixels: Pixels, box: Box): Pixels {
  if (!inside(box, pixels)) throw new RangeError('A part reaches beyond its picture');
  const { width, height } = box;
  return { data: partOfPlane(pixels.data, pixels.width, box, RGB), width, height };
}

/** The same with its matte. */
export function partOf({ pixels, matte }: Pair, box: Box): Pair {
  const { width, height } = box;
  const alpha = partOfPlane(matte.data, matte.width, box, 1);
  return { pixels: partOfPixels(pixels, box), matte: { data: alpha, width, height } };
}

/** Puts a part into a picture in place of what is there. @param place within the picture */
export function paste(part: Pair, place: Box, { pixels, matte }: Pair): void {
  if (!inside(place, pixels)) throw new RangeError('A part is put beyond its picture');
  pastePlane(part.pixels.data, place, pixels.data, pixels.width, RGB);
  pastePlane(part.matte.data, place, matte.data, matte.width, 1);
}

/** A picture of one colour. @param color red, green, blue and alpha, 0..255 */
export function plain(
  { width, height }: Size,
  [red, green, blue, alpha]: readonly [number, number, number, number],
): Pair {
  const data = new Uint8Array(RGB * width * height);
  data.set([red, green, blue]);
  for (let done = RGB; done < data.length; done *= 2) data.copyWithin(done, 0, done);
  const matte = { data: new Uint8Array(width * height).fill(alpha), width, height };
  return { pixels: { data, width, height }, matte };
}
