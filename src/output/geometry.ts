import type { Geometry, Length } from '../imaging/layout.ts';

/** Limits of the numbers in geometry options; margins are per side. */
export const GEOMETRY_LIMITS = { maxMarginPixels: 500, maxMarginPct: 50, minScalePct: 10 } as const;

const LENGTH = /^(\d{1,5}(?:\.\d{1,3})?)(px|%)$/;

function parseLength(word: string): Length | undefined {
  const [, value, unit] = LENGTH.exec(word) ?? [];
  return value === undefined
    ? undefined
    : { value: Number(value), unit: unit === '%' ? '%' : 'px' };
}

/** Parses lengths such as `10px 5%`; returns none if one of them is malformed. */
function parseLengths(text: string): Length[] {
  const lengths = text.trim().split(/\s+/).map(parseLength);
  return lengths.every((length) => length !== undefined) ? lengths : [];
}

/** Parses percentages such as `50% 100%` as shares; returns none if one of them is over 100 %. */
function parseShares(text: string): number[] {
  const lengths = parseLengths(text);
  const areShares = lengths.every(({ value, unit }) => unit === '%' && value <= 100);
  return areShares ? lengths.map(({ value }) => value / 100) : [];
}

/** Parses one, two or four lengths in the order of CSS; returns nothing if they are malformed or too long. */
export function parseMargins(text: string): Geometry['margins'] {
  const lengths = parseLengths(text);
  const { maxMarginPixels, maxMarginPct } = GEOMETRY_LIMITS;
  const [top, right = top, bottom = top, left = right] = lengths;
  if (!top || !right || !bottom || !left || ![1, 2, 4].includes(lengths.length)) return undefined;
  const areInRange = lengths.every(
    ({ value, unit }) => value <= (unit === 'px' ? maxMarginPixels : maxMarginPct),
  );
  return areInRange ? { top, right, bottom, left } : undefined;
}

/** Parses a scale, as a share of the canvas; returns nothing if it is malformed or out of range. */
export function parseScale(text: string): number | undefined {
  const [scale, ...more] = parseShares(text);
  const isSingle = scale !== undefined && more.length === 0;
  return isSingle && scale >= GEOMETRY_LIMITS.minScalePct / 100 ? scale : undefined;
}

/** Parses the subject's position in the free space, as shares of it; returns nothing if it is malformed. */
export function parsePosition(text: string): Geometry['position'] {
  const shares = text === 'center' ? [0.5] : parseShares(text);
  const [across, down = across] = shares;
  return across === undefined || down === undefined || shares.length > 2
    ? undefined
    : { across, down };
}

/** Whether an end is after its start. True if the units differ: only the image's size could tell. */
const isAfter = (start: Length, end: Length): boolean =>
  start.unit !== end.unit || end.value > start.value;

/** Parses two corners; returns nothing if malformed, or if the second is not right of and below the first. */
export function parseRegion(text: string): [Length, Length, Length, Length] | undefined {
  const lengths = parseLengths(text);
  const [left, top, right, bottom] = lengths;
  if (!left || !top || !right || !bottom || lengths.length > 4) return undefined;
  const areInside = lengths.every(({ value, unit }) => unit === 'px' || value <= 100);
  const isRegion = areInside && isAfter(left, right) && isAfter(top, bottom);
  return isRegion ? [left, top, right, bottom] : undefined;
}

interface GeometryOptions {
  crop?: boolean | undefined;
  cropMargin?: string | undefined;
  scale?: string | undefined;
  position?: string | undefined;
  maxOutputMegapixels?: number | undefined;
}

/** Converts options to the crop, scale and position of the output. */
export function toGeometry(options: GeometryOptions): Geometry {
  const { crop, cropMargin = '0px', scale, position, maxOutputMegapixels } = options;
  return {
    margins: crop ? parseMargins(cropMargin) : undefined,
    scale: scale === undefined ? undefined : parseScale(scale),
    position: parsePosition(position ?? (scale === undefined ? 'original' : 'center')),
    maxPixels: maxOutputMegapixels && Math.round(maxOutputMegapixels * 1e6),
  };
}
