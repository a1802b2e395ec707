import type { Box, Size } from '../../imaging/picture.ts';
import type { Layout } from '../geometry.ts';

/** What a picture's measures may be; an absent bound allows all. */
export interface MeasureBounds {
  /** Of the picture's width or height that the subject takes, whichever is more, 0..1. */
  fill?: { min?: number | undefined; max?: number | undefined } | undefined;
  /** On each side, as a share of its axis. */
  minMargin?: number | undefined;
  /** Width divided by height. */
  aspect?: { min?: number | undefined; max?: number | undefined } | undefined;
  /** Pixels. */
  longest?: { min?: number | undefined; max?: number | undefined } | undefined;
  shortest?: { min?: number | undefined; max?: number | undefined } | undefined;
  maxPixels?: number | undefined;
}

type Range = { min?: number | undefined; max?: number | undefined } | undefined;

/** How much of the picture a subject takes if the bounds leave a choice. */
const PREFERRED_FILL = 0.92;
/** Room for rounding to pixels, as a share. */
const SLACK = 0.003;

const isWithin = (value: number, range: Range): boolean =>
  value >= (range?.min ?? value) && value <= (range?.max ?? value);

const clamp = (value: number, { min = 0, max = Number.POSITIVE_INFINITY }: NonNullable<Range>) =>
  Math.min(Math.max(value, min), max);

/** Returns a picture's width divided by its height; within a range that it misses by less than a pixel. */
export function aspectWithin({ width, height }: Size, range: Range): number {
  const nearest = clamp(width / height, range ?? {});
  return Math.abs(nearest * height - width) <= 1 ? nearest : width / height;
}

export function meetsBounds({ canvas, foreground }: Layout, bounds: MeasureBounds): boolean {
  const { width, height } = canvas;
  const { left, top } = foreground;
  const right = width - left - foreground.width;
  const bottom = height - top - foreground.height;
  const margin = Math.min(left / width, right / width, top / height, bottom / height);
  return (
    isWithin(Math.max(foreground.width / width, foreground.height / height), bounds.fill) &&
    margin >= (bounds.minMargin ?? margin) &&
    isWithin(aspectWithin(canvas, bounds.aspect), bounds.aspect) &&
    isWithin(Math.max(width, height), bounds.longest) &&
    isWithin(Math.min(width, height), bounds.shortest) &&
    width * height <= (bounds.maxPixels ?? Number.POSITIVE_INFINITY)
  );
}

/** Returns a canvas of this aspect or a nearer allowed one: no side gets shorter. */
function withAspect({ width, height }: Size, range: Range): Size {
  const aspect = clamp(width / height, range ?? {});
  return width / height < aspect
    ? { width: height * aspect, height }
    : { width, height: width / aspect };
}

/** Returns a canvas around a subject of which it takes the given share. Margins are even unless the aspect forbids. */
function canvasAround({ width, height }: Size, fill: number, aspect: Range): Size {
  const margins = Math.max(width, height) * (1 / fill - 1);
  const canvas = withAspect({ width: width + margins, height: height + margins }, aspect);
  const factor = Math.max(width / canvas.width, height / canvas.height) / fill;
  return { width: canvas.width * factor, height: canvas.height * factor };
}

/** Extends the shorter side, as far as the aspect allows. */
function extendShorter(canvas: Size, min: number, { aspect }: MeasureBounds): Size {
  const { width, height } = canvas;
  const extended =
    width < height
      ? { width: Math.max(width, min), height }
      : { width, height: Math.max(height, min) };
  return isWithin(aspectWithin(extended, aspect), aspect) ? extended : canvas;
}

/** Returns by how much a canvas must grow for its sides, as far as the subject still fills enough of it. */
function growthOf(canvas: Size, fill: number, bounds: MeasureBounds, maxPixels: number): number {
  const { width, height } = canvas;
  const needed = Math.max(
    1,
    (bounds.longest?.min ?? 0) / Math.max(width, height),
    (bounds.shortest?.min ?? 0) / Math.min(width, height),
  );
  const minFill = (bounds.fill?.min ?? 0) * (1 + SLACK);
  const room = minFill > 0 ? Math.max(1, fill / minFill) : Number.POSITIVE_INFINITY;
  return Math.min(needed, room, Math.max(1, Math.sqrt(maxPixels / (width * height))));
}

/** Returns by how much canvas and subject must shrink, at most 1. */
function reductionOf({ width, height }: Size, bounds: MeasureBounds, maxPixels: number): number {
  const none = Number.POSITIVE_INFINITY;
  return Math.min(
    1,
    (bounds.longest?.max ?? none) / Math.max(width, height),
    (bounds.shortest?.max ?? none) / Math.min(width, height),
    Math.sqrt(Math.min(maxPixels, bounds.maxPixels ?? none) / (width * height)),
  );
}

/**
 * Lays a subject out, centred, so that the picture meets bounds as far as it can without enlarging the subject.
 * @param subject its box in the photo
 * @param maxPixels of the canvas, whatever the bounds say
 */
export function layoutWithin(subject: Box, bounds: MeasureBounds, maxPixels: number): Layout {
  const maxFill = Math.min(bounds.fill?.max ?? 1, 1 - 2 * (bounds.minMargin ?? 0)) - SLACK;
  const fill = clamp(PREFERRED_FILL, { min: (bounds.fill?.min ?? 0) + SLACK, max: maxFill });
  const around = canvasAround(subject, fill, bounds.aspect);
  const extended = extendShorter(around, bounds.shortest?.min ?? 0, bounds);
  const growth = growthOf(extended, fill, bounds, maxPixels);
  const grown = { width: extended.width * growth, height: extended.height * growth };
  const factor = reductionOf(grown, bounds, maxPixels);
  // Up or down as the sides must not get too short or too long; a little less than a pixel does not matter else.
  const round = factor < 1 ? Math.floor : Math.ceil;
  const canvas = {
    width: Math.max(1, round(grown.width * factor)),
    height: Math.max(1, round(grown.height * factor)),
  };
  const width = Math.min(canvas.width, Math.max(1, Math.round(subject.width * factor)));
  const height = Math.min(canvas.height, Math.max(1, Math.round(subject.height * factor)));
  const destination = {
    left: Math.floor((canvas.width - width) / 2),
    top: Math.floor((canvas.height - height) / 2),
    width,
    height,
  };
  return { canvas, source: subject, destination, foreground: destination };
}
