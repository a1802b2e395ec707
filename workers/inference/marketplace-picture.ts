import sharp, { type Sharp } from 'sharp';

/** What marketplaces ask of a picture (Google Merchant Center, apparel). */
const LEAST_SIDE_PIXELS = 500;
const MOST_BYTES = 16_000_000;
const MOST_PIXELS = 64_000_000;
/** A long narrow cut-out is not enlarged past this; it gets a wider ground instead. */
const ENLARGED_SIDE_PIXELS = 4000;

/** Tried one after the other until the picture is small enough. */
const JPEG_QUALITIES = [90, 80, 70, 60];
/** Then its sides shrink, by as much as the bytes ask for and a little more. */
const SHRINK = { most: 0.9, spare: 0.95 };

const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };

export interface PictureOptions {
  /** `#rrggbb`; transparent without it. */
  background?: string | undefined;
}

/** A picture ready to be shown by a marketplace. */
export interface Picture {
  bytes: Uint8Array;
  mediaType: 'image/jpeg' | 'image/png';
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

const times = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
});

/** The size of the subject's picture: enlarged where a side is too short, shrunk where it has too many pixels. */
function subjectSize(size: Size): Size {
  const { width, height } = size;
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  if (width * height > MOST_PIXELS) return times(size, Math.sqrt(MOST_PIXELS / (width * height)));
  if (least >= LEAST_SIDE_PIXELS) return size;
  const wanted = LEAST_SIDE_PIXELS / least;
  const bearable = Math.max(1, ENLARGED_SIDE_PIXELS / most);
  return times(size, Math.min(wanted, bearable));
}

/** Widens the ground evenly where a side is still too short. */
function padding({ width, height }: Size) {
  const across = Math.max(0, LEAST_SIDE_PIXELS - width);
  const down = Math.max(0, LEAST_SIDE_PIXELS - height);
  const [left, top] = [Math.floor(across / 2), Math.floor(down / 2)];
  return { left, right: across - left, top, bottom: down - top };
}

const fits = (bytes: Uint8Array): boolean => bytes.length <= MOST_BYTES;

/** The picture in this size, encoded as well as may be; larger than allowed where nothing helps. */
async function encode(source: Sharp, size: Size, background: string | undefined): Promise<Buffer> {
  const ground = background ?? CLEAR;
  const drawn = (background ? source.clone().flatten({ background }) : source.clone())
    .resize({ ...size, fit: 'fill', kernel: 'lanczos3' })
    .extend({ ...padding(size), background: ground })
    .toColourspace('srgb');
  if (!background) return drawn.png({ compressionLevel: 7 }).toBuffer();
  let bytes: Buffer | undefined;
  for (const quality of JPEG_QUALITIES) {
    bytes = await drawn.clone().jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer();
    if (fits(bytes)) return bytes;
  }
  if (!bytes) throw new Error('no quality to encode with');
  return bytes;
}

/**
 * A cut-out as marketplaces take it: on the colour they want, both sides at least 500 pixels, at most
 * 16 MB, sRGB, without metadata.
 * @param cutout a PNG of our own
 * @returns nothing where the cut-out itself is fit to be shown
 */
export async function marketplacePicture(
  cutout: Uint8Array,
  { background }: PictureOptions = {},
): Promise<Picture | undefined> {
  const source = sharp(cutout, { limitInputPixels: false });
  const { width, height } = await source.metadata();
  let size = subjectSize({ width, height });
  const isAsItWas = size.width === width && size.height === height;
  const isLargeEnough = Math.min(width, height) >= LEAST_SIDE_PIXELS;
  if (!background && isAsItWas && isLargeEnough && fits(cutout)) return undefined;
  let bytes = await encode(source, size, background);
  while (!fits(bytes) && Math.min(size.width, size.height) > LEAST_SIDE_PIXELS) {
    const wanted = Math.sqrt(MOST_BYTES / bytes.length) * SHRINK.spare;
    const least = LEAST_SIDE_PIXELS / Math.min(size.width, size.height);
    size = times(size, Math.max(least, Math.min(wanted, SHRINK.most)));
    bytes = await encode(source, size, background);
  }
  return {
    bytes,
    mediaType: background ? 'image/jpeg' : 'image/png',
    width: Math.max(size.width, LEAST_SIDE_PIXELS),
    height: Math.max(size.height, LEAST_SIDE_PIXELS),
  };
}
