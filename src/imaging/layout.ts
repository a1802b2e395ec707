import { type Box, fullBox } from './subject-box.ts';

/** A length on one axis: pixels of the upright input, or percent of the length named where it is used. */
export interface Length {
  value: number;
  unit: 'px' | '%';
}

export interface Size {
  width: number;
  height: number;
}

/** Returns a size scaled to whole pixels, at least one a side. */
export const scaleSize = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
});

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
  const region = {
    left: x,
    top: y,
    width: Math.min(width, Math.ceil(toPixels(right, width))) - x,
    height: Math.min(height, Math.ceil(toPixels(bottom, height))) - y,
  };
  return region.width > 0 && region.height > 0 ? region : undefined;
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

/** Returns the intersection of two boxes that overlap. */
export function intersect(a: Box, b: Box): Box {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  return {
    left,
    top,
    width: Math.min(a.left + a.width, b.left + b.width) - left,
    height: Math.min(a.top + a.height, b.top + b.height) - top,
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
