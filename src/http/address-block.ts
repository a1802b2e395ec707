import ipaddr from 'ipaddr.js';

/** Parts of 16 bits that identify an IPv6 network; a host may use any address of its /64. */
const NETWORK_PARTS = 4;

/** Returns the block of addresses that counts as one client: an IPv4 address, or an IPv6 /64. */
export function addressBlock(remoteAddress: string): string {
  if (!ipaddr.isValid(remoteAddress)) return 'unknown'; // the connection is already closed
  const address = ipaddr.process(remoteAddress);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, NETWORK_PARTS);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
