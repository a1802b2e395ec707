import { equal, ok } from 'node:assert/strict';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { FetchError } from '../../src/platform/links/fetch-error.ts';
import { addressRule, parseUrl, redirectUrl } from '../../src/platform/links/link-rule.ts';
import { type Input, orRejection } from './target.ts';

// biome-ignore format: a list reads best in lines
export const dictionary = [
  'http://', 'https://', 'HTTP:\\\\', '[::1]', '[::ffff:', '127.0.0.1', '0x7f.1', '0177.', '2130706433',
  '64:ff9b::', '169.254.169.254', 'user:pass@', '%2e', '。', '//', ':80', '@', '#', '2002:', '%25eth0',
];

export const seeds: readonly Input[] = [
  'http://example.com/a?b#c',
  'https://user:pass@example.com',
  'http://0x7f.1/',
  'http://[::ffff:127.0.0.1]:443/',
  'http://[64:ff9b::7f00:1]/',
  'http://example.com.:80/',
  '//a.test/relative',
  'ftp://a.test',
  '169.254.169.254',
  '8.8.8.8',
  '2001:4860:4860::8888',
  '4000::1',
  'fe80::1%eth0',
];

export const regressions: readonly Input[] = ['http://200.1/', '//..../', 'http://./'];

/** Forbidden networks, checked by another library than the rule's. */
const innerV4 = new BlockList();
const innerV6 = new BlockList();
// biome-ignore format: a list reads best in lines
const NETWORKS = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16',
  '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3',
];
for (const network of NETWORKS) {
  const [base = '', bits] = network.split('/');
  innerV4.addSubnet(base, Number(bits), 'ipv4');
  // The same networks mapped to IPv6; in a list of their own, since IPv4 is matched against IPv6 rules too.
  innerV6.addSubnet(`::ffff:${base}`, 96 + Number(bits), 'ipv6');
}
innerV6.addSubnet('::', 3, 'ipv6');
innerV6.addSubnet('4000::', 2, 'ipv6');
innerV6.addSubnet('8000::', 1, 'ipv6');
/** IPv4 addresses mapped to IPv6. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');
MAPPED.addSubnet('64:ff9b::', 96, 'ipv6');

const check = addressRule([]);
const base = new URL('https://a.test/b/c');

function checkAddress(text: string): void {
  const rejection = orRejection(() => check(text, 443), FetchError);
  if (rejection instanceof FetchError) {
    equal(rejection.reason, 'private-address');
    return;
  }
  const bare = text.replace(/%.*/, '');
  if (isIPv4(bare)) ok(!innerV4.check(bare, 'ipv4'), bare);
  else if (!MAPPED.check(bare, 'ipv6')) ok(!innerV6.check(bare, 'ipv6'), bare);
}

/** An accepted link is http or https without credentials, and is accepted unchanged again. */
export function fuzz(input: Buffer): void {
  const text = input.toString();
  if (isIPv4(text) || isIPv6(text)) checkAddress(text);
  for (const url of [
    orRejection(() => parseUrl(text), FetchError),
    orRejection(() => redirectUrl(base, text), FetchError),
  ]) {
    if (url instanceof FetchError) continue;
    ok(url.protocol === 'http:' || url.protocol === 'https:');
    equal(`${url.username}${url.password}`, '');
    equal(parseUrl(url.href).href, url.href);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIPv4(host) || isIPv6(host)) checkAddress(host);
  }
}
