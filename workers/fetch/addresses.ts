import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FetchError } from './fetch-error.ts';

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** RFC 6052: the last 32 bits are the IPv4 address that a translator will speak to. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
/** RFC 4291: all of IPv6 that is given out to the internet; `unicast` alone is far more. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Public by its range, yet every machine at Azure has its host's own services there. */
const AZURE_HOST = ipaddr.parseCIDR('168.63.129.16/32');
const PUBLIC_PORTS = [80, 443];

const isIn = (address: Address, network: Network): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** Hexadecimal and without a zone: ipaddr.js would read `::1.2.3.4` as `::ffff:1.2.3.4`. */
const canonical = (text: string): string =>
  isIPv6(text) ? new URL(`http://[${text.replace(/%.*$/, '')}]`).hostname.slice(1, -1) : text;

/** The address that packets will in the end reach: IPv4 out of its IPv6 spellings. */
function innermost(text: string): Address {
  const address = ipaddr.process(canonical(text));
  return isIn(address, NAT64) ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
}

/** 6to4, Teredo and all else that is set aside for something is not `unicast` to ipaddr.js. */
const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address.kind() === 'ipv4' || isIn(address, GLOBAL_IPV6)) &&
  !isIn(address, AZURE_HOST);

/**
 * The rule for where a connection may go: public unicast addresses on ports 80 and 443, and any
 * port of the allowed networks.
 * @param allow networks in CIDR notation
 * @returns a check that throws FetchRefused `private-address` or `port`
 * @throws Error when `allow` has something that is no network
 */
export function addressRule(allow: readonly string[]) {
  const allowed = allow.map((network) => ipaddr.parseCIDR(network));

  return function check(text: string, port: number): void {
    const address = innermost(text);
    if (allowed.some((network) => isIn(address, network))) return;
    if (!isPublic(address)) throw new FetchError('private-address');
    if (!PUBLIC_PORTS.includes(port)) throw new FetchError('port');
  };
}

export type AddressRule = ReturnType<typeof addressRule>;
