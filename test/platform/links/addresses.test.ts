import { describe, expect, test } from 'vitest';
import { addressRule } from '../../../src/platform/links/link-rule.ts';

const fetchError = (reason: string) => expect.objectContaining({ name: 'FetchError', reason });

/** IANA's special-purpose registries for IPv4 (RFC 6890 and later) and what hides IPv4 in IPv6. */
// biome-ignore format: a table reads best aligned
const NOT_PUBLIC = [
  ['0.0.0.0', 'this host'],                   ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],                    ['10.255.255.255', 'private'],
  ['100.64.0.1', 'carrier NAT'],              ['100.127.255.255', 'carrier NAT'],
  ['127.0.0.1', 'loopback'],                  ['127.255.255.254', 'loopback'],
  ['169.254.0.1', 'link-local'],              ['169.254.169.254', 'cloud metadata'],
  ['172.16.0.1', 'private'],                  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'protocol assignments'],    ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],              ['192.168.0.1', 'private'],
  ['198.18.0.1', 'benchmarking'],             ['198.19.255.255', 'benchmarking'],
  ['198.51.100.1', 'documentation'],          ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],                 ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],                  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],                      ['::1', 'loopback'],
  ['::127.0.0.1', 'IPv4-compatible'],         ['::93.184.216.34', 'IPv4-compatible'],
  ['::ffff:127.0.0.1', 'mapped loopback'],    ['::ffff:a9fe:a9fe', 'mapped metadata'],
  ['::ffff:0:127.0.0.1', 'translated'],       ['64:ff9b::7f00:1', 'NAT64 loopback'],
  ['64:ff9b::a9fe:a9fe', 'NAT64 metadata'],   ['64:ff9b::10.0.0.1', 'NAT64 private'],
  ['64:ff9b:1::1', 'local NAT64'],            ['100::1', 'discard'],
  ['2001::1', 'Teredo'],                      ['2001:0:7f00:1::', 'Teredo'],
  ['2001:2::1', 'benchmarking'],              ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4 loopback'],         ['2002:a9fe:a9fe::1', '6to4 metadata'],
  ['3fff::1', 'documentation'],               ['4000::1', 'not given out'],
  ['5f00::1', 'segment routing'],             ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'cloud metadata'],        ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'], ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
] as const;

const PUBLIC = [
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
  '::ffff:93.184.216.34',
  '64:ff9b::93.184.216.34',
];

describe('without allowed networks', () => {
  const check = addressRule([]);

  test.each(NOT_PUBLIC)('%s is rejected: %s', (address) => {
    expect(() => check(address, 443)).toThrow(fetchError('private-address'));
  });

  test.each(PUBLIC)('%s is allowed on 80 and 443', (address) => {
    expect(() => check(address, 80)).not.toThrow();
    expect(() => check(address, 443)).not.toThrow();
  });

  test.each([21, 22, 25, 6379, 8080, 8443])('a public address is rejected on port %i', (port) => {
    expect(() => check('93.184.216.34', port)).toThrow(fetchError('port'));
  });
});

describe('with allowed networks', () => {
  const check = addressRule(['10.1.0.0/16', '127.0.0.0/8', 'fd12::/16']);

  const ADDRESSES = ['10.1.2.3', '127.0.0.1', 'fd12::7', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3'];
  test.each(ADDRESSES)('%s is allowed on any port', (address) => {
    expect(() => check(address, 80)).not.toThrow();
    expect(() => check(address, 9000)).not.toThrow();
  });

  test.each(['10.2.0.1', '::1', 'fd13::7', '2002:a01:203::'])('%s stays rejected', (address) => {
    expect(() => check(address, 80)).toThrow(fetchError('private-address'));
  });

  test('public addresses are limited to their ports', () => {
    expect(() => check('93.184.216.34', 9000)).toThrow(fetchError('port'));
  });
});

describe('with further ports', () => {
  const check = addressRule([], [8080, 6379]);

  test.each(PUBLIC)('%s is allowed on them', (address) => {
    expect(() => check(address, 8080)).not.toThrow();
    expect(() => check(address, 443)).not.toThrow();
    expect(() => check(address, 8081)).toThrow(fetchError('port'));
  });

  test.each(NOT_PUBLIC)('%s is rejected there too: %s', (address) => {
    expect(() => check(address, 8080)).toThrow(fetchError('private-address'));
    expect(() => check(address, 6379)).toThrow(fetchError('private-address'));
  });
});

test.each(['10.0.0.0', '10.0.0.0/33', 'intranet', ''])('%j is not a network', (network) => {
  expect(() => addressRule([network])).toThrow();
});
