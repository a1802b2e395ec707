import type { MattedImage } from '../downscale.ts';
import type { Matte } from '../matte.ts';
import type { Pixels } from '../tensor.ts';
import { readCells, type StrokeCells } from './cells.ts';
import { PAINT, paintStrokes, type Stroke } from './paint.ts';
import { spreadStroke } from './spread.ts';

/** How steeply alpha rises where a stroke's spread is undecided: from 0 to 255 within a quarter of its range. */
const STEEPNESS = 4;

/** Interpolates cell rows at a row of the box's pixels, into `line`. */
function interpolateRows(
  values: Float64Array,
  { columns, rows, side }: StrokeCells,
  y: number,
  line: Float64Array,
): void {
  const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / side - 0.5));
  const above = Math.floor(v) * columns;
  const below = Math.min(rows - 1, Math.floor(v) + 1) * columns;
  const share = v - Math.floor(v);
  for (let column = 0; column < columns; column++)
    line[column] =
      values[above + column]! + (values[below + column]! - values[above + column]!) * share;
}

/** Applies one stroke in place. `add` lowers no alpha, and `erase` raises none. */
function applyStroke(image: MattedImage, painted: Uint8Array, stroke: Stroke): void {
  const cells = readCells(image, painted, stroke);
  const spread = spreadStroke(cells);
  const { box, columns, side } = cells;
  const { data, width } = image.matte;
  const isAdding = stroke.mode === 'add';
  const line = new Float64Array(columns);
  for (let y = 0; y < box.height; y++) {
    interpolateRows(spread, cells, y, line);
    for (let x = 0, i = (box.top + y) * width + box.left; x < box.width; x++, i++) {
      const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / side - 0.5));
      const left = Math.floor(u);
      const right = Math.min(columns - 1, left + 1);
      const value = line[left]! + (line[right]! - line[left]!) * (u - left);
      const share = STEEPNESS * (value - 0.5) + 0.5;
      if (share <= 0) continue;
      const alpha = Math.round(255 * Math.min(1, share));
      data[i] = isAdding ? Math.max(data[i]!, alpha) : Math.min(data[i]!, 255 - alpha);
    }
  }
}

/**
 * Returns a matte that is mended by strokes, one after the other. Pixels under a stroke become wholly subject or
 * wholly background, by the last one over them; around it, the colours decide how far it spreads. Pixels beyond
 * `reachOf` of all strokes keep their alpha. Time and memory for each stroke are bounded by the size of the image.
 * @param strokes with finite coordinates; those outside the image mark nothing
 * @see docs/adr/0051-refinements.md
 */
export function mendMatte(pixels: Pixels, matte: Matte, strokes: readonly Stroke[]): Matte {
  const { width, height } = matte;
  const mended = { data: Uint8Array.from(matte.data), width, height };
  const painted = paintStrokes(strokes, matte);
  for (const stroke of strokes) applyStroke({ pixels, matte: mended }, painted, stroke);
  for (let i = 0; i < painted.length; i++)
    if (painted[i] !== 0) mended.data[i] = painted[i] === PAINT.add ? 255 : 0;
  return mended;
}
