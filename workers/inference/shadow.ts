import sharp from 'sharp';
import { measureOwnShadow } from '../../src/imaging/own-shadow.ts';
import { type Box, type Matte, type MattedImage, solidImage } from '../../src/imaging/picture.ts';

/** Blur radius and downward offset of a shadow, as shares of the longer side of the subject. */
const BLUR = 0.03;
const OFFSET = 0.03;
/** A shadow has no detail: it is drawn at this size at most, pixels a side, and enlarged. */
const MAX_DRAWN_SIDE_PIXELS = 512;
/** The smallest sigma that sharp accepts, pixels. */
const MIN_SIGMA = 0.3;

/** Enlarges a matte without detail. */
const enlarge = (
  { data, width, height }: Matte,
  size: { width: number; height: number },
): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 1 } })
    .resize(size.width, size.height, { fit: 'fill', kernel: 'cubic' })
    .extractChannel(0)
    .raw()
    .toBuffer();

/** Returns the matte, blurred and multiplied by the opacity. @param sigma pixels */
async function blurMatte({ data, width, height }: Matte, sigma: number, opacity: number) {
  const factor = Math.min(1, MAX_DRAWN_SIDE_PIXELS / Math.max(width, height));
  const small = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize(Math.ceil(width * factor), Math.ceil(height * factor), { fit: 'fill' })
    .blur(Math.max(MIN_SIGMA, sigma * factor))
    .linear(opacity, 0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width: columns, height: rows } = small.info;
  return enlarge({ data: small.data, width: columns, height: rows }, { width, height });
}

/**
 * Draws the soft shadow of a subject below it, in the size of its canvas; the rest is cut off.
 * @param opacity 0..1, at the darkest point
 */
export async function dropShadow(
  matte: Matte,
  subject: Box,
  opacity: number,
): Promise<MattedImage> {
  const { width, height } = matte;
  const side = Math.max(subject.width, subject.height);
  const blurred = await blurMatte(matte, BLUR * side, opacity);
  const offset = Math.min(height, Math.round(OFFSET * side));
  const shadow = solidImage(matte, [0, 0, 0, 0]);
  shadow.matte.data.set(blurred.subarray(0, (height - offset) * width), offset * width);
  return shadow;
}

/**
 * Returns the shadow that the photo itself shows on an even backdrop.
 * @param image as photographed, with the subject's matte
 * @returns nothing if the backdrop is not even
 */
export async function ownShadow(image: MattedImage): Promise<MattedImage | undefined> {
  const measured = measureOwnShadow(image);
  if (!measured) return undefined;
  const shadow = solidImage(image.matte, [0, 0, 0, 0]);
  shadow.matte.data.set(await enlarge(measured, image.matte));
  return shadow;
}
