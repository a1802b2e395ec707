import { type Box, fullBox, intersect, type Size, scaleSize } from '../imaging/picture.ts';
import type { CutOutOptions } from './options.ts';

/** A length on one axis: pixels of the upright input, or percent of the length named where it is used. */
export interface Length {
  value: number;
  unit: 'px' | '%';
}

/** How the output is cropped, and where the subject goes in it. */
export interface Geometry {
  /** Margins around the subject's box, percent of that box; without them nothing is cropped. */
  margins?: { top: Length; right: Length; bottom: Length; left: Length } | undefined;
  /** Share of the canvas the subject is fitted into, 0..1; without it the subject keeps its size. */
  scale?: number | undefined;
  /** Share of the free space left of (`across`) and above (`down`) the subject, 0..1; without it the subject stays. */
  position?: { across: number; down: number } | undefined;
  /** A canvas of more pixels is scaled down. */
  maxPixels?: number | undefined;
}

/** Which part of the upright input is drawn where. */
export interface Layout {
  canvas: Size;
  source: Box;
  /** Where the source is drawn in the output, scaled to this box. */
  destination: Box;
  /** The subject's box in the output. */
  foreground: Box;
}

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

/** Converts options to the crop, scale and position of the output. */
export function toGeometry({
  crop,
  cropMargin = '0px',
  scale,
  position,
  maxOutputMegapixels,
}: CutOutOptions): Geometry {
  return {
    margins: crop ? parseMargins(cropMargin) : undefined,
    scale: scale === undefined ? undefined : parseScale(scale),
    position: parsePosition(position ?? (scale === undefined ? 'original' : 'center')),
    maxPixels: maxOutputMegapixels && Math.round(maxOutputMegapixels * 1e6),
  };
}

/** Converts a length to pixels. @param whole the pixels that are 100 % */
const toPixels = ({ value, unit }: Length, whole: number): number =>
  unit === 'px' ? value : (value / 100) * whole;

/** Returns the region between two corners, clipped to the image; undefined if nothing of it is left. */
export function regionOf(
  [left, top, right, bottom]: readonly [Length, Length, Length, Length],
  { width, height }: Size,
): Box | undefined {
  const x = Math.min(width, Math.floor(toPixels(left, width)));
  const y = Math.min(height, Math.floor(toPixels(top, height)));
  const across = Math.min(width, Math.ceil(toPixels(right, width))) - x;
  const down = Math.min(height, Math.ceil(toPixels(bottom, height))) - y;
  return across > 0 && down > 0 ? { left: x, top: y, width: across, height: down } : undefined;
}

/** Returns the input box that becomes the canvas; with margins it may reach beyond the input. */
function frameOf({ width, height }: Size, subject: Box, { margins }: Geometry): Box {
  if (!margins) return fullBox({ width, height });
  const left = Math.round(toPixels(margins.left, subject.width));
  const right = Math.round(toPixels(margins.right, subject.width));
  const top = Math.round(toPixels(margins.top, subject.height));
  const bottom = Math.round(toPixels(margins.bottom, subject.height));
  return {
    left: subject.left - left,
    top: subject.top - top,
    width: left + subject.width + right,
    height: top + subject.height + bottom,
  };
}

const relativeTo = (box: Box, { left, top }: Pick<Box, 'left' | 'top'>): Box => ({
  ...box,
  left: box.left - left,
  top: box.top - top,
});

const clamp = (value: number, max: number): number => Math.min(Math.max(value, 0), max);

/** Returns the box of a scaled or moved subject; it always fits the frame. */
function placeSubject(subject: Box, frame: Box, { scale, position }: Geometry): Box {
  const factor = scale
    ? scale * Math.min(frame.width / subject.width, frame.height / subject.height)
    : 1;
  const { width, height } = scaleSize(subject, factor);
  const free = { across: frame.width - width, down: frame.height - height };
  if (position) {
    const left = Math.round(free.across * position.across);
    return { left, top: Math.round(free.down * position.down), width, height };
  }
  // Keeps the subject's centre, as far as the frame allows.
  const left = subject.left - frame.left + Math.round((subject.width - width) / 2);
  const top = subject.top - frame.top + Math.round((subject.height - height) / 2);
  return { left: clamp(left, free.across), top: clamp(top, free.down), width, height };
}

/** Scales a span on one axis: at least a pixel long, and not beyond the end. */
function scaleSpan(start: number, length: number, factor: number, end: number) {
  const from = Math.min(end - 1, Math.round(start * factor));
  const to = Math.max(from + 1, Math.min(end, Math.round((start + length) * factor)));
  return { start: from, length: to - from };
}

function scaleBox(box: Box, factor: number, { width, height }: Size): Box {
  const across = scaleSpan(box.left, box.width, factor, width);
  const down = scaleSpan(box.top, box.height, factor, height);
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

/** Scales a layout down to at most `maxPixels`. */
function limitPixels(layout: Layout, maxPixels: number): Layout {
  const { width, height } = layout.canvas;
  const factor = Math.sqrt(maxPixels / (width * height));
  if (factor >= 1) return layout;
  // The short side of a very narrow canvas cannot fall below a pixel.
  const shortest = Math.max(1, Math.floor(Math.min(width, height) * factor));
  const longest = Math.floor(Math.min(Math.max(width, height) * factor, maxPixels / shortest));
  const canvas =
    width < height ? { width: shortest, height: longest } : { width: longest, height: shortest };
  return {
    ...layout,
    canvas,
    destination: scaleBox(layout.destination, factor, canvas),
    foreground: scaleBox(layout.foreground, factor, canvas),
  };
}

/**
 * Computes the layout of an output.
 * @param image the upright input
 * @param subject its box, within the image
 */
export function layoutOf(image: Size, subject: Box, geometry: Geometry): Layout {
  const { scale, position, maxPixels } = geometry;
  const frame = frameOf(image, subject, geometry);
  const canvas = { width: frame.width, height: frame.height };
  const isUnmoved = !scale && !position;
  const source = isUnmoved ? intersect(frame, fullBox(image)) : subject;
  const destination = isUnmoved
    ? relativeTo(source, frame)
    : placeSubject(subject, frame, geometry);
  const foreground = isUnmoved ? relativeTo(subject, frame) : destination;
  const layout = { canvas, source, destination, foreground };
  return maxPixels ? limitPixels(layout, maxPixels) : layout;
}
