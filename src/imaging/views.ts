import {
  FAINT,
  type ProbabilityMap,
  resampleAt,
  resampleVertically,
  SUBJECT,
  tapsOf,
} from './matte.ts';
import { type Box, type Matte, type Pixels, type Rgb, type Size, subjectBox } from './picture.ts';
import { regionsOf } from './regions.ts';

/** Cells whose colours differ by at most this in each channel, 0..255, are of one even surface. */
const MAX_STEP = 4;
/** Colours are counted by their upper four bits of each channel. */
const SHIFT = 4;

/** Returns the offsets of the cells along the border of a map, clockwise from the top left. */
function borderCells(width: number, height: number): number[] {
  const last = width * height - 1;
  const cells: number[] = [];
  for (let x = 0; x < width - 1; x++) cells.push(x);
  for (let y = 0; y < height - 1; y++) cells.push(y * width + width - 1);
  for (let x = 0; x < width - 1; x++) cells.push(last - x);
  for (let y = 0; y < height - 1; y++) cells.push((height - 1 - y) * width);
  return cells;
}

/** Returns the share, 0..1, of a line of cells that have at least `min`. @param step from one to the next */
export function shareAlong(
  { data }: ProbabilityMap | Matte,
  first: number,
  step: number,
  count: number,
  min: number,
): number {
  let cells = 0;
  for (let n = 0; n < count; n++) if (data[first + n * step]! >= min) cells++;
  return cells / count;
}

/** Returns the share, 0..1, of an image's border that is subject: what the frame cuts. */
export function shareCutByFrame({ data, width, height }: ProbabilityMap): number {
  const border = borderCells(width, height);
  let cut = 0;
  for (const cell of border) if (data[cell]! >= SUBJECT) cut++;
  return cut / border.length;
}

const isEven = (data: Uint8Array, cell: number, next: number): boolean =>
  [0, 1, 2].every((c) => Math.abs(data[3 * cell + c]! - data[3 * next + c]!) <= MAX_STEP);

/**
 * Returns the backdrop's colour as the border of an image shows it: the mean of the commonest colours that are not
 * subject, of cells that look like their neighbour (a studio's backdrop is smooth, cloth is not).
 * @param map of the whole image, in the size of `pixels`
 * @returns undefined if no part of the border is even
 */
export function borderColour({ data }: Pixels, map: ProbabilityMap): Rgb | undefined {
  const border = borderCells(map.width, map.height);
  const groups = new Map<number, { count: number; sum: [number, number, number] }>();
  border.forEach((cell, i) => {
    if (map.data[cell]! >= SUBJECT || !isEven(data, cell, border[(i + 1) % border.length]!)) return;
    const [r, g, b] = [data[3 * cell]!, data[3 * cell + 1]!, data[3 * cell + 2]!];
    const key = ((r >> SHIFT) << 8) | ((g >> SHIFT) << 4) | (b >> SHIFT);
    const { count, sum } = groups.get(key) ?? { count: 0, sum: [0, 0, 0] };
    groups.set(key, { count: count + 1, sum: [sum[0] + r, sum[1] + g, sum[2] + b] });
  });
  const commonest = [...groups.values()].reduce<{ count: number; sum: number[] } | undefined>(
    (most, group) => (most && most.count >= group.count ? most : group),
    undefined,
  );
  if (!commonest) return undefined;
  const [r = 0, g = 0, b = 0] = commonest.sum.map((sum) => Math.round(sum / commonest.count));
  return { r, g, b };
}

/** A border is even if all but a share of its cells are within so many levels of their median colour. */
const EVEN_BORDER = { outliers: 0.01, maxNoise: 6 };
/** What differs from that colour by so many levels more than the border itself does is content. */
const ABOVE_NOISE = 2;
/** Regions of content below these shares, of all cells and of the largest region, are dust. */
const DUST = { ofCells: 1 / 8000, ofLargest: 0.02 };
/** Content whose box takes this share of the image, or more, is large enough for a network. */
const MAX_CONTENT_SHARE = 0.12;
/** The side of the square that is looked at, in lengths of the longer side of the content's box. */
const SQUARE_LENGTHS = 2.6;

/** Returns the value at a share, 0..1, of sorted values. */
const quantileOf = (values: Uint8Array, share: number): number =>
  values.toSorted()[Math.floor(share * (values.length - 1))]!;

/** Returns the largest difference in a channel of a cell. */
function distanceOf(data: Uint8Array, cell: number, ground: readonly number[]): number {
  let most = 0;
  for (let c = 0; c < 3; c++) most = Math.max(most, Math.abs(data[3 * cell + c]! - ground[c]!));
  return most;
}

/** Marks, by 1, what does not have the border's colour. @returns undefined if the border is not even */
function markContent({ data, width, height }: Pixels): Uint8Array | undefined {
  const border = borderCells(width, height);
  const ground = [0, 1, 2].map((c) => {
    const levels = Uint8Array.from(border, (cell) => data[3 * cell + c]!);
    return quantileOf(levels, 0.5);
  });
  const distances = Uint8Array.from(border, (cell) => distanceOf(data, cell, ground));
  const noise = quantileOf(distances, 1 - EVEN_BORDER.outliers);
  if (noise > EVEN_BORDER.maxNoise) return undefined;
  const marks = new Uint8Array(width * height);
  for (let cell = 0; cell < marks.length; cell++)
    if (distanceOf(data, cell, ground) > noise + ABOVE_NOISE) marks[cell] = 1;
  return marks;
}

