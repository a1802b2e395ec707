import type { Size } from './layout.ts';
import { type Box, subjectBox } from './subject-box.ts';
import { mixedAt, mixRows, tapsOf } from './upscale.ts';

/** How much of each place is subject, as a network sees it: 0..1, rows from the top; what it saw was stretched. */
export interface ProbabilityMap extends Size {
  data: Float32Array;
}

/** From here on a place counts as something that may be subject. */
export const FAINT = 0.1;
/** Space left around what may be subject, on each side, as a share of its length. */
const MARGIN = 0.15;

/** A stretch and its margins, of `cells`, as whole pixels of `length`. */
function widened(start: number, size: number, cells: number, length: number) {
  const from = ((start - MARGIN * size) * length) / cells;
  const to = ((start + size + MARGIN * size) * length) / cells;
  const first = Math.max(0, Math.floor(from));
  return { start: first, length: Math.min(length, Math.ceil(to)) - first };
}

/**
 * The part of a picture that shows its subject, with some space around it.
 * @param seen of the whole picture
 * @param share nothing is given where the subject's own rectangle takes this share of the picture, or more
 */
export function subjectPart(seen: ProbabilityMap, picture: Size, share: number): Box | undefined {
  const box = subjectBox(seen.data, seen.width, FAINT);
  if (!box || box.width * box.height >= share * seen.data.length) return undefined;
  const across = widened(box.left, box.width, seen.width, picture.width);
  const down = widened(box.top, box.height, seen.height, picture.height);
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

/** Nothing is surer than this, nor less sure than as far from 0. */
const SUREST = 1 - 1e-4;
const oddsOf = (p: number): number => {
  const bounded = Math.min(SUREST, Math.max(1 - SUREST, p));
  return bounded / (1 - bounded);
};

/**
 * Two looks as one, at a whole picture and at a part of it, as fine as the latter: the geometric mean of their odds, so
 * that the surer one counts for more.
 * @param part what the closer look was at, pixels of the picture
 */
export function together(
  whole: ProbabilityMap,
  closer: ProbabilityMap,
  part: Box,
  picture: Size,
): ProbabilityMap {
  const { width, height } = closer;
  const [across, down] = [whole.width / picture.width, whole.height / picture.height];
  const columns = tapsOf(whole.width, width, part.left * across, part.width * across);
  const rows = tapsOf(whole.height, height, part.top * down, part.height * down);
  const data = new Float32Array(closer.data.length);
  const line = new Float32Array(whole.width);
  for (let y = 0, i = 0; y < height; y++) {
    mixRows(whole.data, line, rows, y, 0, line.length);
    for (let x = 0; x < width; x++, i++) {
      const odds = Math.sqrt(oddsOf(mixedAt(line, columns, x)) * oddsOf(closer.data[i]!));
      data[i] = odds / (1 + odds);
    }
  }
  return { data, width, height };
}

/** The same from right to left, in place. */
export function mirror({ data, width }: ProbabilityMap): void {
  for (let start = 0; start < data.length; start += width)
    data.subarray(start, start + width).reverse();
}
