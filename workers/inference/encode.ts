import { zipSync } from 'fflate';
import sharp, { type Sharp } from 'sharp';
import type { Pair } from '../../src/imaging/downscale.ts';
import type { Format } from '../../src/output/options.ts';
import type { CutOutOptions } from '../../src/output/quality.ts';
import { interleave } from './codec.ts';
import { type Effort, encodePng } from './png.ts';

/** See docs/adr/0021-output-options.md for what these cost and give. */
const JPEG = { quality: 90, chromaSubsampling: '4:4:4' } as const;
const WEBP = { quality: 90, alphaQuality: 100, effort: 2 } as const;

const raw = ({ width, height }: { width: number; height: number }, channels: 1 | 3 | 4) => ({
  raw: { width, height, channels },
});

/** The matte alone, as a grey picture. */
function grey({ matte }: Pair, format: Format): Promise<Uint8Array> {
  const picture = sharp(matte.data, raw(matte, 1)).toColourspace('b-w');
  const WRITERS: Record<Format, (picture: Sharp) => Sharp> = {
    png: (it) => it.png({ compressionLevel: 6 }),
    jpeg: (it) => it.jpeg({ quality: JPEG.quality }),
    webp: (it) => it.webp(WEBP),
  };
  return WRITERS[format](picture).toBuffer();
}

/** The same file for the same picture, whenever it is made. */
const ZIP = { level: 0, mtime: new Date(1980, 0, 1) } as const;

/** The two files that remove.bg's clients put together: colours everywhere, and the matte. */
async function zipped(picture: Pair, effort: Effort): Promise<Uint8Array> {
  const [colours, matte] = await Promise.all([
    COLOURED.jpeg(picture, effort),
    grey(picture, 'png'),
  ]);
  return zipSync({ 'color.jpg': colours, 'alpha.png': matte }, ZIP);
}

const COLOURED: Record<Format, (picture: Pair, effort: Effort) => Promise<Uint8Array>> = {
  png: ({ pixels, matte }, effort) => encodePng(pixels, matte, effort),
  jpeg: ({ pixels }) => sharp(pixels.data, raw(pixels, 3)).jpeg(JPEG).toBuffer(),
  webp: ({ pixels, matte }) =>
    sharp(interleave(pixels, matte.data), raw(pixels, 4)).webp(WEBP).toBuffer(),
};

/** A picture as a file in the format asked for, without metadata. A JPEG's must be opaque. */
export function encode(picture: Pair, options: CutOutOptions, effort: Effort): Promise<Uint8Array> {
  if (options.asZip) return zipped(picture, effort);
  const format: Format = options.format ?? 'png';
  return options.channels === 'alpha' ? grey(picture, format) : COLOURED[format](picture, effort);
}
