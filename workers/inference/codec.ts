import sharp, { type Sharp } from 'sharp';
import { sniffFormat } from '../../src/imaging/image-header.ts';
import {
  type Box,
  fullBox,
  intersect,
  type Matte,
  type MattedImage,
  type Pixels,
  type Rgb,
  type Size,
} from '../../src/imaging/picture.ts';
import { readFile } from './files/read-file.ts';
import { DecodeError } from './files/readable-file.ts';

/**
 * Prepares this process to decode untrusted images: only the three accepted formats are read, with one
 * thread (other cores belong to other processes) and no cache (no image is decoded twice).
 */
export function restrictDecoders(): void {
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  });
}

/** Pixels, sRGB, 8 bits; `opacity` only if some pixel is transparent. */
interface ReadPixels {
  pixels: Pixels;
  opacity: Uint8Array | undefined;
}

/** A decoded image: upright, first frame. */
export interface DecodedImage extends ReadPixels {
  /** Whether the file is damaged, so that pixels may be wrong although all rows are there. */
  isDamaged: boolean;
}

const RGB = 3;
const RGBA = 4;

/** Splits interleaved RGBA, in place, into RGB (at the front of the buffer) and opacity. */
function splitOpacity(data: Uint8Array): { colours: Uint8Array; opacity: Uint8Array } {
  const count = data.length / RGBA;
  const opacity = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    opacity[i] = data[RGBA * i + RGB]!;
    for (let c = 0; c < RGB; c++) data[RGB * i + c] = data[RGBA * i + c]!;
  }
  return { colours: data.subarray(0, count * RGB), opacity };
}

/** Offset of the bit depth in a PNG's header; the colour type follows. */
const PNG_DEPTH_OFFSET = 24;
/** Colour types without colour. */
const PNG_GREY = [0, 4];

/**
 * The space in which libvips is to work on a PNG of 16 bits. It would convert colours with a profile to Display P3, and
 * treat the result as sRGB; the profiles of greys it would ignore.
 */
function spaceOf(image: Uint8Array): 'srgb' | 'b-w' | undefined {
  const [depth, colourType] = image.subarray(PNG_DEPTH_OFFSET);
  if (sniffFormat(image) !== 'png' || depth !== 16) return undefined;
  return PNG_GREY.includes(colourType!) ? 'b-w' : 'srgb';
}

/** Makes an image upright, sRGB and 8 bits a channel. */
function upright(image: Uint8Array, decoder: Sharp): Sharp {
  const pipeline = decoder.autoOrient().toColourspace('srgb');
  const space = spaceOf(image);
  return space ? pipeline.pipelineColourspace(space) : pipeline;
}

async function readPixels(pipeline: Sharp): Promise<ReadPixels> {
  const { data, info } = await pipeline
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  if (channels === RGB) return { pixels: { data, width, height }, opacity: undefined };
  const { colours, opacity } = splitOpacity(data);
  const isOpaque = opacity.every((alpha) => alpha === 255);
  return { pixels: { data: colours, width, height }, opacity: isOpaque ? undefined : opacity };
}

/**
 * Decodes a JPEG, PNG or WebP. Applies the EXIF orientation, converts an embedded ICC profile and CMYK
 * to sRGB, greys and palettes to RGB, and 16 bits to 8.
 * @throws DecodeError if not all rows are there, or the image has more than `maxPixels`
 */
export const decode = (image: Uint8Array, maxPixels: number): Promise<DecodedImage> =>
  readFile(image, maxPixels, (decoder) => readPixels(upright(image, decoder)));

/**
 * Decodes the last channel of a PNG, 8 bits a pixel: its alpha, or what it has instead. An embedded profile changes
 * nothing.
 * @throws DecodeError like `decode`
 */
