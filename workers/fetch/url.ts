import { FetchRefused } from './refusal.ts';

/**
 * Reads a link as browsers do (WHATWG), which undoes every odd spelling of a host.
 * @param base what a relative link starts from
 * @throws FetchRefused `invalid-url`, `scheme`, `credentials`
 */
export function readUrl(link: string, base?: URL): URL {
  if (!URL.canParse(link, base?.href)) throw new FetchRefused('invalid-url');
  const url = new URL(link, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchRefused('scheme');
  if (url.username || url.password) throw new FetchRefused('credentials');
  // Labels without a letter: no such name can be asked for.
  if (/^\.|\.\./.test(url.hostname)) throw new FetchRefused('invalid-url');
  // The root's dot is right for DNS and wrong for certificates and virtual hosts.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/**
 * Where a redirect leads.
 * @throws FetchRefused as `readUrl`, and `redirects`, `downgrade`
 */
export function nextUrl(current: URL, location: string | undefined): URL {
  if (location === undefined) throw new FetchRefused('redirects');
  const next = readUrl(location, current);
  if (current.protocol === 'https:' && next.protocol === 'http:') {
    throw new FetchRefused('downgrade');
  }
  return next;
}
