import type { Call, Reply } from '../http/route.ts';
import { matchesEtag } from './etag.ts';

/** A JSON document that changes only with a release, serialized once. */
export interface Document {
  text: string;
  /** Strong, quotes included. */
  etag: string;
}

/** Returns the document as JSON, or 304 if the client already has this version. */
export function sendDocument(
  { headers }: Pick<Call, 'headers'>,
  { text, etag }: Document,
  extraHeaders: Readonly<Record<string, string>> = {},
): Reply {
  const caching = { etag, 'cache-control': 'public, max-age=3600', ...extraHeaders };
  if (matchesEtag(headers['if-none-match'], etag)) return { status: 304, headers: caching };
  return { headers: { ...caching, 'content-type': 'application/json; charset=utf-8' }, body: text };
}
