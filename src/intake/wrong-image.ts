import { readImageSize } from '../imaging/image-header.ts';
import { sniffFormat } from '../imaging/sniff.ts';
import { Problem } from '../platform/problem.ts';

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
