import type { Box, Matte, MattedImage, Pixels } from '../picture.ts';
import { reachBox, readCells, type StrokeCells } from './cells.ts';
import { PAINT, type Painted, paintStrokes, type Stroke } from './paint.ts';
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

/** Below the first level of a spread alpha stays as it is, from the second on it is as the stroke asks for. */
const UNDECIDED = [0.5 - 0.5 / STEEPNESS, 0.5 + 0.5 / STEEPNESS] as const;

/** Applies one stroke in place. `add` lowers no alpha, and `erase` raises none. */
function applyStroke(image: MattedImage, painted: Painted, stroke: Stroke): void {
  const cells = readCells(image, painted, stroke);
  const spread = spreadStroke(cells);
  const { box, columns, side } = cells;
  const { data, width } = image.matte;
  const isAdding = stroke.mode === 'add';
  const line = new Float64Array(columns);
  for (let y = 0; y < box.height; y++) {
    interpolateRows(spread, cells, y, line);
    const row = (box.top + y) * width + box.left;
    // Pixels between the centres of two cells, of which most agree.
    for (let left = 0, x = 0; left < columns; left++) {
      const [from, to] = [line[left]!, line[Math.min(columns - 1, left + 1)]!];
      const next = left === columns - 1 ? box.width : Math.ceil((left + 1.5) * side - 0.5);
      const end = Math.min(box.width, next);
      const isDecided = Math.min(from, to) >= UNDECIDED[1];
      if (isDecided) data.fill(isAdding ? 255 : 0, row + x, row + end);
      if (isDecided || Math.max(from, to) <= UNDECIDED[0]) x = end;
      for (; x < end; x++) {
        const u = Math.max(0, (x + 0.5) / side - 0.5 - left);
        const share = STEEPNESS * (from + (to - from) * u - 0.5) + 0.5;
        const alpha = Math.round(255 * Math.min(1, Math.max(0, share)));
        const i = row + x;
        data[i] = isAdding ? Math.max(data[i]!, alpha) : Math.min(data[i]!, 255 - alpha);
      }
    }
  }
}

const isEmpty = ({ width, height }: Box): boolean => width * height === 0;

function boxAroundAll(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Returns a matte that is mended by strokes, one after the other. Pixels under a stroke become wholly subject or
 * wholly background, by the last one over them; around it, the colours decide how far it spreads. Pixels beyond
 * `reachOf` of all strokes keep their alpha, and cost nothing but a copy. Time and memory for each stroke are bounded
 * by the part of the image that it reaches.
 * @param strokes with finite coordinates; those outside the image mark nothing
 * @see docs/adr/0051-refinements.md
 */
export function mendMatte(pixels: Pixels, matte: Matte, strokes: readonly Stroke[]): Matte {
  const mended = { ...matte, data: matte.data.slice() };
  const reaching = strokes.filter((stroke) => !isEmpty(reachBox(stroke, matte)));
  if (reaching.length === 0) return mended;
  const box = boxAroundAll(reaching.map((stroke) => reachBox(stroke, matte)));
  const painted = paintStrokes(reaching, matte, box);
  for (const stroke of reaching) applyStroke({ pixels, matte: mended }, painted, stroke);
  for (let y = 0, p = 0; y < box.height; y++)
    for (let x = 0, i = (box.top + y) * matte.width + box.left; x < box.width; x++, i++, p++) {
      const paint = painted.data[p]!;
      if (paint !== 0) mended.data[i] = paint === PAINT.add ? 255 : 0;
    }
  return mended;
}
