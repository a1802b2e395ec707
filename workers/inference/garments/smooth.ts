import type { Pixels } from '../../../src/imaging/picture.ts';
import { PARTS } from './groups.ts';
import { CELL_PIXELS } from './parse.ts';
import { MIN_COVERAGE, type Subject } from './subject.ts';

/** Blocks of so many cells a side are compared: single cells would take sixteen times as long. */
const BLOCK_CELLS = 2;
/** How fast likeness falls: with the distance, as a share of the map's longer side, and with that of colours, bytes. */
const DEVIATION = { distance: 0.1, colour: 12 };
/** Blocks farther apart, in such deviations across or down, or less alike are not compared. */
const MAX_DISTANCE = 2;
const MIN_LIKENESS = 0.05;
/** What all that is alike says counts so much beside what the network says of a block. */
const WEIGHT = 3;
/** Likeness that a block must have with others, in all, for half of that weight. */
const HALF_LIKENESS = 5;
const ROUNDS = 3;
/** Added to probabilities: what the network rules out, the surroundings may bring back. */
const FLOOR = 1e-3;
/** Keep their share of each cell: small and dark, they would be taken for trousers and tights of their colour. */
const SHOES = PARTS.indexOf('shoes');
const RGB = 3;

/** Squares of cells within the subject, row by row. */
interface Blocks {
  count: number;
  /** Columns and rows of blocks. */
  x: Int16Array;
  y: Int16Array;
  /** For each, the cell at its top left. */
  first: Int32Array;
  /** Mean colours, three bytes a block. */
  colours: Float32Array;
}

/** Which blocks are alike: those of block `i` are from `starts[i]` to `starts[i + 1]`, and come after it. */
interface Likeness {
  starts: Int32Array;
  others: Int32Array;
  /** How alike, 0..1. */
  values: Float32Array;
  /** For each block, how alike all others are in sum. */
  totals: Float32Array;
}

/** The cells of a block, from that at its top left. @param width of the map */
const cellsOf = (first: number, width: number) => [
  first,
  first + 1,
  first + width,
  first + width + 1,
];

function meanColour(pixels: Pixels, left: number, top: number, side: number, out: Float32Array) {
  const { data, width } = pixels;
  out.fill(0);
  for (let y = top; y < top + side; y++)
    for (let i = RGB * (y * width + left), end = i + RGB * side; i < end; i++)
      out[i % RGB]! += data[i]! / side ** 2;
}

/** Divides a map into blocks, and returns those within the subject. */
function blocksOf({ width, height, coverage }: Subject, seen: Pixels): Blocks {
  const [columns, rows] = [Math.floor(width / BLOCK_CELLS), Math.floor(height / BLOCK_CELLS)];
  const blocks: Blocks = {
    count: 0,
    x: new Int16Array(columns * rows),
    y: new Int16Array(columns * rows),
    first: new Int32Array(columns * rows),
    colours: new Float32Array(RGB * columns * rows),
  };
  const side = BLOCK_CELLS * CELL_PIXELS;
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const first = BLOCK_CELLS * (y * width + x);
      const cells = cellsOf(first, width);
      const covered = cells.reduce((sum, cell) => sum + coverage[cell]!, 0) / cells.length;
      if (covered < MIN_COVERAGE) continue;
      const at = blocks.count++;
      blocks.x[at] = x;
      blocks.y[at] = y;
      blocks.first[at] = first;
      const colour = blocks.colours.subarray(RGB * at, RGB * (at + 1));
      meanColour(seen, x * side, y * side, side, colour);
    }
  return blocks;
}

/** Compares blocks that lie near each other. @param deviation of the distance, blocks */
function compare({ count, x, y, colours }: Blocks, deviation: number): Likeness {
  const farthest = Math.floor(MAX_DISTANCE * deviation);
  // Those that come after a block and are near: the rest of its row, and as many rows below.
  const most = count * Math.min(count, farthest + farthest * (2 * farthest + 1));
  const [others, values] = [new Int32Array(most), new Float32Array(most)];
  const [starts, totals] = [new Int32Array(count + 1), new Float32Array(count)];
  const byDistance = -0.5 / deviation ** 2;
  const byColour = -0.5 / DEVIATION.colour ** 2;
  const minLog = Math.log(MIN_LIKENESS);
  let found = 0;
  for (let one = 0; one < count; one++) {
    for (let other = one + 1; other < count; other++) {
      const right = x[other]! - x[one]!;
      const down = y[other]! - y[one]!;
      if (down > farthest) break;
      if (right > farthest || right < -farthest) continue;
      let colour = 0;
      for (let c = 0; c < RGB; c++)
        colour += (colours[RGB * other + c]! - colours[RGB * one + c]!) ** 2;
      const log = byDistance * (right * right + down * down) + byColour * colour;
      if (log < minLog) continue;
      const value = Math.exp(log);
      others[found] = other;
      values[found++] = value;
      totals[one]! += value;
      totals[other]! += value;
    }
    starts[one + 1] = found;
  }
  return { starts, others, values, totals };
}

