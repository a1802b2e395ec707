import type { ProbabilityMap } from '../matte.ts';
import type { Matte } from '../picture.ts';
import { minorRegions } from '../regions.ts';

/** A matte is looked at in at most so many cells a side: the time does not grow with the picture, nor with noise. */
const MAX_CELLS = 512;
/** From this mean alpha on, 0..1, a cell belongs to a piece. */
const SOLID = 0.5;
/** A piece is loose if it has less than this share of the largest one's area. */
const MAX_SHARE = 0.02;

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

const findLoose = (map: ProbabilityMap): Int32Array[] => minorRegions(map, SOLID, MAX_SHARE);

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
