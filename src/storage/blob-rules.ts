import type { BlobMetadata } from './blobs.ts';

const SEGMENT = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,250}';
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const PREFIX = new RegExp(`^(?:${SEGMENT}/)*[A-Za-z0-9._-]{0,250}$`);
const MAX_KEY_CHARS = 1024;
const META_NAME = /^[a-z0-9-]+$/;
const META_VALUE = /^$|^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const MAX_META_CHARS = 1536;
const MEDIA_TYPE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/** Throws unless the key is safe as a path, an S3 key and part of a URL. */
export function assertKey(key: string): void {
  if (key.length > MAX_KEY_CHARS || !KEY.test(key)) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key.slice(0, 80))}`);
  }
}

/** Throws unless keys can start with the prefix; the empty prefix matches every key. */
export function assertPrefix(prefix: string): void {
  if (prefix.length > MAX_KEY_CHARS || !PREFIX.test(prefix)) {
    throw new TypeError(`Not a prefix of blob keys: ${JSON.stringify(prefix.slice(0, 80))}`);
  }
}

/** Throws on metadata that would not come back unchanged: S3 sends it as HTTP headers. */
export function assertMetadata({ mediaType, meta = {} }: BlobMetadata): void {
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType)) {
    throw new TypeError(`Not a media type: ${JSON.stringify(mediaType.slice(0, 80))}`);
  }
  for (const [name, value] of Object.entries(meta)) {
    if (!META_NAME.test(name) || !META_VALUE.test(value)) {
      throw new TypeError(`Not allowed as metadata of a blob: ${JSON.stringify(name)}`);
    }
  }
  const chars = Object.entries(meta).flat().join('').length;
  if (chars > MAX_META_CHARS) {
    throw new TypeError(`${chars} characters of metadata; at most ${MAX_META_CHARS}`);
  }
}
