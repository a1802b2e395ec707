import { type ProbabilityMap, SUBJECT } from './probability-map.ts';
import type { Pixels } from './tensor.ts';

/** A colour, 0..255 each. */
export interface Rgb {
  r: number;
  g: number;
  b: number;
}

/** Cells whose colours differ by at most this in each channel, 0..255, are of one even surface. */
const MAX_STEP = 4;
/** Colours are counted by their upper four bits of each channel. */
const SHIFT = 4;

/** Returns the offsets of the cells along the border of a map, clockwise from the top left. */
function borderCells(width: number, height: number): number[] {
  const last = (height - 1) * width;
  const across = Array.from({ length: width - 1 }, (_, x) => x);
  const down = Array.from({ length: height - 1 }, (_, y) => y * width);
  return [
    ...across,
    ...down.map((start) => start + width - 1),
    ...across.map((x) => last + width - 1 - x),
    ...down.map((start) => last - start),
  ];
}

/** Returns the share, 0..1, of an image's border that is subject: what the frame cuts. */
export function shareCutByFrame({ data, width, height }: ProbabilityMap): number {
  const border = borderCells(width, height);
  return border.filter((cell) => data[cell]! >= SUBJECT).length / border.length;
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
