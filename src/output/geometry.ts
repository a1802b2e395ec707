import type { Geometry, Length } from '../imaging/layout.ts';

/** Bounds of the numbers; margins on each side. */
export const GEOMETRY_BOUNDS = { marginPixels: 500, marginPct: 50, leastScalePct: 10 } as const;

const LENGTH = /^(\d{1,5}(?:\.\d{1,3})?)(px|%)$/;

function readLength(word: string): Length | undefined {
  const [, value, unit] = LENGTH.exec(word) ?? [];
  return value === undefined
    ? undefined
    : { value: Number(value), unit: unit === '%' ? '%' : 'px' };
}

/** The lengths of a text such as `10px 5%`; none where one of them is no length. */
function readLengths(text: string): Length[] {
  const lengths = text.trim().split(/\s+/).map(readLength);
  return lengths.every((length) => length !== undefined) ? lengths : [];
}

/** Percent of a text such as `50% 100%` as shares; none where one of them is more than the whole. */
function readShares(text: string): number[] {
  const lengths = readLengths(text);
  const areShares = lengths.every(({ value, unit }) => unit === '%' && value <= 100);
  return areShares ? lengths.map(({ value }) => value / 100) : [];
}

/** One, two or four lengths in the order of CSS; nothing where they are none, or too long. */
export function readMargins(text: string): Geometry['margins'] {
  const lengths = readLengths(text);
  const { marginPixels, marginPct } = GEOMETRY_BOUNDS;
  const [top, right = top, bottom = top, left = right] = lengths;
  if (!top || !right || !bottom || !left || ![1, 2, 4].includes(lengths.length)) return undefined;
  const areBearable = lengths.every(
    ({ value, unit }) => value <= (unit === 'px' ? marginPixels : marginPct),
  );
  return areBearable ? { top, right, bottom, left } : undefined;
}

/** A scale as a share of the canvas; nothing where it is none. */
export function readScale(text: string): number | undefined {
  const [scale, ...more] = readShares(text);
  const isOne = scale !== undefined && more.length === 0;
  return isOne && scale >= GEOMETRY_BOUNDS.leastScalePct / 100 ? scale : undefined;
}

/** Where the subject stands in the space left over; nothing where the text does not say. */
export function readPosition(text: string): Geometry['position'] {
  const shares = text === 'center' ? [0.5] : readShares(text);
  const [across, down = across] = shares;
  return across === undefined || down === undefined || shares.length > 2
    ? undefined
    : { across, down };
}

/** Whether an end lies behind its start, as far as that can be told without the picture. */
const isBehind = (start: Length, end: Length): boolean =>
  start.unit !== end.unit || end.value > start.value;

/** Two corners; nothing where the text is none, or the second is not right of and below the first. */
export function readRegion(text: string): [Length, Length, Length, Length] | undefined {
  const lengths = readLengths(text);
  const [left, top, right, bottom] = lengths;
  if (!left || !top || !right || !bottom || lengths.length > 4) return undefined;
  const areInside = lengths.every(({ value, unit }) => unit === 'px' || value <= 100);
  const isRegion = areInside && isBehind(left, right) && isBehind(top, bottom);
  return isRegion ? [left, top, right, bottom] : undefined;
}

/** Options as they are kept; see `OutputOptions`. */
interface GeometryOptions {
  crop?: boolean | undefined;
  cropMargin?: string | undefined;
  scale?: string | undefined;
  position?: string | undefined;
  maxOutputMegapixels?: number | undefined;
}

/** How options say that the output is cut and where the subject stands in it. */
export function geometryOf(options: GeometryOptions): Geometry {
  const { crop, cropMargin = '0px', scale, position, maxOutputMegapixels } = options;
  return {
    margins: crop ? readMargins(cropMargin) : undefined,
    scale: scale === undefined ? undefined : readScale(scale),
    position: readPosition(position ?? (scale === undefined ? 'original' : 'center')),
    maxPixels: maxOutputMegapixels && Math.round(maxOutputMegapixels * 1e6),
  };
}
