import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fresh from 'fresh';
import type { Call, Reply } from '../http/route.ts';

/** A document that changes only with a release, serialized once. */
export interface Document {
  text: string;
  /** Strong, quotes included. */
  etag: string;
  /** By default that of JSON. */
  mediaType?: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** Smaller documents are sent as they are. */
const MIN_COMPRESSED_CHARS = 1024;

export function createDocument(text: string, mediaType = JSON_TYPE): Document {
  const hash = createHash('sha256').update(text).digest('base64url');
  return { text, mediaType, etag: `W/"${hash.slice(0, 27)}"` };
}

/** Compressed when first sent so: a stranger who asks a thousand times costs one compression. */
const compressed = new WeakMap<Document, Buffer>();

function compressOnce(document: Document): Buffer {
  const known = compressed.get(document);
  if (known) return known;
  const bytes = gzipSync(document.text);
  compressed.set(document, bytes);
  return bytes;
}

const acceptsGzip = (acceptEncoding: string): boolean =>
  acceptEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .some((coding) => /^gzip($|\s*;)/.test(coding) && !/;\s*q=0(\.0*)?$/.test(coding));

/**
 * Reports whether the client has the version with these `etag` and `last-modified`. `Cache-Control: no-cache` does not
 * count: `fetch` adds it to every conditional request.
 */
export const isFresh = ({ headers }: Pick<Call, 'headers'>, version: fresh.Headers): boolean =>
  fresh({ ...headers, 'cache-control': undefined }, version);

/**
 * Returns the document, or 304 if the client already has this version. Its tag is weak: it names the version in any
 * encoding.
 */
export function sendDocument(
  call: Pick<Call, 'headers'>,
  document: Document,
  extraHeaders: Readonly<Record<string, string>> = {},
): Reply {
  const { text, etag, mediaType = JSON_TYPE } = document;
  const caching = {
    etag,
    'cache-control': 'public, max-age=3600',
    ...extraHeaders,
    vary: ['Accept-Encoding', extraHeaders.vary ?? []].flat().join(', '),
  };
  if (isFresh(call, { etag })) return { status: 304, headers: caching };
  const content = { ...caching, 'content-type': mediaType };
  const isLong = text.length >= MIN_COMPRESSED_CHARS;
  if (!isLong || !acceptsGzip(String(call.headers['accept-encoding'] ?? ''))) {
    return { headers: content, body: text };
  }
  return { headers: { ...content, 'content-encoding': 'gzip' }, body: compressOnce(document) };
}
