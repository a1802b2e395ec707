import type { Call, Reply } from '../http/route.ts';

/** A document that changes with a release only, ready to be sent. */
export interface Document {
  text: string;
  /** Strong, quotes included. */
  etag: string;
}

const tagsIn = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((value) => value.split(',').map((tag) => tag.trim()));

/** The document as JSON, or 304 where the caller has it already. */
export function sendDocument(
  { headers }: Pick<Call, 'headers'>,
  { text, etag }: Document,
  more: Readonly<Record<string, string>> = {},
): Reply {
  // Weak comparison, as RFC 9110 has it for If-None-Match.
  const known = tagsIn(headers['if-none-match']).map((tag) => tag.replace(/^W\//, ''));
  const caching = { etag, 'cache-control': 'public, max-age=3600', ...more };
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers: caching };
  return { headers: { ...caching, 'content-type': 'application/json; charset=utf-8' }, body: text };
}
