import { zipSync } from 'fflate';
import sharp, { type Sharp } from 'sharp';
import { measureOwnShadow } from '../../src/imaging/own-shadow.ts';
import {
  type Box,
  compositeOver,
  crop,
  evenMatte,
  type Matte,
  type MattedImage,
  paste,
  type Size,
  solidImage,
} from '../../src/imaging/picture.ts';
import { FORMATS, type Format } from '../../src/output/formats.ts';
import type { Layout } from '../../src/output/geometry.ts';
import { defaultOf } from '../../src/output/option-table.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import { encodePng } from './assembly.ts';
import { decodeCovering, interleave, resizeMattedImage } from './codec.ts';
import { DecodeError } from './files/readable-file.ts';

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

/** Blur radius and downward offset of a drawn shadow, as shares of the longer side of the subject. */
const BLUR = 0.03;
const OFFSET = 0.03;
/** A shadow has no detail: it is drawn at this size at most, pixels a side, and enlarged. */
const MAX_DRAWN_SIDE_PIXELS = 512;
/** The smallest sigma that sharp accepts, pixels. */
const MIN_SIGMA = 0.3;

const raw = ({ width, height }: Size, channels: 1 | 3 | 4) => ({
  raw: { width, height, channels },
});

/** Enlarges a matte without detail. */
const enlarge = (matte: Matte, { width, height }: Size): Promise<Buffer> =>
  sharp(matte.data, raw(matte, 1))
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .extractChannel(0)
    .raw()
    .toBuffer();

/**
 * Draws the soft shadow of a subject below it, in the size of its canvas; the rest is cut off.
 * @param opacity 0..1, at the darkest point
 */
