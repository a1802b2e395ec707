import type { Matte, MattedImage, Rgb, Size } from '../picture.ts';
import { dilate } from '../regions.ts';

/**
 * Side of a cell, pixels: that of a block of JPEG without chroma subsampling, so that what encoding does to the colours
 * beside an edge stays in the cells of the edge.
 */
const CELL = 8;
/** From this alpha on a pixel shows something of the subject. */
export const VISIBLE_ALPHA = 26;

/** The cells of a picture that show only its ground: neither they nor their neighbours show any of the subject. */
export interface Ground extends Size {
  columns: number;
  /** One byte a cell, rows from the top: 1 if it is ground. */
  cells: Uint8Array;
}

/** Returns one byte a cell: 1 if it shows something of the subject. */
function markSubject({ data, width, height }: Matte): Uint8Array {
  const columns = Math.ceil(width / CELL);
  const marks = new Uint8Array(columns * Math.ceil(height / CELL));
  for (let y = 0, i = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * columns;
    for (let x = 0; x < width; x++, i++)
      if (data[i]! >= VISIBLE_ALPHA) marks[row + Math.floor(x / CELL)] = 1;
  }
  return marks;
}

const complementOf = (marks: Uint8Array): Uint8Array => marks.map((mark) => 1 - mark);

/** @param subject its alpha in the picture */
export function findGround(subject: Matte): Ground {
  const { width, height } = subject;
  const columns = Math.ceil(width / CELL);
  const rows = Math.ceil(height / CELL);
  const marks = markSubject(subject);
  return { width, height, columns, cells: complementOf(dilate(marks, { columns, rows }, 1)) };
}

/** Returns whether colours do not change evenly over a pixel between two others, as they do in a shadow. */
export function isStep(
  data: Uint8Array,
  before: number,
  pixel: number,
  after: number,
  minStep: number,
): boolean {
  for (let c = 0; c < 3; c++)
    if (Math.abs(2 * data[3 * pixel + c]! - data[3 * before + c]! - data[3 * after + c]!) > minStep)
      return true;
  return false;
}

/** Calls `visit` with the start and the end of each run of ground pixels in a row. */
export function eachGroundRun(
  { width, height, columns, cells }: Ground,
  visit: (start: number, end: number) => void,
): void {
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * columns;
    for (let column = 0; column < columns; column++) {
      if (!cells[row + column]) continue;
      const first = column;
      while (column + 1 < columns && cells[row + column + 1]) column++;
      visit(y * width + first * CELL, y * width + Math.min(width, (column + 1) * CELL));
    }
  }
}

/**
 * Returns the share of the ground, 0..1, that is transparent or differs from a colour; 0 if there is no ground.
 * @param tolerance by so much a channel may differ, 0..255
 */
export function offColourShare(
  { pixels: { data }, matte }: MattedImage,
  ground: Ground,
  { r, g, b }: Rgb,
  tolerance: number,
): number {
  let total = 0;
  let off = 0;
  eachGroundRun(ground, (start, end) => {
    total += end - start;
    for (let i = start, p = 3 * start; i < end; i++, p += 3) {
      const isRight =
        Math.abs(data[p]! - r) <= tolerance &&
        Math.abs(data[p + 1]! - g) <= tolerance &&
        Math.abs(data[p + 2]! - b) <= tolerance &&
        matte.data[i] === 255;
      if (!isRight) off++;
    }
  });
  return total > 0 ? off / total : 0;
}

/** Clears, in place, what is faint in a matte and not beside anything visible. */
export function clearHaze(matte: Matte): void {
  const { data, width, height } = matte;
  const marks = markSubject(matte);
  const cells = complementOf(marks);
  const columns = Math.ceil(width / CELL);
  eachGroundRun({ width, height, columns, cells }, (start, end) => void data.fill(0, start, end));
}
