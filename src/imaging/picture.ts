/** The sides of a picture, pixels or cells. */
export interface Size {
  width: number;
  height: number;
}

/** Upright sRGB colours, 3 bytes a pixel (red, green, blue), rows from the top. */
export interface Pixels extends Size {
  data: Uint8Array;
}

/** How much of each pixel is subject: one byte a pixel, 0 (none) to 255 (all), rows from the top. */
export interface Matte extends Size {
  data: Uint8Array;
}

/** An image and its matte, of the same size. */
export interface MattedImage {
  pixels: Pixels;
  matte: Matte;
}

/** A colour, 0..255 each. */
export interface Rgb {
  r: number;
  g: number;
  b: number;
}

/** A rectangle in pixels; may reach beyond the image. */
export interface Box extends Size {
  left: number;
  top: number;
}

/** Returns a size scaled to whole pixels, at least one a side. */
export const scaleSize = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
});

export const fullBox = ({ width, height }: Size): Box => ({ left: 0, top: 0, width, height });

/** Returns the intersection of two boxes that overlap. */
export function intersect(a: Box, b: Box): Box {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  return {
    left,
    top,
    width: Math.min(a.left + a.width, b.left + b.width) - left,
    height: Math.min(a.top + a.height, b.top + b.height) - top,
  };
}

/** From this alpha on a pixel counts as subject. */
const SOLID = 128;

/** The same bytes, four at once; copied only if they do not begin at a multiple of four. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, bytes.length >> 2);
}

type Alphas = Uint8Array | Float32Array;
const NO_WORDS = new Int32Array(0);

/**
 * Returns the first of the pixels `from` to `to` that has at least `min`, or `to`.
 * @param words the same alpha, by `wordsOf`; may be empty
 */
export function firstFrom(
  alpha: Alphas,
  words: Int32Array,
  from: number,
  to: number,
  min: number,
): number {
  let i = from;
  while (i < to && alpha[i]! < min) i += (i & 3) === 0 && words[i >> 2] === 0 ? 4 : 1;
  return Math.min(i, to);
}

/** Returns the end after the last of the pixels `from` to `to` that has at least `min`, or `from`. */
export function endBefore(
  alpha: Alphas,
  words: Int32Array,
  from: number,
  to: number,
  min: number,
): number {
  let i = to;
  while (i > from && alpha[i - 1]! < min) i -= (i & 3) === 0 && words[(i >> 2) - 1] === 0 ? 4 : 1;
  return Math.max(i, from);
}

/**
 * Returns the bounding box of the subject; undefined if there is none. Only what lies outside it is looked at.
 * @param alpha of each pixel, rows of `width` from the top
 * @param minAlpha from which on a pixel counts as subject; more than 0
 */
