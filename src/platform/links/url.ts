import { FetchError } from './fetch-error.ts';

/**
 * Parses a link as browsers do (WHATWG), which normalizes every spelling of a host.
 * @param base the base of a relative link
 * @throws FetchError `invalid-url`, `scheme`, `credentials`
 */
export function parseUrl(link: string, base?: URL): URL {
  if (!URL.canParse(link, base?.href)) throw new FetchError('invalid-url');
  const url = new URL(link, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchError('scheme');
  if (url.username || url.password) throw new FetchError('credentials');
  // Empty labels: no such name can be resolved.
  if (/^\.|\.\./.test(url.hostname)) throw new FetchError('invalid-url');
  // The trailing dot of the root is valid in DNS, but not in certificates and virtual hosts.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/**
 * Returns the target of a redirect.
 * @param allowDowngrade whether it may lead from https to http
 * @throws FetchError like `parseUrl`, and `redirects`, `downgrade`
 */
export function redirectUrl(
  current: URL,
  location: string | undefined,
  allowDowngrade = false,
): URL {
  if (location === undefined) throw new FetchError('redirects');
  const next = parseUrl(location, current);
  if (!allowDowngrade && current.protocol === 'https:' && next.protocol === 'http:') {
    throw new FetchError('downgrade');
  }
  return next;
}