export async function decodeLastChannel(png: Uint8Array, maxPixels: number): Promise<Matte> {
  try {
    const image = sharp(png, { limitInputPixels: maxPixels, failOn: 'error', ignoreIcc: true });
    const { channels: sent } = await image.metadata();
    const { data, info } = await image
      .toColourspace(sent === 1 ? 'b-w' : 'srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const last = new Uint8Array(width * height);
    for (let i = 0; i < last.length; i++) last[i] = data[channels * i + channels - 1]!;
    return { data: last, width, height };
  } catch (error) {
    throw new DecodeError(undefined, error);
  }
}

/**
 * Decodes an image scaled down to at most `side` pixels a side, much faster than in full.
 * @returns the small image, and as `width` and `height` the size of the full upright one
 * @throws DecodeError like `decode`
 */
export const decodeSmall = (
  image: Uint8Array,
  maxPixels: number,
  side: number,
): Promise<DecodedImage & { width: number; height: number }> =>
  readFile(image, maxPixels, async (decoder) => {
    const full = upright(image, decoder);
    const { autoOrient } = await full.metadata();
    const small = full.resize({
      width: side,
      height: side,
      fit: 'inside',
      withoutEnlargement: true,
    });
    const decoded = await readPixels(small);
    return { ...decoded, width: autoOrient.width, height: autoOrient.height };
  });

/** Decodes an image scaled and cropped to cover a size, centred. @throws DecodeError like `decode` */
export const decodeCovering = (
  image: Uint8Array,
  maxPixels: number,
  { width, height }: Size,
): Promise<DecodedImage> =>
  readFile(image, maxPixels, (decoder) =>
    readPixels(upright(image, decoder).resize({ width, height, fit: 'cover' })),
  );

const fromPixels = ({ data, width, height }: Pixels): Sharp =>
  sharp(data, { raw: { width, height, channels: RGB } });

/** Cells of one colour around an image. */
interface Frame {
  cells: number;
  colour: Rgb;
}

export interface View {
  /** The whole image by default. */
  region?: Box;
  isMirrored?: boolean;
  /** On every side; none by default. */
  frame?: Frame;
}

const NO_FRAME: Frame = { cells: 0, colour: { r: 0, g: 0, b: 0 } };

/** Stretches an image, or what a view shows of it, to a size: the input of a network. */
export async function stretch(
  pixels: Pixels,
  size: Size,
  { region = fullBox(pixels), isMirrored = false, frame = NO_FRAME }: View = {},
): Promise<Pixels> {
  const { cells, colour: background } = frame;
  const data = await fromPixels(pixels)
    .extract(region)
    .flop(isMirrored)
    .resize(size.width - 2 * cells, size.height - 2 * cells, { fit: 'fill', kernel: 'lanczos3' })
    .extend({ left: cells, right: cells, top: cells, bottom: cells, background })
    .raw()
    .toBuffer();
  return { data, ...size };
}

/** Stretches an image to a square, the input of most networks. */
export const toSquare = (pixels: Pixels, side: number, view?: View): Promise<Pixels> =>
  stretch(pixels, { width: side, height: side }, view);

/** Combines colours and alpha to RGBA, 4 bytes a pixel. */
export function interleave({ data }: Pixels, alpha: Uint8Array): Uint8Array {
  const rgba = new Uint8Array(alpha.length * RGBA);
  for (let i = 0; i < alpha.length; i++) {
    for (let c = 0; c < RGB; c++) rgba[RGBA * i + c] = data[RGB * i + c]!;
    rgba[RGBA * i + RGB] = alpha[i]!;
  }
  return rgba;
}

/**
 * Puts a region of an RGBA image on a white square, as large as fits.
 * @param box may extend beyond the image; there it is white
 */
export async function onWhiteSquare(rgba: Pixels, box: Box, side: number): Promise<Pixels> {
  const { width, height } = rgba;
  const seen = intersect(box, fullBox(rgba));
  const [left, top] = [seen.left - box.left, seen.top - box.top];
  const region = await sharp(rgba.data, { raw: { width, height, channels: RGBA } })
    .extract(seen)
    .extend({
      left,
      top,
      right: box.width - left - seen.width,
      bottom: box.height - top - seen.height,
      background: '#fff',
    })
    .flatten({ background: '#fff' })
    .raw()
    .toBuffer();
  const data = await fromPixels({ data: region, width: box.width, height: box.height })
    .resize(side, side, { fit: 'contain', background: '#fff' })
    .raw()
    .toBuffer();
  return { data, width: side, height: side };
}

export async function resizeMattedImage(
  { pixels, matte }: MattedImage,
  { width, height }: Size,
): Promise<MattedImage> {
  const raw = { width: pixels.width, height: pixels.height, channels: RGBA } as const;
  const data = await sharp(interleave(pixels, matte.data), { raw })
    .resize(width, height, { fit: 'fill', kernel: 'lanczos3' })
    .raw()
    .toBuffer();
  const { colours, opacity } = splitOpacity(data);
  return {
    pixels: { data: colours, width, height },
    matte: { data: opacity, width, height },
  };
}
