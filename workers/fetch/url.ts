import { FetchError } from './fetch-error.ts';

/**
 * Reads a link as browsers do (WHATWG), which undoes every odd spelling of a host.
 * @param base what a relative link starts from
 * @throws FetchRefused `invalid-url`, `scheme`, `credentials`
 */
export function readUrl(link: string, base?: URL): URL {
  if (!URL.canParse(link, base?.href)) throw new FetchError('invalid-url');
  const url = new URL(link, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchError('scheme');
  if (url.username || url.password) throw new FetchError('credentials');
  // Labels without a letter: no such name can be asked for.
  if (/^\.|\.\./.test(url.hostname)) throw new FetchError('invalid-url');
  // The root's dot is right for DNS and wrong for certificates and virtual hosts.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/**
 * Where a redirect leads.
 * @throws FetchRefused as `readUrl`, and `redirects`, `downgrade`
 */
export function nextUrl(current: URL, location: string | undefined): URL {
  if (location === undefined) throw new FetchError('redirects');
  const next = readUrl(location, current);
  if (current.protocol === 'https:' && next.protocol === 'http:') {
    throw new FetchError('downgrade');
  }
  return next;
}
