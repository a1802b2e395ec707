import type { BlobFacts } from './blobs.ts';

const SEGMENT = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,250}';
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const PREFIX = new RegExp(`^(?:${SEGMENT}/)*[A-Za-z0-9._-]{0,250}$`);
const KEY_CHARS = 1024;
const META_NAME = /^[a-z0-9-]+$/;
const META_VALUE = /^$|^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const META_CHARS = 1536;
const MEDIA_TYPE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** What a blob is taken for where nobody says. */
export const UNNAMED_MEDIA_TYPE = 'application/octet-stream';

/** Throws on a key that is not safe as a path, an S3 key and part of an address alike. */
export function assertKey(key: string): void {
  if (key.length > KEY_CHARS || !KEY.test(key)) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key.slice(0, 80))}`);
  }
}

/** Throws on a text that no key can start with; the empty one starts every key. */
export function assertPrefix(prefix: string): void {
  if (prefix.length > KEY_CHARS || !PREFIX.test(prefix)) {
    throw new TypeError(`Not a prefix of blob keys: ${JSON.stringify(prefix.slice(0, 80))}`);
  }
}

/** Throws on facts that would not come back as they went in: they travel as HTTP headers. */
export function assertFacts({ mediaType, meta = {} }: BlobFacts): void {
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType)) {
    throw new TypeError(`Not a media type: ${JSON.stringify(mediaType.slice(0, 80))}`);
  }
  for (const [name, value] of Object.entries(meta)) {
    if (!META_NAME.test(name) || !META_VALUE.test(value)) {
      throw new TypeError(`Not a fact that can be kept with a blob: ${JSON.stringify(name)}`);
    }
  }
  const chars = Object.entries(meta).flat().join('').length;
  if (chars > META_CHARS) {
    throw new TypeError(`${chars} characters of facts with a blob; at most ${META_CHARS}`);
  }
}