export function subjectBox(alpha: Alphas, width: number, minAlpha = SOLID): Box | undefined {
  const words = alpha instanceof Uint8Array ? wordsOf(alpha) : NO_WORDS;
  const first = firstFrom(alpha, words, 0, alpha.length, minAlpha);
  if (first === alpha.length) return undefined;
  const top = Math.floor(first / width);
  const end = Math.ceil(endBefore(alpha, words, first, alpha.length, minAlpha) / width) * width;
  let [left, right] = [width, 0];
  for (let start = top * width; start < end; start += width) {
    left = firstFrom(alpha, words, start, start + left, minAlpha) - start;
    right = endBefore(alpha, words, start + right, start + width, minAlpha) - start;
  }
  return { left, top, width: right - left, height: end / width - top };
}

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
  { data, width }: Pixels | Matte,
  bytes: number,
): void {
  const rowBytes = box.width * bytes;
  for (let row = 0; row < box.height; row++) {
    const to = ((box.top + row) * width + box.left) * bytes;
    data.set(source.subarray(row * rowBytes, (row + 1) * rowBytes), to);
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

/** @throws RangeError if the box reaches beyond the image */
export const crop = ({ pixels, matte }: MattedImage, box: Box): MattedImage => ({
  pixels: cropPixels(pixels, box),
  matte: cropMatte(matte, box),
});

/** Copies an image into another, replacing what is there. @throws RangeError if it reaches beyond the target */
export function paste(source: MattedImage, box: Box, { pixels, matte }: MattedImage): void {
  if (!isInside(box, pixels)) throw new RangeError('The paste reaches beyond the image');
  pastePlane(source.pixels.data, box, pixels, RGB);
  pastePlane(source.matte.data, box, matte, 1);
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

export function mirrorPixels({ data, width, height }: Pixels): Pixels {
  const mirrored = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i += RGB) {
    const x = (i / RGB) % width;
    mirrored.set(data.subarray(i, i + RGB), i + RGB * (width - 1 - 2 * x));
  }
  return { data: mirrored, width, height };
}

/**
 * Composites an image over another of the same size, in place. Opaque pixels stay unchanged bit for bit,
 * transparent ones are replaced by those below, and soft ones are blended.
 * @see Porter, Duff: Compositing digital images, 1984, "over"
 */
export function compositeOver(top: MattedImage, bottom: MattedImage): void {
  const alpha = top.matte.data;
  const colours = top.pixels.data;
  const bottomAlpha = bottom.matte.data;
  const bottomColours = bottom.pixels.data;
  for (let i = 0, p = 0; i < alpha.length; i++, p += RGB) {
    const a = alpha[i]!;
    const b = bottomAlpha[i]!;
    if (a === 255 || b === 0) continue;
    if (a === 0) {
      for (let c = 0; c < RGB; c++) colours[p + c] = bottomColours[p + c]!;
      alpha[i] = b;
      continue;
    }
    /** Visible alpha of the pixel below, 0..255. */
    const visible = (b * (255 - a)) / 255;
    const total = a + visible;
    for (let c = 0; c < RGB; c++) {
      colours[p + c] = (colours[p + c]! * a + bottomColours[p + c]! * visible) / total + 0.5;
    }
    alpha[i] = total + 0.5;
  }
}

/**
 * Flattens a partly transparent image onto a grey. This hides the colours under transparency (often black, or a
 * whole photo): the network sees what a viewer sees.
 * @param opacity one byte a pixel, 255 opaque
 * @param grey the background, 0..255
 * @returns new pixels; the arguments stay unchanged
 */
export function flattenOnGrey(
  { data, width, height }: Pixels,
  opacity: Uint8Array,
  grey: number,
): Pixels {
  const out = new Uint8Array(data.length);
  for (let i = 0, p = 0; i < opacity.length; i++)
    for (let c = 0; c < RGB; c++, p++)
      out[p] = grey + ((data[p]! - grey) * opacity[i]!) / 255 + 0.5;
  return { data: out, width, height };
}

/** A network's input normalisation: `(colour / scale - mean) / std`, per channel. */
interface Normalise {
  /** Divides by 255, or by the brightest byte of the image (which brightens dark photos). */
  scale: 'divide-255' | 'divide-max';
  mean: readonly [number, number, number];
  std: readonly [number, number, number];
}

/** Returns the brightest byte, at least 1: a black image stays black. */
function maxByte(bytes: Uint8Array): number {
  let max = 1;
  for (const byte of bytes) if (byte > max) max = byte;
  return max;
}

/** Converts interleaved bytes to planar floats, 1 x 3 x height x width (all red, all green, all blue). */
export function toTensor({ data }: Pixels, { scale, mean, std }: Normalise): Float32Array {
  const plane = data.length / RGB;
  const divisor = scale === 'divide-255' ? 255 : maxByte(data);
  const out = new Float32Array(data.length);
  const floats = new Float32Array(256); // by byte value
  for (let c = 0; c < RGB; c++) {
    for (let byte = 0; byte < 256; byte++) floats[byte] = (byte / divisor - mean[c]!) / std[c]!;
    for (let i = 0, p = c; i < plane; i++, p += RGB) out[c * plane + i] = floats[data[p]!]!;
  }
  return out;
}

/** Quarter turns to the right. */
export type Rotation = 0 | 1 | 3;

/** The rotation that undoes each. */
const INVERSES: Readonly<Record<Rotation, Rotation>> = { 0: 0, 1: 3, 3: 1 };
export const inverseOf = (rotation: Rotation): Rotation => INVERSES[rotation];

export const rotatedSize = ({ width, height }: Size, rotation: Rotation): Size =>
  rotation === 0 ? { width, height } : { width: height, height: width };

/** Calls back with each cell of a picture and the cell in which it is after a rotation; both are numbered row by row. */
function eachRotated(
  { width, height }: Size,
  rotation: Rotation,
  visit: (from: number, to: number) => void,
) {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const to = rotation === 1 ? x * height + height - 1 - y : (width - 1 - x) * height + y;
      visit(y * width + x, to);
    }
}

export function rotatePixels(pixels: Pixels, rotation: Rotation): Pixels {
  if (rotation === 0) return pixels;
  const data = new Uint8Array(pixels.data.length);
  eachRotated(pixels, rotation, (from, to) => {
    for (let c = 0; c < RGB; c++) data[RGB * to + c] = pixels.data[RGB * from + c]!;
  });
  return { data, ...rotatedSize(pixels, rotation) };
}

/** Returns rotated planes, which lie one after the other. @param size of each */
export function rotatePlanes<T extends Float32Array | Uint8Array>(
  planes: T,
  size: Size,
  rotation: Rotation,
): T {
  if (rotation === 0) return planes;
  const rotated = planes.slice() as T;
  const cells = size.width * size.height;
  for (let start = 0; start < planes.length; start += cells)
    eachRotated(size, rotation, (from, to) => {
      rotated[start + to] = planes[start + from]!;
    });
  return rotated;
}