function scale(parts: readonly Float32Array[], cell: number, wanted: number): void {
  let sum = 0;
  for (const plane of parts) sum += plane[cell]!;
  if (sum > 0) for (const plane of parts) plane[cell]! *= wanted / sum;
}

/** For each block and part the mean logarithm of its cells' weights, which are scaled to sum 1. */
function logarithmsOf({ parts, width }: Subject, { count, first }: Blocks): Float32Array {
  const logs = new Float32Array(count * parts.length);
  for (let block = 0; block < count; block++)
    for (const cell of cellsOf(first[block]!, width)) {
      scale(parts, cell, 1);
      for (let part = 0; part < parts.length; part++)
        logs[block * parts.length + part]! +=
          Math.log(parts[part]![cell]! + FLOOR) / BLOCK_CELLS ** 2;
    }
  return logs;
}

/** Turns logarithms of the weights of each block's parts into shares of 1. */
function toShares(logs: Float32Array, shares: Float32Array, parts: number): void {
  for (let start = 0; start < logs.length; start += parts) {
    let sum = 0;
    // None is so large that its exponential is not finite.
    for (let i = start; i < start + parts; i++) sum += shares[i] = Math.exp(logs[i]!);
    for (let i = start; i < start + parts; i++) shares[i]! /= sum;
  }
}

/** Sums for each block what all that are alike say of its parts. */
function hear({ starts, others, values }: Likeness, shares: Float32Array, parts: number) {
  const heard = new Float32Array(shares.length);
  for (let one = 0; one < starts.length - 1; one++)
    for (let pair = starts[one]!; pair < starts[one + 1]!; pair++) {
      const value = values[pair]!;
      for (
        let part = 0, i = one * parts, j = others[pair]! * parts;
        part < parts;
        part++, i++, j++
      ) {
        heard[i]! += value * shares[j]!;
        heard[j]! += value * shares[i]!;
      }
    }
  return heard;
}

/**
 * Lets cells of one colour that lie near each other agree about their part: a garment of one cloth is not a top here
 * and a dress there. Mean field of a model in which each two blocks have a say in each other, by their likeness; see
 * docs/adr/0068-one-cloth.md.
 * @param subject its parts are overwritten; those of a cell sum to 1
 * @param seen the picture of the subject's map
 */
export function smoothParts(subject: Subject, seen: Pixels): void {
  const { parts, width, height } = subject;
  const blocks = blocksOf(subject, seen);
  const deviation = (DEVIATION.distance * Math.max(width, height)) / BLOCK_CELLS;
  const likeness = compare(blocks, deviation);
  const own = logarithmsOf(subject, blocks);
  const shares = new Float32Array(own.length);
  const logs = own.slice();
  for (let round = 0; round < ROUNDS; round++) {
    toShares(logs, shares, parts.length);
    const heard = hear(likeness, shares, parts.length);
    for (let i = 0; i < logs.length; i++) {
      const total = likeness.totals[Math.floor(i / parts.length)]!;
      logs[i] = own[i]! + (WEIGHT * heard[i]!) / (total + HALF_LIKENESS);
    }
  }
  for (let block = 0; block < blocks.count; block++)
    for (const cell of cellsOf(blocks.first[block]!, width)) {
      const shoes = parts[SHOES]![cell]!;
      for (let part = 0; part < parts.length; part++) {
        const i = block * parts.length + part;
        parts[part]![cell] = (parts[part]![cell]! + FLOOR) * Math.exp(logs[i]! - own[i]!);
      }
      parts[SHOES]![cell] = 0;
      scale(parts, cell, 1 - shoes);
      parts[SHOES]![cell] = shoes;
    }
}
