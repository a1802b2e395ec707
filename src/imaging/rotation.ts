import type { Pixels, Size } from './picture.ts';

/** Quarter turns to the right. */
export type Rotation = 0 | 1 | 3;

const RGB = 3;

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
