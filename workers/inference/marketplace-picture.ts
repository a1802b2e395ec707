import sharp, { type Sharp } from 'sharp';
import { type Size, scaleSize } from '../../src/imaging/picture.ts';
import type { MarketplacePicture } from './child-results.ts';

/** Requirements of marketplaces (Google Merchant Center, apparel). */
const MIN_SIDE_PIXELS = 500;
const MAX_BYTES = 16_000_000;
const MAX_PIXELS = 64_000_000;
/** A long narrow cut-out is not enlarged past this; its canvas is widened instead. */
const MAX_ENLARGED_SIDE_PIXELS = 4000;

/** Tried in turn until the picture is small enough. */
const JPEG_QUALITIES = [90, 80, 70, 60];
/** Then the sides shrink by `maxFactor` or less: by what the bytes require, times `margin`. */
const SHRINK = { maxFactor: 0.9, margin: 0.95 };

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

export interface MarketplacePictureOptions {
  /** `#rrggbb`; transparent if absent. */
  background?: string | undefined;
}

/** Returns the size of the subject: enlarged if a side is too short, reduced if it has too many pixels. */
function subjectSize(size: Size): Size {
  const { width, height } = size;
  const shorter = Math.min(width, height);
  const longer = Math.max(width, height);
  if (width * height > MAX_PIXELS) {
    return scaleSize(size, Math.sqrt(MAX_PIXELS / (width * height)));
  }
  if (shorter >= MIN_SIDE_PIXELS) return size;
  const needed = MIN_SIDE_PIXELS / shorter;
  const allowed = Math.max(1, MAX_ENLARGED_SIDE_PIXELS / longer);
  return scaleSize(size, Math.min(needed, allowed));
}

/** Returns the padding, even on both sides, that a side still too short needs. */
function padding({ width, height }: Size) {
  const across = Math.max(0, MIN_SIDE_PIXELS - width);
  const down = Math.max(0, MIN_SIDE_PIXELS - height);
  const left = Math.floor(across / 2);
  const top = Math.floor(down / 2);
  return { left, right: across - left, top, bottom: down - top };
}

const fits = (bytes: Uint8Array): boolean => bytes.length <= MAX_BYTES;

/** Encodes the picture in this size at the best quality that fits, or else at the lowest. */
async function encode(source: Sharp, size: Size, background: string | undefined): Promise<Buffer> {
  const canvas = (background ? source.clone().flatten({ background }) : source.clone())
    .resize({ ...size, fit: 'fill', kernel: 'lanczos3' })
    .extend({ ...padding(size), background: background ?? TRANSPARENT })
    .toColourspace('srgb');
  if (!background) return canvas.png({ compressionLevel: 7 }).toBuffer();
  let bytes: Buffer | undefined;
  for (const quality of JPEG_QUALITIES) {
    bytes = await canvas.clone().jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer();
    if (fits(bytes)) return bytes;
  }
  if (!bytes) throw new Error('There is no JPEG quality to encode with');
  return bytes;
}

/**
 * Renders a cut-out as marketplaces require it: on the given colour, both sides at least 500 pixels, at most
 * 16 MB, sRGB, without metadata.
 * @param cutout a PNG of our own
 * @returns undefined if the cut-out itself meets the requirements
 */
export async function marketplacePicture(
  cutout: Uint8Array,
  { background }: MarketplacePictureOptions = {},
): Promise<MarketplacePicture | undefined> {
  const source = sharp(cutout, { limitInputPixels: false });
  const { width, height } = await source.metadata();
  let size = subjectSize({ width, height });
  const isUnscaled = size.width === width && size.height === height;
  const isLargeEnough = Math.min(width, height) >= MIN_SIDE_PIXELS;
  if (!background && isUnscaled && isLargeEnough && fits(cutout)) return undefined;
  let bytes = await encode(source, size, background);
  while (!fits(bytes) && Math.min(size.width, size.height) > MIN_SIDE_PIXELS) {
    const needed = Math.sqrt(MAX_BYTES / bytes.length) * SHRINK.margin;
    const min = MIN_SIDE_PIXELS / Math.min(size.width, size.height);
    size = scaleSize(size, Math.max(min, Math.min(needed, SHRINK.maxFactor)));
    bytes = await encode(source, size, background);
  }
  return {
    bytes,
    mediaType: background ? 'image/jpeg' : 'image/png',
    width: Math.max(size.width, MIN_SIDE_PIXELS),
    height: Math.max(size.height, MIN_SIDE_PIXELS),
  };
}
