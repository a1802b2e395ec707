import { describe, expect, test } from 'vitest';
import { plantServer, redirectTo, serve } from '../../support/servers.ts';
import { expectRejected, PRIVATE_NAME, resolvingFetcher, SMALL } from './fetching.ts';

/** A client for which every name resolves to this machine. */
const locally = (allow: readonly string[] = []) => resolvingFetcher([['127.0.0.1']], { allow });

/** Spellings of 127.0.0.1 that have bypassed filters; `PORT` is the port of the test server. */
const LOOPBACK = {
  plain: 'http://127.0.0.1:PORT/',
  decimal: 'http://2130706433:PORT/',
  octal: 'http://0177.0.0.01:PORT/',
  'octal in one': 'http://017700000001:PORT/',
  hexadecimal: 'http://0x7f.0x0.0x0.0x1:PORT/',
  'hexadecimal in one': 'http://0x7f000001:PORT/',
  'mixed bases': 'http://0x7f.0.0.01:PORT/',
  'two parts': 'http://127.1:PORT/',
  'three parts': 'http://127.0.1:PORT/',
  'hexadecimal and short': 'http://0x7f.1:PORT/',
  'leading zeros': 'http://000000177.0.0.0001:PORT/',
  'trailing dot': 'http://127.0.0.1.:PORT/',
  'ideographic dots': 'http://127\u30020\u30020\u30021:PORT/',
  'fullwidth dots': 'http://127\uff0e0\uff0e0\uff0e1:PORT/',
  'fullwidth digits': 'http://\uff11\uff12\uff17.0.0.\uff11:PORT/',
  'circled digits': 'http://①②⑦.⓪.⓪.①:PORT/',
  'percent-encoded': 'http://%31%32%37.0.0.1:PORT/',
  'a tab in the host': 'http://127.0\t.0.1:PORT/',
  'newlines in the host': 'http://127.\r\n0.0.1:PORT/',
  'a newline in the scheme': 'ht\ntp://127.0.0.1:PORT/',
  'space around it': '  http://127.0.0.1:PORT/  ',
  'a capital scheme': 'HTTP://127.0.0.1:PORT/',
  backslashes: 'http:\\\\127.0.0.1:PORT\\',
  'a backslash before a friendly host': 'http://127.0.0.1:PORT\\@images.example/',
  'one slash': 'http:/127.0.0.1:PORT/',
  'no slash': 'http:127.0.0.1:PORT/',
  'many slashes': 'http:////127.0.0.1:PORT/',
  'a friendly host in the fragment': 'http://127.0.0.1:PORT#@images.example/',
  'a friendly host in the query': 'http://127.0.0.1:PORT?@images.example/',
  'empty credentials': 'http://@127.0.0.1:PORT/',
  'an invisible character': 'http://127.0.0\u00ad.1:PORT/',
};

describe('127.0.0.1', () => {
  test.each(Object.entries(LOOPBACK))('%s: is rejected before any connection', async (_, link) => {
    const { requests, port } = await plantServer(serve('inside'));
    const { safe, asked } = locally();
    await expectRejected(safe.fetch(link.replace('PORT', String(port)), SMALL), 'private-address');
    expect(asked).toEqual([]);
    expect(requests).toEqual([]);
  });

  test.each(Object.entries(LOOPBACK))('%s: is reached if it is allowed', async (_, link) => {
    const { requests, port } = await plantServer(serve('inside'));
    const { safe, asked } = locally(['127.0.0.0/8']);
    await safe.fetch(link.replace('PORT', String(port)), SMALL);
    expect(asked).toEqual([]);
    expect(requests).toHaveLength(1);
  });
});

/** Private or special-purpose addresses; clouds have their metadata services at some of them. */
const NOT_PUBLIC = [
  ...['http://168.63.129.16/machine', 'http://2822734096/', 'http://[::ffff:168.63.129.16]/'],
  ...['http://192.0.0.192/opc/v2/', 'http://192.0.0.170/', 'http://192.88.99.1/'],
  ...['http://240.0.0.1/', 'http://0177.1/', 'http://192.0.2.1/', 'http://203.0.113.1/'],
  ...['http://[64:ff9b:1::a00:1]/', 'http://[64:ff9b::168.63.129.16]/', 'http://[2002:a00:1::]/'],
  ...['http://[fd20:ce::254]/', 'http://[fec0::1]/', 'http://[100::1]/', 'http://[5f00::1]/'],
  ...['http://[2001:db8::1]/', 'http://[::a00:1]/', 'http://[::ffff:0:a9fe:a9fe]/'],
];

