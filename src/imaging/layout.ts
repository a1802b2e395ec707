import { type Box, wholeOf } from './subject-box.ts';

/** A length on one axis: pixels of the upright input, or percent of a whole that its place names. */
export interface Length {
  value: number;
  unit: 'px' | '%';
}

export interface Size {
  width: number;
  height: number;
}

/** How the output is cut and where the subject stands in it. */
export interface Geometry {
  /** What is left around the box of the subject, percent of that box; nothing is cut without it. */
  margins?: { top: Length; right: Length; bottom: Length; left: Length } | undefined;
  /** The subject fits in this share of the canvas both ways, 0..1; it keeps its size without it. */
  scale?: number | undefined;
  /** Shares of the space left over that lie left of and above it, 0..1; it stays without them. */
  position?: { across: number; down: number } | undefined;
  /** A larger canvas is scaled down. */
  maxPixels?: number | undefined;
}

/** What of the upright input is drawn where. */
export interface Layout {
  /** Size of the output. */
  canvas: Size;
  /** In the input. */
  source: Box;
  /** In the output; of another size than the source where that is scaled. */
  place: Box;
  /** The box of the subject in the output. */
  foreground: Box;
}

/** A length in pixels. @param whole what percent are of, pixels */
export const pixelsOf = ({ value, unit }: Length, whole: number): number =>
  unit === 'px' ? value : (value / 100) * whole;

/** The part of a picture between two corners, cut to the picture; nothing where none of it is left. */
export function regionOf(
  [left, top, right, bottom]: readonly [Length, Length, Length, Length],
  { width, height }: Size,
): Box | undefined {
  const x = Math.min(width, Math.floor(pixelsOf(left, width)));
  const y = Math.min(height, Math.floor(pixelsOf(top, height)));
  const region = {
    left: x,
    top: y,
    width: Math.min(width, Math.ceil(pixelsOf(right, width))) - x,
    height: Math.min(height, Math.ceil(pixelsOf(bottom, height))) - y,
  };
  return region.width > 0 && region.height > 0 ? region : undefined;
}

/** The input's place that becomes the canvas; with margins it may reach beyond the input. */
function frameOf({ width, height }: Size, subject: Box, { margins }: Geometry): Box {
  if (!margins) return wholeOf({ width, height });
  const left = Math.round(pixelsOf(margins.left, subject.width));
  const right = Math.round(pixelsOf(margins.right, subject.width));
  const top = Math.round(pixelsOf(margins.top, subject.height));
  const bottom = Math.round(pixelsOf(margins.bottom, subject.height));
  return {
    left: subject.left - left,
    top: subject.top - top,
    width: left + subject.width + right,
    height: top + subject.height + bottom,
  };
}

/** What two boxes share, which must be something. */
function shared(a: Box, b: Box): Box {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  return {
    left,
    top,
    width: Math.min(a.left + a.width, b.left + b.width) - left,
    height: Math.min(a.top + a.height, b.top + b.height) - top,
  };
}

const movedBy = (box: Box, { left, top }: Pick<Box, 'left' | 'top'>): Box => ({
  ...box,
  left: box.left - left,
  top: box.top - top,
});

const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most);

/** Where a subject of another size or at another place goes; it always fits. */
function placed(subject: Box, frame: Box, { scale, position }: Geometry): Box {
  const factor = scale
    ? scale * Math.min(frame.width / subject.width, frame.height / subject.height)
    : 1;
  const width = Math.max(1, Math.round(subject.width * factor));
  const height = Math.max(1, Math.round(subject.height * factor));
  const spare = { across: frame.width - width, down: frame.height - height };
  if (position) {
    const left = Math.round(spare.across * position.across);
    return { left, top: Math.round(spare.down * position.down), width, height };
  }
  // Its middle stays where it was, as far as it fits so.
  const left = subject.left - frame.left + Math.round((subject.width - width) / 2);
  const top = subject.top - frame.top + Math.round((subject.height - height) / 2);
  return { left: within(left, spare.across), top: within(top, spare.down), width, height };
}

/** A stretch on one axis, scaled: at least a pixel long, and not beyond the end. */
function scaledStretch(start: number, length: number, factor: number, end: number) {
  const from = Math.min(end - 1, Math.round(start * factor));
  const to = Math.max(from + 1, Math.min(end, Math.round((start + length) * factor)));
  return { start: from, length: to - from };
}

function scaledBox(box: Box, factor: number, { width, height }: Size): Box {
  const across = scaledStretch(box.left, box.width, factor, width);
  const down = scaledStretch(box.top, box.height, factor, height);
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

/** The same in fewer pixels. */
function shrunkTo(layout: Layout, maxPixels: number): Layout {
  const { width, height } = layout.canvas;
  const factor = Math.sqrt(maxPixels / (width * height));
  if (factor >= 1) return layout;
  // Of a very narrow canvas the short side cannot shrink below a pixel.
  const shortest = Math.max(1, Math.floor(Math.min(width, height) * factor));
  const longest = Math.floor(Math.min(Math.max(width, height) * factor, maxPixels / shortest));
  const canvas =
    width < height ? { width: shortest, height: longest } : { width: longest, height: shortest };
  return {
    ...layout,
    canvas,
    place: scaledBox(layout.place, factor, canvas),
    foreground: scaledBox(layout.foreground, factor, canvas),
  };
}

/**
 * What is drawn where.
 * @param picture the upright input
 * @param subject its box, within the picture
 */
export function layoutOf(picture: Size, subject: Box, geometry: Geometry): Layout {
  const { scale, position, maxPixels } = geometry;
  const frame = frameOf(picture, subject, geometry);
  const canvas = { width: frame.width, height: frame.height };
  const stays = !scale && !position;
  const source = stays ? shared(frame, wholeOf(picture)) : subject;
  const place = stays ? movedBy(source, frame) : placed(subject, frame, geometry);
  const foreground = stays ? movedBy(subject, frame) : place;
  const layout = { canvas, source, place, foreground };
  return maxPixels ? shrunkTo(layout, maxPixels) : layout;
}
