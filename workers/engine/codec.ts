import sharp, { type Sharp } from 'sharp';
import type { Pixels } from '../../src/image/tensor.ts';
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

/**
 * Decodes a JPEG, PNG or WebP. EXIF orientation is applied, an embedded ICC profile and CMYK are
 * converted to sRGB, greys and palettes become RGB, 16 bits become 8.
 * @throws Undecodable also where there are more than `maxPixels`
 */
export async function decode(image: Uint8Array, maxPixels: number): Promise<Decoded> {
  try {
    const { data, info } = await sharp(image, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    if (channels === RGB) return { pixels: { data, width, height }, opacity: undefined };
    const { colours, opacity } = splitOpacity(data);
    const isOpaque = opacity.every((alpha) => alpha === 255);
    return { pixels: { data: colours, width, height }, opacity: isOpaque ? undefined : opacity };
  } catch (error) {
    throw new Undecodable(error);
  }
}

const fromPixels = ({ data, width, height }: Pixels): Sharp =>
  sharp(data, { raw: { width, height, channels: RGB } });

/** The picture stretched to a square, as networks see it. */
export async function toSquare(pixels: Pixels, side: number): Promise<Pixels> {
  const data = await fromPixels(pixels)
    .resize(side, side, { fit: 'fill', kernel: 'lanczos3' })
    .raw()
    .toBuffer();
  return { data, width: side, height: side };
}
