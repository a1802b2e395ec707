import {
  compositeOver,
  crop,
  evenMatte,
  type MattedImage,
  paste,
  type Size,
  solidImage,
} from '../../src/imaging/picture.ts';
import { FORMATS } from '../../src/output/formats.ts';
import type { Layout } from '../../src/output/geometry.ts';
import { defaultOf } from '../../src/output/option-table.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import { decodeCovering, resizeMattedImage } from './codec.ts';
import { DecodeError } from './decode-error.ts';
import { dropShadow, ownShadow } from './shadow.ts';

type Color = [number, number, number, number];
const TRANSPARENT: Color = [0, 0, 0, 0];
const WHITE: Color = [255, 255, 255, 255];

export function parseHexColor(color: string): Color {
  const [red = 0, green = 0, blue = 0, alpha = 255] = Buffer.from(color.slice(1), 'hex');
  return [red, green, blue, alpha];
}

const haveSameSize = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;

/** Places the subject on its transparent canvas; returns the same image if nothing moves. */
async function placeOnCanvas(
  cutOut: MattedImage,
  { canvas, source, destination }: Layout,
): Promise<MattedImage> {
  const isWhole = haveSameSize(source, cutOut.pixels);
  const isScaled = !haveSameSize(source, destination);
  const fillsCanvas = haveSameSize(destination, canvas);
  if (isWhole && fillsCanvas && !isScaled) return cutOut;
  const cropped = isWhole ? cutOut : crop(cutOut, source);
  const scaled = isScaled ? await resizeMattedImage(cropped, destination) : cropped;
  if (fillsCanvas) return scaled;
  const whole = solidImage(canvas, TRANSPARENT);
  paste(scaled, destination, whole);
  return whole;
}

/** Decodes a background image, scaled to cover the canvas. @throws Problem invalid-request */
async function decodeBackground(
  image: Uint8Array,
  maxPixels: number,
  canvas: Size,
): Promise<MattedImage> {
  const { pixels, opacity } = await decodeCovering(image, maxPixels, canvas).catch((cause) => {
    if (!(cause instanceof DecodeError)) throw cause;
    const errors = [{ pointer: '/backgroundImage', detail: cause.message }];
    throw new Problem('invalid-request', `The background image ${cause.message}`, {
      errors,
      cause,
    });
  });
  return { pixels, matte: opacity ? { ...pixels, data: opacity } : evenMatte(pixels, 255) };
}

/** The lengths of image and canvas along one axis, pixels. */
interface Extent {
  image: number;
  canvas: number;
}

/** Extends a range and where it is drawn, both in pixels, to all that fits on the canvas. */
function extend(from: number, length: number, to: number, drawn: number, max: Extent) {
  const scale = drawn / length;
  const before = Math.min(from, Math.floor(to / scale));
  const after = Math.min(max.image - from - length, Math.floor((max.canvas - to - drawn) / scale));
  const start = to - Math.round(before * scale);
  const end = to + drawn + Math.round(after * scale);
  return {
    source: [from - before, before + length + after] as const,
    destination: [Math.max(0, start), Math.min(max.canvas, end) - Math.max(0, start)] as const,
  };
}

/** Returns the layout of all around the subject that fits on the canvas, not only of its box. */
function layoutAround({ width, height }: Size, layout: Layout): Layout {
  const { canvas, source, destination } = layout;
  const x = extend(source.left, source.width, destination.left, destination.width, {
    image: width,
    canvas: canvas.width,
  });
  const y = extend(source.top, source.height, destination.top, destination.height, {
    image: height,
    canvas: canvas.height,
  });
  const boxOf = (of: 'source' | 'destination') => ({
    left: x[of][0],
    width: x[of][1],
    top: y[of][0],
    height: y[of][1],
  });
  return { ...layout, source: boxOf('source'), destination: boxOf('destination') };
}

/** Returns the photo's own shadow on the canvas. @param cutOut before it is placed */
async function placedShadow(cutOut: MattedImage, layout: Layout): Promise<MattedImage[]> {
  const shadow = await ownShadow(cutOut);
  return shadow ? [await placeOnCanvas(shadow, layoutAround(cutOut.pixels, layout))] : [];
}

/** Yields the layers below the subject, from top to bottom. A shadow is drawn before anything is below it. */
async function* layersBelow(
  subject: MattedImage,
  { canvas, foreground }: Layout,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
): AsyncGenerator<MattedImage> {
  const {
    shadow,
    shadowOpacityPct = defaultOf('shadowOpacityPct'),
    backgroundColor,
    format = 'png',
  } = options;
  if (shadow === 'drop') yield dropShadow(subject.matte, foreground, shadowOpacityPct / 100);
  if (background) yield decodeBackground(background, maxPixels, canvas);
  if (backgroundColor) yield solidImage(canvas, parseHexColor(backgroundColor));
  if (!FORMATS[format].hasAlpha) yield solidImage(canvas, WHITE);
}

/**
 * Composes a cut-out according to the options: places it on its canvas, with a shadow and a background.
 * @param cutOut is overwritten if nothing moves
 * @param onPlaced called with the subject on its canvas, before anything is below it
 * @throws Problem if the background cannot be used
 */
export async function compose(
  cutOut: MattedImage,
  layout: Layout,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
  onPlaced: (placed: MattedImage) => void = () => {},
): Promise<MattedImage> {
  const ownShadows = options.shadow === 'keep' ? await placedShadow(cutOut, layout) : [];
  const composite = await placeOnCanvas(cutOut, layout);
  onPlaced(composite);
  if (options.channels === 'alpha') return composite;
  for (const shadow of ownShadows) compositeOver(composite, shadow);
  for await (const layer of layersBelow(composite, layout, options, background, maxPixels)) {
    compositeOver(composite, layer);
  }
  return composite;
}
