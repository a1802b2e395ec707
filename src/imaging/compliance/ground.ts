import { quantileOf } from '../ground/even-ground.ts';
import type { ProbabilityMap } from '../matte.ts';
import type { Box, Matte, MattedImage, Pixels, Rgb, Size } from '../picture.ts';
import { dilate, minorRegions } from '../regions.ts';
import { shareAlong } from '../views.ts';

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
function isStep(
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
function eachGroundRun(
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

/** A frame is looked for within this share of the shorter side. */
const MAX_DEPTH = 0.08;
/** At a frame's edge a channel differs by more than this, 0..255, from what lies evenly between both sides. */
const MIN_STEP = 8;
/** So much of a line must be such an edge, and so much of the side must be free of the subject to tell. */
const MIN_EDGE_SHARE = 0.9;
const MIN_FREE_SHARE = 0.2;

/** The pixels of a picture, counted from one of its sides: `depth` lines from it, `along` the line. */
interface Side {
  length: number;
  at(depth: number, along: number): number;
}

function sidesOf({ width, height }: Pixels): Side[] {
  return [
    { length: width, at: (depth, along) => depth * width + along },
    { length: width, at: (depth, along) => (height - 1 - depth) * width + along },
    { length: height, at: (depth, along) => along * width + depth },
    { length: height, at: (depth, along) => along * width + width - 1 - depth },
  ];
}

/** Returns whether the colours change across a line, almost all along it, and not evenly as in a shadow. */
function isEdge({ data }: Pixels, subject: Matte, { length, at }: Side, depth: number): boolean {
  let free = 0;
  let steps = 0;
  for (let along = depth; along < length - depth; along++) {
    const [outer, line, inner] = [at(depth - 2, along), at(depth, along), at(depth + 2, along)];
    if ([outer, line, inner].some((pixel) => subject.data[pixel]! >= VISIBLE_ALPHA)) continue;
    free++;
    if (isStep(data, outer, line, inner, MIN_STEP)) steps++;
  }
  return free >= MIN_FREE_SHARE * length && steps >= MIN_EDGE_SHARE * free;
}

/**
 * Returns on how many sides, 0 to 4, a picture has a frame: a line parallel to the side across which the colours change.
 * @param subject its alpha in the picture; a frame behind it cannot be seen
 */
export function framedSides(pixels: Pixels, subject: Matte): number {
  const shorter = Math.min(pixels.width, pixels.height);
  const deepest = Math.min(Math.floor(MAX_DEPTH * shorter), shorter - 3);
  return sidesOf(pixels).filter((side) => {
    for (let depth = 2; depth <= deepest; depth++)
      if (isEdge(pixels, subject, side, depth)) return true;
    return false;
  }).length;
}

/** From this alpha on a pixel counts as subject. */
const SOLID = 128;

/**
 * Returns how much of a side of a photo is subject, 0..1, on the side with the most.
 * @param region of the photo that was searched for the subject; its sides count
 */
export function largestCutShare(matte: Matte, { left, top, width, height }: Box): number {
  const first = top * matte.width + left;
  const row = (y: number) => shareAlong(matte, first + y * matte.width, 1, width, SOLID);
  const column = (x: number) => shareAlong(matte, first + x, matte.width, height, SOLID);
  return Math.max(row(0), row(height - 1), column(0), column(width - 1));
}

/** Where a channel differs by more than this, 0..255, from what lies evenly between two pixels, something is drawn. */
const MIN_DRAWN_STEP = 6;
/** A ground is plain if so much of it differs by at most `plainSpread` from its median, 0..255. */
const PLAIN = { minShare: 0.5, spread: 12 };
/** Of those two pixels from the one between them. */
const DISTANCE = 2;

function greenCounts({ pixels: { data } }: MattedImage, ground: Ground): Uint32Array {
  const counts = new Uint32Array(256);
  eachGroundRun(ground, (start, end) => {
    for (let i = start; i < end; i++) counts[data[3 * i + 1]!]!++;
  });
  return counts;
}

const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0);

/** Returns whether most of a ground has about one brightness. Of what is not plain, nothing can be said. */
function isPlain(counts: Uint32Array, total: number): boolean {
  const median = quantileOf(counts, total / 2);
  const near = counts.subarray(Math.max(0, median - PLAIN.spread), median + PLAIN.spread + 1);
  return sum(near) >= PLAIN.minShare * total;
}

/**
 * Returns the share of the ground, 0..1, that is an edge of something drawn on it: text, a logo, a watermark. Soft
 * shadows have no edges.
 * @returns undefined if the ground is not plain: in a photographed one nothing can be told apart
 */
export function drawnShare(picture: MattedImage, ground: Ground): number | undefined {
  const { data } = picture.pixels;
  const counts = greenCounts(picture, ground);
  const total = sum(counts);
  if (total === 0) return 0;
  if (!isPlain(counts, total)) return undefined;
  const { width, height } = ground;
  const below = DISTANCE * width;
  const last = (height - DISTANCE) * width;
  const isEdge = (pixel: number, distance: number): boolean =>
    isStep(data, pixel - distance, pixel, pixel + distance, MIN_DRAWN_STEP);
  let drawn = 0;
  eachGroundRun(ground, (start, end) => {
    for (let i = start; i < end; i++) {
      const isAcross = i - DISTANCE >= start && i + DISTANCE < end && isEdge(i, DISTANCE);
      if (isAcross || (i >= below && i < last && isEdge(i, below))) drawn++;
    }
  });
  return drawn / total;
}

/** A matte is looked at in at most so many cells a side: the time does not grow with the picture, nor with noise. */
const MAX_CELLS = 512;
/** From this mean alpha on, 0..1, a cell belongs to a piece. */
const MIN_PIECE_ALPHA = 0.5;
/** A piece is loose if it has less than this share of the largest one's area. */
const MAX_PIECE_SHARE = 0.02;

/** Returns the mean alpha, 0..1, of each block of `cell` x `cell` pixels. */
function toCells({ data, width, height }: Matte, cell: number): ProbabilityMap {
  const columns = Math.ceil(width / cell);
  const rows = Math.ceil(height / cell);
  const cells = new Float32Array(columns * rows);
  for (let y = 0, i = 0; y < height; y++) {
    const row = Math.floor(y / cell) * columns;
    for (let x = 0; x < width; x++, i++) cells[row + Math.floor(x / cell)]! += data[i]!;
  }
  const scale = 1 / (255 * cell * cell);
  return { data: cells.map((sum) => sum * scale), width: columns, height: rows };
}

const findLoose = (map: ProbabilityMap): Int32Array[] =>
  minorRegions(map, MIN_PIECE_ALPHA, MAX_PIECE_SHARE);

const cellOf = ({ width, height }: Matte): number => Math.ceil(Math.max(width, height) / MAX_CELLS);

/** Returns the share of a picture, 0..1, that is small pieces apart from the subject: letters that were taken for it. */
export function loosePieceShare(matte: Matte): number {
  const map = toCells(matte, cellOf(matte));
  return findLoose(map).reduce((sum, { length }) => sum + length, 0) / map.data.length;
}

/** Clears small pieces apart from the subject, in place, with the cells around them. */
export function clearLoosePieces(matte: Matte): void {
  const { data, width, height } = matte;
  const cell = cellOf(matte);
  const map = toCells(matte, cell);
  for (const cells of findLoose(map))
    for (const at of cells) {
      const [column, row] = [at % map.width, Math.floor(at / map.width)];
      const left = Math.max(0, (column - 1) * cell);
      const right = Math.min(width, (column + 2) * cell);
      const bottom = Math.min(height, (row + 2) * cell);
      for (let y = Math.max(0, (row - 1) * cell); y < bottom; y++)
        data.fill(0, y * width + left, y * width + right);
    }
}
