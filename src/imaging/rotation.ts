import type { Size } from './layout.ts';
import type { Pixels } from './tensor.ts';

/** Quarter turns to the right. */
export type Turn = 0 | 1 | 3;

const RGB = 3;

/** The turn that undoes another. */
const BACK: Readonly<Record<Turn, Turn>> = { 0: 0, 1: 3, 3: 1 };
export const undo = (turn: Turn): Turn => BACK[turn];

/** Returns the size of a picture after a turn. */
export const turnedSize = ({ width, height }: Size, turn: Turn): Size =>
  turn === 0 ? { width, height } : { width: height, height: width };

/** Calls back with each cell of a picture and the cell in which it is after a turn; both are numbered row by row. */
function eachTurned(
  { width, height }: Size,
  turn: Turn,
  visit: (from: number, to: number) => void,
) {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const to = turn === 1 ? x * height + height - 1 - y : (width - 1 - x) * height + y;
      visit(y * width + x, to);
    }
}

/** Returns a turned image. */
export function turnPixels(pixels: Pixels, turn: Turn): Pixels {
  if (turn === 0) return pixels;
  const data = new Uint8Array(pixels.data.length);
  eachTurned(pixels, turn, (from, to) => {
    for (let c = 0; c < RGB; c++) data[RGB * to + c] = pixels.data[RGB * from + c]!;
  });
  return { data, ...turnedSize(pixels, turn) };
}

/** Returns turned planes, which lie one after the other. @param size of each */
export function turnPlanes<T extends Float32Array | Uint8Array>(
  planes: T,
  size: Size,
  turn: Turn,
): T {
  if (turn === 0) return planes;
  const turned = planes.slice() as T;
  const cells = size.width * size.height;
  for (let start = 0; start < planes.length; start += cells)
    eachTurned(size, turn, (from, to) => {
      turned[start + to] = planes[start + from]!;
    });
  return turned;
}
