import sharp, { type Sharp } from 'sharp';
import type { Pair } from '../../src/imaging/downscale.ts';
import type { Size } from '../../src/imaging/layout.ts';
import { sniffFormat } from '../../src/imaging/sniff.ts';
import { type Box, wholeOf } from '../../src/imaging/subject-box.ts';
import type { Pixels } from '../../src/imaging/tensor.ts';
import { Undecodable } from './undecodable.ts';

/**
 * Makes this process one that decodes strangers' pictures: only the three accepted formats are read, one
 * thread (other cores belong to other processes) and no cache (no picture comes twice).
 */
export function lockDown(): void {
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

/** A decoded picture: upright, sRGB, 8 bits, first frame; `opacity` where it is transparent anywhere. */
export interface Decoded {
  pixels: Pixels;
  opacity: Uint8Array | undefined;
}

const RGB = 3;
const RGBA = 4;

/** Parts interleaved RGBA, in place, into RGB (the buffer's front) and opacity. */
function splitOpacity(data: Uint8Array): { colours: Uint8Array; opacity: Uint8Array } {
  const count = data.length / RGBA;
  const opacity = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    opacity[i] = data[RGBA * i + RGB]!;
    for (let c = 0; c < RGB; c++) data[RGB * i + c] = data[RGBA * i + c]!;
  }
  return { colours: data.subarray(0, count * RGB), opacity };
}

/** Where a PNG tells its bits a channel, in the header it must begin with. */
const PNG_DEPTH_AT = 24;
const isDeep = (image: Uint8Array): boolean =>
  sniffFormat(image) === 'png' && image[PNG_DEPTH_AT] === 16;

/** The picture upright, in sRGB and 8 bits a channel; nothing is decoded yet. */
function upright(image: Uint8Array, maxPixels: number): Sharp {
  const picture = sharp(image, { limitInputPixels: maxPixels, failOn: 'error' })
    .autoOrient()
    .toColourspace('srgb');
  // What has 16 bits and a profile would be converted to Display P3, and then be taken for sRGB.
  return isDeep(image) ? picture.pipelineColourspace('srgb') : picture;
}

async function read(pipeline: Sharp): Promise<Decoded> {
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
 * Decodes a JPEG, PNG or WebP. EXIF orientation is applied, an embedded ICC profile and CMYK are
 * converted to sRGB, greys and palettes become RGB, 16 bits become 8.
 * @throws Undecodable also where there are more than `maxPixels`
 */
export async function decode(image: Uint8Array, maxPixels: number): Promise<Decoded> {
  try {
    return await read(upright(image, maxPixels));
  } catch (error) {
    throw new Undecodable(error);
  }
}

/**
 * Decodes a picture to at most `side` pixels a side, much faster than whole.
 * @returns beside the small picture the size of the upright whole
 * @throws Undecodable as `decode`
 */
export async function decodeSmall(
  image: Uint8Array,
  maxPixels: number,
  side: number,
): Promise<Decoded & { width: number; height: number }> {
  try {
    const whole = upright(image, maxPixels);
    const { autoOrient } = await whole.metadata();
    const small = whole.resize({
      width: side,
      height: side,
      fit: 'inside',
      withoutEnlargement: true,
    });
    return { ...(await read(small)), width: autoOrient.width, height: autoOrient.height };
  } catch (error) {
    throw new Undecodable(error);
  }
}

/**
 * Decodes a picture so that it just covers a place, its middle in the middle.
 * @throws Undecodable as `decode`
 */
export async function decodeCovering(
  image: Uint8Array,
  maxPixels: number,
  { width, height }: Size,
): Promise<Decoded> {
  try {
    return await read(upright(image, maxPixels).resize({ width, height, fit: 'cover' }));
  } catch (error) {
    throw new Undecodable(error);
  }
}

const fromPixels = ({ data, width, height }: Pixels): Sharp =>
  sharp(data, { raw: { width, height, channels: RGB } });

/**
 * A picture stretched to a square, as networks see it.
 * @param part all of it, unless said
 */
export async function toSquare(
  pixels: Pixels,
  side: number,
  part = wholeOf(pixels),
  mirrored = false,
): Promise<Pixels> {
  const data = await fromPixels(pixels)
    .extract(part)
    .flop(mirrored)
    .resize(side, side, { fit: 'fill', kernel: 'lanczos3' })
    .raw()
    .toBuffer();
  return { data, width: side, height: side };
}

/** Colours and alpha as RGBA, 4 bytes a pixel. */
export function interleave({ data }: Pixels, alpha: Uint8Array): Uint8Array {
  const rgba = new Uint8Array(alpha.length * RGBA);
  for (let i = 0; i < alpha.length; i++) {
    for (let c = 0; c < RGB; c++) rgba[RGBA * i + c] = data[RGB * i + c]!;
    rgba[RGBA * i + RGB] = alpha[i]!;
  }
  return rgba;
}

/**
 * A part of an RGBA picture on a white square, as large as it fits.
 * @param box may reach beyond the picture; there it is white
 */
export async function onWhiteSquare(rgba: Pixels, box: Box, side: number): Promise<Pixels> {
  const { width, height } = rgba;
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
  const right = Math.min(width, box.left + box.width);
  const bottom = Math.min(height, box.top + box.height);
  const part = await sharp(rgba.data, { raw: { width, height, channels: RGBA } })
    .extract({ left, top, width: right - left, height: bottom - top })
    .extend({
      left: left - box.left,
      top: top - box.top,
      right: box.left + box.width - right,
      bottom: box.top + box.height - bottom,
      background: '#fff',
    })
    .flatten({ background: '#fff' })
    .raw()
    .toBuffer();
  const data = await fromPixels({ data: part, width: box.width, height: box.height })
    .resize(side, side, { fit: 'contain', background: '#fff' })
    .raw()
    .toBuffer();
  return { data, width: side, height: side };
}

/** A picture and its matte in another size. */
export async function resizePair({ pixels, matte }: Pair, { width, height }: Size): Promise<Pair> {
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