async function dropShadow(matte: Matte, subject: Box, opacity: number): Promise<MattedImage> {
  const { width, height } = matte;
  const side = Math.max(subject.width, subject.height);
  const factor = Math.min(1, MAX_DRAWN_SIDE_PIXELS / Math.max(width, height));
  const { data, info } = await sharp(matte.data, raw(matte, 1))
    .resize(Math.ceil(width * factor), Math.ceil(height * factor), { fit: 'fill' })
    .blur(Math.max(MIN_SIGMA, BLUR * side * factor))
    .linear(opacity, 0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const blurred = await enlarge({ data, width: info.width, height: info.height }, matte);
  const offset = Math.min(height, Math.round(OFFSET * side));
  const shadow = solidImage(matte, TRANSPARENT);
  shadow.matte.data.set(blurred.subarray(0, (height - offset) * width), offset * width);
  return shadow;
}

/**
 * Extends a range of the image and where it is drawn, along one axis, to all that fits on the canvas.
 * @param image and `canvas`: their lengths, pixels
 */
function extend(
  from: number,
  length: number,
  to: number,
  drawn: number,
  image: number,
  canvas: number,
) {
  const scale = drawn / length;
  const before = Math.min(from, Math.floor(to / scale));
  const after = Math.min(image - from - length, Math.floor((canvas - to - drawn) / scale));
  const start = Math.max(0, to - Math.round(before * scale));
  const end = Math.min(canvas, to + drawn + Math.round(after * scale));
  return { source: [from - before, before + length + after], destination: [start, end - start] };
}

/** Returns the layout of all around the subject that fits on the canvas, not only of its box. */
function layoutAround({ width, height }: Size, layout: Layout): Layout {
  const { canvas, source: from, destination: to } = layout;
  const x = extend(from.left, from.width, to.left, to.width, width, canvas.width);
  const y = extend(from.top, from.height, to.top, to.height, height, canvas.height);
  const boxOf = (of: 'source' | 'destination') => ({
    left: x[of][0]!,
    width: x[of][1]!,
    top: y[of][0]!,
    height: y[of][1]!,
  });
  return { ...layout, source: boxOf('source'), destination: boxOf('destination') };
}

/**
 * Returns the shadow that the photo itself shows, on the canvas; nothing if the backdrop is not even.
 * @param cutOut as photographed, before it is placed
 */
async function keptShadow(cutOut: MattedImage, layout: Layout): Promise<MattedImage | undefined> {
  const measured = measureOwnShadow(cutOut);
  if (!measured) return undefined;
  const shadow = solidImage(cutOut.matte, TRANSPARENT);
  shadow.matte.data.set(await enlarge(measured, cutOut.matte));
  return placeOnCanvas(shadow, layoutAround(cutOut.pixels, layout));
}

/** Yields the layers below the subject, from top to bottom. A shadow is drawn before anything is below it. */
async function* layersBelow(
  subject: MattedImage,
  { canvas, foreground }: Layout,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
): AsyncGenerator<MattedImage> {
  const { shadow, shadowOpacityPct, backgroundColor, format = 'png' } = options;
  if (shadow === 'drop') {
    const opacityPct = shadowOpacityPct ?? defaultOf('shadowOpacityPct');
    yield dropShadow(subject.matte, foreground, opacityPct / 100);
  }
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
  const kept = options.shadow === 'keep' ? await keptShadow(cutOut, layout) : undefined;
  const composite = await placeOnCanvas(cutOut, layout);
  onPlaced(composite);
  if (options.channels === 'alpha') return composite;
  if (kept) compositeOver(composite, kept);
  for await (const layer of layersBelow(composite, layout, options, background, maxPixels))
    compositeOver(composite, layer);
  return composite;
}

/** docs/adr/0021-output-options.md has the cost and quality of these settings. */
const JPEG_QUALITY = 90;
/** For files that must be smaller. */
export const LOWER_JPEG_QUALITIES = [80, 70, 60] as const;
const WEBP = { quality: 90, alphaQuality: 100, effort: 2 } as const;

export const encodeJpeg = ({ pixels }: MattedImage, quality = JPEG_QUALITY): Promise<Uint8Array> =>
  sharp(pixels.data, raw(pixels, 3)).jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer();

const COLOUR_ENCODERS: Readonly<Record<Format, (image: MattedImage) => Promise<Uint8Array>>> = {
  png: async ({ pixels, matte }) => encodePng(pixels, matte),
  jpeg: (image) => encodeJpeg(image),
  webp: ({ pixels, matte }) =>
    sharp(interleave(pixels, matte.data), raw(pixels, 4)).webp(WEBP).toBuffer(),
};

const GREY_ENCODERS: Readonly<Record<Format, (image: Sharp) => Sharp>> = {
  png: (image) => image.png({ compressionLevel: 6 }),
  jpeg: (image) => image.jpeg({ quality: JPEG_QUALITY }),
  webp: (image) => image.webp(WEBP),
};

const encodeMatte = ({ matte }: MattedImage, format: Format): Promise<Uint8Array> =>
  GREY_ENCODERS[format](sharp(matte.data, raw(matte, 1)).toColourspace('b-w')).toBuffer();

/** A fixed time, which makes the archive reproducible. */
const ZIP = { level: 0, mtime: new Date(1980, 0, 1) } as const;

/** Encodes the two files that clients of remove.bg combine: the colours, and the matte. */
async function encodeZip(image: MattedImage): Promise<Uint8Array> {
  const [colours, matte] = await Promise.all([encodeJpeg(image), encodeMatte(image, 'png')]);
  return zipSync({ 'color.jpg': colours, 'alpha.png': matte }, ZIP);
}

/** Encodes an image in the requested format, without metadata. For a JPEG the image must be opaque. */
export function encode(image: MattedImage, options: CutOutOptions): Promise<Uint8Array> {
  if (options.asZip) return encodeZip(image);
  const format: Format = options.format ?? 'png';
  if (options.channels === 'alpha') return encodeMatte(image, format);
  return COLOUR_ENCODERS[format](image);
}
