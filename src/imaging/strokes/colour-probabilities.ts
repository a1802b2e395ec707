import { OTHER_MODE, SAME_MODE, type StrokeCells } from './cells.ts';

/** Levels of each channel of a histogram. */
const LEVELS = 16;
const LEVEL_WIDTH = 256 / LEVELS;
/** What a colour that was not seen counts for, as a share of all. */
const UNSEEN = 1e-4;
/** Cells at least so much done belong to what the stroke asks for, below the other level to the contrary; of 255. */
const DONE = { min: 200, max: 128 };
/** Of what is done already, cells nearer than this share of the reach tell what the stroke means. */
const NEAR = 0.5;
/** How many cells one under a stroke of the other mode counts for. */
const OTHER_MODE_WEIGHT = 2;

/** Returns each cell's place in a histogram. */
function binsOf({ colours, distance }: StrokeCells): Uint16Array {
  const bins = new Uint16Array(distance.length);
  for (let i = 0; i < bins.length; i++)
    for (let c = 0; c < 3; c++)
      bins[i] = bins[i]! * LEVELS + Math.floor(colours[3 * i + c]! / LEVEL_WIDTH);
  return bins;
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Blurs a histogram of colours and divides it by `total`. */
function toHistogram(sums: Float64Array, total: number): Float64Array {
  let blurred = sums.map((value) => value / total);
  for (let stride = 1; stride < sums.length; stride *= LEVELS) {
    const sharp = blurred;
    blurred = sharp.map((value, bin) => {
      const level = Math.floor(bin / stride) % LEVELS;
      const below = level > 0 ? sharp[bin - stride]! : 0;
      const above = level < LEVELS - 1 ? sharp[bin + stride]! : 0;
      return value / 2 + (below + above) / 4;
    });
  }
  return blurred;
}

/**
 * Returns for each cell how probable its colour makes it that the stroke means it too, 0..1: the colours under the
 * stroke, and of what is near and as asked for already, against those that are not; the farther, the surer.
 * @param open one byte a cell, 1 if the stroke may change it
 */
export function colourProbabilities(cells: StrokeCells, open: Uint8Array): Float32Array {
  const { painted, done, distance } = cells;
  const bins = binsOf(cells);
  const meant = new Float64Array(LEVELS ** 3);
  const contrary = new Float64Array(LEVELS ** 3);
  for (let i = 0; i < bins.length; i++) {
    const bin = bins[i]!;
    if (painted[i] === SAME_MODE) meant[bin]!++;
    else if (painted[i] === OTHER_MODE) contrary[bin]! += OTHER_MODE_WEIGHT;
    else if (done[i]! > DONE.min && distance[i]! < NEAR) meant[bin]!++;
    else if (done[i]! < DONE.max) contrary[bin]! += open[i] ? Math.min(1, distance[i]!) ** 2 : 1;
  }
  // Little that is contrary says little: it must not count as much as all that is meant.
  const total = Math.max(1, sumOf(meant));
  const own = toHistogram(meant, total);
  const other = toHistogram(contrary, Math.max(total, sumOf(contrary)));
  return Float32Array.from(bins, (bin) => {
    const likelihood = own[bin]! + UNSEEN;
    return likelihood / (likelihood + other[bin]! + UNSEEN);
  });
}
