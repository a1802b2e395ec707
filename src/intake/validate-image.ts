import { createHash } from 'node:crypto';
import { imageSize } from 'image-size';
import { sniffFormat } from '../imaging/sniff.ts';
import { Problem } from '../platform/problem.ts';

/** No side of an image may be longer, pixels. */
export const MAX_SIDE_PIXELS = 16_384;

export interface ImageLimits {
  maxPixels: number;
  maxSidePixels: number;
}

/** An image that may come in: known format, bearable size. Nothing is decoded yet. */
export interface MeasuredImage {
  bytes: Uint8Array;
  format: 'jpeg' | 'png' | 'webp';
  width: number;
  height: number;
  /** Hex. */
  sha256: string;
}

/** Reads the header alone, in plain code: no decoder sees a stranger's bytes in this process. */
function readHeader(bytes: Uint8Array, what: string): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch (cause) {
    throw new Problem('invalid-request', `The ${what} is damaged: its header cannot be read`, {
      cause,
    });
  }
}

/**
 * Checks what an image is by its first bytes and its header, without decoding it.
 * @param what it is called in answers
 * @throws Problem unsupported-media-type, payload-too-large, invalid-request
 */
export function validateImage(
  bytes: Uint8Array,
  limits: ImageLimits,
  what = 'image',
): MeasuredImage {
  const format = sniffFormat(bytes);
  if (!format) {
    throw new Problem(
      'unsupported-media-type',
      `The ${what} is not JPEG, PNG or WebP, whatever its name says`,
    );
  }
  const { width, height } = readHeader(bytes, what);
  if (width * height > limits.maxPixels || Math.max(width, height) > limits.maxSidePixels) {
    throw new Problem(
      'payload-too-large',
      `The ${what} is ${width} x ${height} pixels; at most ${limits.maxPixels} in all and ${limits.maxSidePixels} a side are taken`,
    );
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, format, width, height, sha256 };
}
