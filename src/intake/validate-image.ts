import { createHash } from 'node:crypto';
import { readImageSize, sniffFormat } from '../imaging/image-header.ts';
import { nameOtherFormat } from '../imaging/other-formats.ts';
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
  if (!size)
    throw new Problem('invalid-request', `The ${name} is damaged: its header cannot be read`);
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

/** A server has sent something else than the picture. */
export class WrongImage extends Problem {
  /** What came, in one word. */
  readonly code: string;

  constructor(code: string, detail: string) {
    super('unsupported-media-type', detail);
    this.name = 'WrongImage';
    this.code = code;
  }
}

/** Bytes in which pages and formats are recognised. */
const HEAD_BYTES = 4096;
const PAGE = /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body)/i;
const CHALLENGE =
  /just a moment|captcha|challenge|enable javascript|access denied|attention required/i;
const SERVICE = 'the User-Agent that begins with Selvage/';

/** No real picture is this small: shops count visits with it, or send it in place of a missing one. */
const MAX_PLACEHOLDER_PIXELS = 4;

// biome-ignore format: a table reads best aligned
const KINDS: readonly [code: string, isIt: (bytes: Uint8Array, text: string) => boolean, detail: string][] = [
  ['empty',          (bytes) => bytes.length === 0,                           'The server sent an empty file; put the picture back, or remove its link'],
  ['challenge-page', (_, text) => PAGE.test(text) && CHALLENGE.test(text),    `A page that asks for a browser came instead of the picture; let the server allow ${SERVICE}`],
  ['web-page',       (_, text) => PAGE.test(text),                            'A web page came instead of the picture; link to the picture itself'],
  ['avif',           (_, text) => /^[\s\S]{4}ftyp(?:avif|avis)/.test(text),      'An AVIF picture came; have the server send JPEG, PNG or WebP'],
  ['heic',           (_, text) => /^[\s\S]{4}ftyp(?:hei|mif)/.test(text),        'A HEIC picture came; have the server send JPEG, PNG or WebP'],
  ['svg',            (_, text) => /<svg[\s>]/i.test(text),                    'An SVG drawing came; have the server send JPEG, PNG or WebP'],
  ['placeholder',    (bytes, text) => isPlaceholder(bytes, text),             'A placeholder of a single pixel came instead of the picture; put the picture back, or remove its link'],
];

function isPlaceholder(bytes: Uint8Array, text: string): boolean {
  if (text.startsWith('GIF8')) {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return (
      bytes.length >= 10 && view.readUInt16LE(6) * view.readUInt16LE(8) <= MAX_PLACEHOLDER_PIXELS
    );
  }
  const format = sniffFormat(bytes);
  const size = format && readImageSize(bytes, format);
  return size !== undefined && size.width * size.height <= MAX_PLACEHOLDER_PIXELS;
}

/** @throws WrongImage if what a server sent is not a picture, and it is known what it is instead */
export function checkSent(bytes: Uint8Array): void {
  const text = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  for (const [code, isIt, detail] of KINDS) {
    if (isIt(bytes, text)) throw new WrongImage(code, detail);
  }
}
