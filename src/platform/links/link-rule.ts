import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
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

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** RFC 6052: the last 32 bits are the IPv4 address that a translator connects to. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
/** RFC 4291: all IPv6 addresses assigned to the internet; ipaddr.js's `unicast` has far more. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** In a public range, but on every Azure machine the address of the host's own services. */
const AZURE_HOST = ipaddr.parseCIDR('168.63.129.16/32');
const PUBLIC_PORTS = [80, 443];

const isIn = (address: Address, network: Network): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** Makes an address hexadecimal, without a zone: ipaddr.js would read `::1.2.3.4` as `::ffff:1.2.3.4`. */
const canonical = (text: string): string =>
  isIPv6(text) ? new URL(`http://[${text.replace(/%.*$/, '')}]`).hostname.slice(1, -1) : text;

/** Returns the address that packets finally reach: IPv4 if it is embedded in IPv6. */
function effectiveAddress(text: string): Address {
  const address = ipaddr.process(canonical(text));
  return isIn(address, NAT64) ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
}

/** 6to4, Teredo and all other special-purpose ranges are not `unicast` to ipaddr.js. */
const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address.kind() === 'ipv4' || isIn(address, GLOBAL_IPV6)) &&
  !isIn(address, AZURE_HOST);

/**
 * Creates the SSRF guard. It allows public unicast addresses on ports 80, 443 and further ones, and any port of the
 * allowed networks.
 * @param allow networks in CIDR notation
 * @param ports further ones
 * @returns a check that throws FetchError `private-address` or `port`
 * @throws Error if an entry of `allow` is not a network
 */
export function addressRule(allow: readonly string[], ports: readonly number[] = []) {
  const allowedPorts = [...PUBLIC_PORTS, ...ports];
  const allowed = allow.map((network) => ipaddr.parseCIDR(network));

  return function check(text: string, port: number): void {
    const address = effectiveAddress(text);
    if (allowed.some((network) => isIn(address, network))) return;
    if (!isPublic(address)) throw new FetchError('private-address');
    if (!allowedPorts.includes(port)) throw new FetchError('port');
  };
}

export type AddressRule = ReturnType<typeof addressRule>;

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
