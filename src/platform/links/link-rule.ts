import { isIP } from 'node:net';
import { addressRule } from './addresses.ts';
import { FetchError } from './fetch-error.ts';
import { parseUrl } from './url.ts';

/** Returns why a link can never be fetched; undefined if that takes a look at its host's addresses. */
export type LinkRule = (link: string) => string | undefined;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Returns the address that a host is, without asking a name server; undefined for other names. */
function literalAddress(hostname: string): string | undefined {
  if (/^(.+\.)?localhost$/.test(hostname)) return '127.0.0.1';
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) ? address : undefined;
}

/**
 * Returns the rule for links as they arrive: workers apply the same to what they fetch, and then to the addresses
 * of host names too.
 * @param allow networks in CIDR notation that may be reached in addition to public addresses
 * @param ports of public addresses, besides 80 and 443
 * @throws Error if an entry of `allow` is not a network
 */
export function linkRule(allow: readonly string[], ports: readonly number[] = []): LinkRule {
  const checkAddress = addressRule(allow, ports);
  return (link) => {
    try {
      const { hostname, port, protocol } = parseUrl(link);
      const address = literalAddress(hostname);
      if (address) checkAddress(address, Number(port || DEFAULT_PORTS[protocol]));
      return undefined;
    } catch (error) {
      if (error instanceof FetchError) return error.message;
      throw error;
    }
  };
}
