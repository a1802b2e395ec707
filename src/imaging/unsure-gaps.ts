import { type ProbabilityMap, SUBJECT } from './probability-map.ts';

/** Probabilities between these are unsure. */
const UNSURE = { above: 0.2, below: 0.8 };
/** Cells along a block's side: an outline that is merely soft is thinner. */
const BLOCK = 4;
/** Of a block's 16 cells, how many decide what it is. */
const MIN_CELLS = 14;
/** A block lies within the subject if it has subject in so many of the four directions. */
const MIN_DIRECTIONS = 3;

/** Blocks of cells, rows from the top: 1 where they are unsure, or subject. */
interface Blocks {
  columns: number;
  rows: number;
  unsure: Uint8Array;
  subject: Uint8Array;
}

function toBlocks({ data, width, height }: ProbabilityMap): Blocks {
  const [columns, rows] = [Math.floor(width / BLOCK), Math.floor(height / BLOCK)];
  const unsure = new Uint8Array(columns * rows);
  const subject = new Uint8Array(columns * rows);
  for (let block = 0; block < columns * rows; block++) {
    const first = BLOCK * (Math.floor(block / columns) * width + (block % columns));
    let unsureCells = 0;
    let subjectCells = 0;
    for (let row = first; row < first + BLOCK * width; row += width)
      for (let cell = row; cell < row + BLOCK; cell++) {
        const probability = data[cell]!;
        if (probability >= SUBJECT) subjectCells++;
        if (probability > UNSURE.above && probability < UNSURE.below) unsureCells++;
      }
    unsure[block] = Number(unsureCells >= MIN_CELLS);
    subject[block] = Number(subjectCells >= MIN_CELLS && unsureCells < MIN_CELLS);
  }
  return { columns, rows, unsure, subject };
}

/** Adds 1 to every block of a line that has subject before it. */
function lookAlong(
  { subject }: Blocks,
  first: number,
  step: number,
  count: number,
  directions: Uint8Array,
): void {
  let isBehind = 0;
  for (let n = 0, block = first; n < count; n++, block += step) {
    directions[block]! += isBehind;
    isBehind |= subject[block]!;
  }
}

/** Returns for each block in how many of the four directions there is subject. */
function directionsOf(blocks: Blocks): Uint8Array {
  const { columns, rows } = blocks;
  const directions = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    lookAlong(blocks, row * columns, 1, columns, directions);
    lookAlong(blocks, (row + 1) * columns - 1, -1, columns, directions);
  }
  for (let column = 0; column < columns; column++) {
    lookAlong(blocks, column, columns, rows, directions);
    lookAlong(blocks, (rows - 1) * columns + column, -columns, rows, directions);
  }
  return directions;
}

/**
 * Returns the area that is neither subject nor background and lies within the subject, as a share of both: a gap
 * between arm and body, the inside of a handle, or a part of the garment that may be missing.
 */
export function unsureGapShareOf(map: ProbabilityMap): number {
  const blocks = toBlocks(map);
  const directions = directionsOf(blocks);
  let gaps = 0;
  let all = 0;
  for (let i = 0; i < directions.length; i++) {
    all += blocks.unsure[i]! + blocks.subject[i]!;
    if (blocks.unsure[i] && directions[i]! >= MIN_DIRECTIONS) gaps++;
  }
  return all === 0 ? 0 : gaps / all;
}