function dropDust(marks: Uint8Array, width: number): void {
  const regions = regionsOf(marks, width);
  const largest = regions.reduce((max, { length }) => Math.max(max, length), 0);
  const minCells = Math.max(DUST.ofCells * marks.length, DUST.ofLargest * largest);
  for (const cells of regions)
    if (cells.length < minCells) for (const cell of cells) marks[cell] = 0;
}

function spanAround(start: number, size: number, wanted: number, length: number) {
  const from = Math.max(0, Math.floor(start + (size - wanted) / 2));
  return { from, size: Math.min(length, Math.ceil(start + (size + wanted) / 2)) - from };
}

/**
 * Returns the part of an image, about a square, that shows all its content, if that is small and the rest has one
 * colour: a network that sees the whole image overlooks it, or takes the ground for the subject.
 * @param square what the network would see of the image
 * @see docs/adr/0124-small-content.md
 */
export function contentRegion(square: Pixels, image: Size): Box | undefined {
  const marks = markContent(square);
  if (!marks) return undefined;
  dropDust(marks, square.width);
  const box = subjectBox(marks, square.width, 1);
  if (!box || box.width * box.height >= MAX_CONTENT_SHARE * marks.length) return undefined;
  const [across, down] = [image.width / square.width, image.height / square.height];
  const [width, height] = [box.width * across, box.height * down];
  const side = SQUARE_LENGTHS * Math.max(width, height);
  const columns = spanAround(box.left * across, width, side, image.width);
  const rows = spanAround(box.top * down, height, side, image.height);
  return { left: columns.from, top: rows.from, width: columns.size, height: rows.size };
}

/** Margin on each side of the possible subject, as a share of its length. */
const MARGIN = 0.15;

/** Converts a span of cells, with margins, to whole pixels. @param cells that make up `length` pixels */
function withMargin(start: number, size: number, cells: number, length: number) {
  const from = ((start - MARGIN * size) * length) / cells;
  const to = ((start + size + MARGIN * size) * length) / cells;
  const first = Math.max(0, Math.floor(from));
  return { start: first, length: Math.min(length, Math.ceil(to)) - first };
}

/**
 * Returns the region of an image that shows its subject, with margins.
 * @param map of the whole image
 * @param maxShare undefined is returned if the subject's box takes this share of the image, or more
 */
export function subjectRegion(map: ProbabilityMap, image: Size, maxShare: number): Box | undefined {
  const box = subjectBox(map.data, map.width, FAINT);
  if (!box || box.width * box.height >= maxShare * map.data.length) return undefined;
  const across = withMargin(box.left, box.width, map.width, image.width);
  const down = withMargin(box.top, box.height, map.height, image.height);
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

/** Probabilities are clamped to this distance from 0 and 1, which bounds the odds. */
const MAX_PROBABILITY = 1 - 1e-4;
const toOdds = (p: number): number => {
  const bounded = Math.min(MAX_PROBABILITY, Math.max(1 - MAX_PROBABILITY, p));
  return bounded / (1 - bounded);
};

/**
 * Merges two views, of a whole image and of a region, at the resolution of the latter: the geometric mean of their
 * odds, in which the more certain view weighs more.
 * @param region what the closer view shows, pixels of the image
 */
export function mergeViews(
  whole: ProbabilityMap,
  closer: ProbabilityMap,
  region: Box,
  image: Size,
): ProbabilityMap {
  const { width, height } = closer;
  const [across, down] = [whole.width / image.width, whole.height / image.height];
  const columns = tapsOf(whole.width, width, region.left * across, region.width * across);
  const rows = tapsOf(whole.height, height, region.top * down, region.height * down);
  const data = new Float32Array(closer.data.length);
  const line = new Float32Array(whole.width);
  for (let y = 0, i = 0; y < height; y++) {
    resampleVertically(whole.data, line, rows, y, 0, line.length);
    for (let x = 0; x < width; x++, i++) {
      const odds = Math.sqrt(toOdds(resampleAt(line, columns, x)) * toOdds(closer.data[i]!));
      data[i] = odds / (1 + odds);
    }
  }
  return { data, width, height };
}

/** Mirrors a map left to right, in place. */
export function mirror({ data, width }: ProbabilityMap): void {
  for (let start = 0; start < data.length; start += width)
    data.subarray(start, start + width).reverse();
}

/** Returns a map without the outermost cells on each side. */
export function withoutFrame(
  { data, width, height }: ProbabilityMap,
  cells: number,
): ProbabilityMap {
  const inside = { width: width - 2 * cells, height: height - 2 * cells };
  const kept = new Float32Array(inside.width * inside.height);
  for (let y = 0; y < inside.height; y++) {
    const start = (y + cells) * width + cells;
    kept.set(data.subarray(start, start + inside.width), y * inside.width);
  }
  return { data: kept, ...inside };
}
