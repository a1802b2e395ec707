import { createHash } from 'node:crypto';
import { readImageSize } from '../imaging/image-header.ts';
import { nameOtherFormat } from '../imaging/other-formats.ts';
import { sniffFormat } from '../imaging/sniff.ts';
import { Problem } from '../platform/problem.ts';

/** No side of an image may be longer, pixels. */
export const MAX_SIDE_PIXELS = 16_384;

export interface ImageLimits {
  maxPixels: number;
  maxSidePixels: number;
}

/** An image of a supported format within the limits. Nothing is decoded yet. */
export interface ValidatedImage {
  bytes: Uint8Array;
  format: 'jpeg' | 'png' | 'webp';
  width: number;
  height: number;
  /** Hex. */
  sha256: string;
}

/**
 * Checks an image by its first bytes and its header, without decoding it.
 * @param name for error details
 * @throws Problem unsupported-media-type, payload-too-large, invalid-request
 */
export function validateImage(
  bytes: Uint8Array,
  limits: ImageLimits,
  name = 'image',
): ValidatedImage {
  const format = sniffFormat(bytes);
  if (!format) {
    const { what, advice } = nameOtherFormat(bytes) ?? {};
    const detail = what
      ? `The ${name} is ${what}, not JPEG, PNG or WebP; ${advice}`
      : `The ${name} is not JPEG, PNG or WebP, whatever its name says`;
    throw new Problem('unsupported-media-type', detail);
  }
  const size = readImageSize(bytes, format);
  if (!size) {
    throw new Problem('invalid-request', `The ${name} is damaged: its header cannot be read`);
  }
  const { width, height } = size;
  if (width * height > limits.maxPixels || Math.max(width, height) > limits.maxSidePixels) {
    throw new Problem(
      'payload-too-large',
      `The ${name} is ${width} x ${height} pixels; the limits are ${limits.maxPixels} pixels in total and ${limits.maxSidePixels} per side`,
    );
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, format, width, height, sha256 };
}
