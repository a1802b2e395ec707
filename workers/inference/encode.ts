import { zipSync } from 'fflate';
import sharp, { type Sharp } from 'sharp';
import type { MattedImage } from '../../src/imaging/picture.ts';
import type { Format } from '../../src/output/formats.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { interleave } from './codec.ts';
import { encodePng } from './png.ts';

/** docs/adr/0021-output-options.md has the cost and quality of these settings. */
const JPEG = { quality: 90, chromaSubsampling: '4:4:4' } as const;
/** Qualities below that of `JPEG`, for files that must be smaller. */
export const LOWER_JPEG_QUALITIES = [80, 70, 60] as const;
const WEBP = { quality: 90, alphaQuality: 100, effort: 2 } as const;

const raw = ({ width, height }: { width: number; height: number }, channels: 1 | 3 | 4) => ({
  raw: { width, height, channels },
});

const GREY_ENCODERS: Readonly<Record<Format, (image: Sharp) => Sharp>> = {
  png: (image) => image.png({ compressionLevel: 6 }),
  jpeg: (image) => image.jpeg({ quality: JPEG.quality }),
  webp: (image) => image.webp(WEBP),
};

/** Encodes the matte alone, as a greyscale image. */
const encodeMatte = ({ matte }: MattedImage, format: Format): Promise<Uint8Array> =>
  GREY_ENCODERS[format](sharp(matte.data, raw(matte, 1)).toColourspace('b-w')).toBuffer();

/** A fixed time, which makes the archive reproducible. */
const ZIP = { level: 0, mtime: new Date(1980, 0, 1) } as const;

/** Encodes the two files that clients of remove.bg combine: the colours, and the matte. */
async function encodeZip(image: MattedImage): Promise<Uint8Array> {
  const [colours, matte] = await Promise.all([
    COLOUR_ENCODERS.jpeg(image),
    encodeMatte(image, 'png'),
  ]);
  return zipSync({ 'color.jpg': colours, 'alpha.png': matte }, ZIP);
}

const COLOUR_ENCODERS: Readonly<Record<Format, (image: MattedImage) => Promise<Uint8Array>>> = {
  png: async ({ pixels, matte }) => encodePng(pixels, matte),
  jpeg: ({ pixels }) => sharp(pixels.data, raw(pixels, 3)).jpeg(JPEG).toBuffer(),
  webp: ({ pixels, matte }) =>
    sharp(interleave(pixels, matte.data), raw(pixels, 4)).webp(WEBP).toBuffer(),
};

export const encodeJpeg = ({ pixels }: MattedImage, quality: number): Promise<Uint8Array> =>
  sharp(pixels.data, raw(pixels, 3))
    .jpeg({ ...JPEG, quality })
    .toBuffer();

/** Encodes an image in the requested format, without metadata. For a JPEG the image must be opaque. */
export function encode(image: MattedImage, options: CutOutOptions): Promise<Uint8Array> {
  if (options.asZip) return encodeZip(image);
  const format: Format = options.format ?? 'png';
  if (options.channels === 'alpha') return encodeMatte(image, format);
  return COLOUR_ENCODERS[format](image);
}
