import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FetchError } from './fetch-error.ts';

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