describe('other addresses', () => {
  test.each([
    ...NOT_PUBLIC,
    'http://0/',
    'http://0.0.0.0/',
    'http://0x0/',
    'http://127.127.127.127/',
    'http://10.0.0.1/',
    'http://167772161/',
    'http://100.64.0.1/',
    'http://100.100.100.200/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/latest/meta-data/',
    'http://0xA9FEA9FE/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://0300.0250.1.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://4294967295/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[0000::0001]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::FFFF:7f00:1]/',
    'http://[0:0:0:0:0:ffff:169.254.169.254]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
  ])('%s is rejected', async (link) => {
    const { safe, asked } = locally();
    await expectRejected(safe.fetch(link, SMALL), 'private-address');
    expect(asked).toEqual([]);
  });

  const HOSTS = ['1.1.1.1', '[2606:4700:4700::1111]'];
  test.each(HOSTS)('%s is rejected on other ports', async (host) => {
    const { safe } = locally();
    await expectRejected(safe.fetch(`http://${host}:8080/`, SMALL), 'port');
  });
});

test.each([
  ...NOT_PUBLIC,
  'file:///etc/passwd',
  'gopher://127.0.0.1/_x',
  '//10.0.0.1/',
  '\\\\10.0.0.1/',
])('a redirect to %s is not followed', async (link) => {
  const { requests, port } = await plantServer(redirectTo(link));
  const { safe } = locally(['127.0.0.1/32']);
  await expect(safe.fetch(`http://127.0.0.1:${port}/`, SMALL)).rejects.toThrow(
    expect.objectContaining({ name: 'FetchError' }),
  );
  expect(requests).toHaveLength(1);
});

describe('names that resolve to private addresses', () => {
  test.each([
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://shop.localhost/',
    'http://127.0.0.1.nip.example/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'http://internal%2Dhost/',
    'http://1.2.3.4.example/',
  ])('%s is rejected because of its address', async (link) => {
    const { safe, asked } = locally();
    await expect(safe.fetch(link, SMALL)).rejects.toThrow(PRIVATE_NAME);
    expect(asked).toHaveLength(1);
  });
});

describe('links that are never followed', () => {
  test.each([
    ['', 'invalid-url'],
    ['images/1.jpg', 'invalid-url'],
    ['//images.example/1.jpg', 'invalid-url'],
    ['http://', 'invalid-url'],
    ['http://:80/', 'invalid-url'],
    ['http://256.256.256.256/', 'invalid-url'],
    ['http://127.0.0.0.1/', 'invalid-url'],
    ['http://4294967296/', 'invalid-url'],
    ['http://0x7f.0.0.1.2/', 'invalid-url'],
    ['http://[fe80::1%25eth0]/', 'invalid-url'],
    ['http://[fe80::1%eth0]/', 'invalid-url'],
    ['http://[::1/', 'invalid-url'],
    ['http://[::ffff:127.0.0.256]/', 'invalid-url'],
    ['http://images.example:99999/', 'invalid-url'],
    ['http://images .example/', 'invalid-url'],
    ['http://127.0.0.1%00.images.example/', 'invalid-url'],
    ['http://127.0.0.1%23@images.example/', 'credentials'],
    ['http://a@127.0.0.1/', 'credentials'],
    ['http://images.example@127.0.0.1/', 'credentials'],
    ['http://images.example:80@127.0.0.1/', 'credentials'],
    ['http://:secret@images.example/', 'credentials'],
    ['https://user:secret@images.example/', 'credentials'],
    ['file:///etc/passwd', 'scheme'],
    ['ftp://images.example/1.jpg', 'scheme'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', 'scheme'],
    ['data:image/png;base64,AAAA', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['blob:http://127.0.0.1/1', 'scheme'],
    ['ws://127.0.0.1/', 'scheme'],
    ['view-source:http://127.0.0.1/', 'scheme'],
    ['unix:/var/run/docker.sock', 'scheme'],
  ])('%j is rejected: %s', async (link, reason) => {
    const { safe, asked } = locally(['0.0.0.0/0']);
    await expectRejected(safe.fetch(link, SMALL), reason);
    expect(asked).toEqual([]);
  });
});
