const WEAK_PREFIX = /^W\//;

/**
 * Reports whether the client already has the representation with this tag.
 * @param ifNoneMatch the request header `If-None-Match`
 * @param etag quotes included; compared weakly, as RFC 9110 requires for `If-None-Match`
 */
export function matchesEtag(ifNoneMatch: string | string[] | undefined, etag: string): boolean {
  const tags = [ifNoneMatch ?? []].flat().flatMap((value) => value.split(','));
  const opaque = (tag: string) => tag.trim().replace(WEAK_PREFIX, '');
  return tags.some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}
