import sharp from 'sharp';
import { plain } from '../../src/imaging/crop.ts';
import type { Pair } from '../../src/imaging/downscale.ts';
import type { Matte } from '../../src/imaging/matte.ts';
import type { Box } from '../../src/imaging/subject-box.ts';

/** Shares of the longer side of the subject: how soft a shadow is, and how far it falls. */
const SOFTNESS = 0.03;
const FALL = 0.03;
/** A shadow has no detail: it is drawn on so many pixels a side at most, and enlarged. */
const DRAWN_SIDE_PIXELS = 512;
/** The least blur that is one, in pixels. */
const LEAST_SIGMA = 0.3;

/** The matte, blurred and weakened. @param sigma pixels */
async function blurred({ data, width, height }: Matte, sigma: number, opacity: number) {
  const factor = Math.min(1, DRAWN_SIDE_PIXELS / Math.max(width, height));
  const small = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize(Math.ceil(width * factor), Math.ceil(height * factor), { fit: 'fill' })
    .blur(Math.max(LEAST_SIGMA, sigma * factor))
    .linear(opacity, 0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: small.info.width, height: small.info.height, channels: small.info.channels };
  return sharp(small.data, { raw })
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .extractChannel(0)
    .raw()
    .toBuffer();
}

/**
 * The soft shadow of a subject on the ground below it, as large as its canvas; what falls beyond is not seen.
 * @param opacity 0..1, where it is darkest
 */
export async function dropShadow(matte: Matte, subject: Box, opacity: number): Promise<Pair> {
  const { width, height } = matte;
  const side = Math.max(subject.width, subject.height);
  const soft = await blurred(matte, SOFTNESS * side, opacity);
  const fall = Math.min(height, Math.round(FALL * side));
  const shadow = plain(matte, [0, 0, 0, 0]);
  shadow.matte.data.set(soft.subarray(0, (height - fall) * width), fall * width);
  return shadow;
}
