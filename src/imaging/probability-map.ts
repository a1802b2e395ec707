import type { Size } from './layout.ts';
import { type Box, subjectBox } from './subject-box.ts';
import { resampleAt, resampleVertically, tapsOf } from './upscale.ts';

/**
 * A network's output: the probability, 0..1, that each cell is subject, rows from the top. The network's input was
 * stretched to its own size, so cells need not be square.
 */
export interface ProbabilityMap extends Size {
  data: Float32Array;
}

/** From this probability on a cell counts as possible subject. */
export const FAINT = 0.1;
/** From this probability on a cell is subject. */
export const SUBJECT = 0.5;
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
