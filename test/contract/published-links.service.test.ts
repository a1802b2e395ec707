import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readFeed } from '../support/feed-client.ts';
import { useCatalogue } from '../support/use-stack.ts';

/** As behind a TLS proxy on this machine. */
const BEHIND_TLS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'images.example' };
const PICTURES = 3;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const { stack, shop, feeds } = await useCatalogue();
const images = Array.from({ length: PICTURES }, (_, i) => shop.putImage(`/${i}.jpg`, i));
const rows = (await Promise.all(images)).map((image, i) => `sku-${i},Shirt ${i},${image}`);
const feed = await readFeed(
  await feeds.send('/feeds?background=white', ['id,title,image_link', ...rows].join('\n')),
);

async function linksOf(path: string, headers: Record<string, string> = {}): Promise<string[]> {
  await feeds.until(feed.run, 'completed');
  const response = await feeds.ask('GET', `/feeds/${feed.id}${path}`, { headers });
  expect(response.status).toBe(200);
  return (await response.text()).match(/https?:[^\s",]+\/intake\/v1\/files\/[^\s",]+/g) ?? [];
}

test('an export has links that anyone can GET, HEAD and continue, without a redirect', async () => {
  const links = await linksOf('/export');
  expect(links).toHaveLength(PICTURES);
  for (const link of links) {
    expect(link.startsWith(`${stack.url}/intake/v1/files/`)).toBe(true);
    const get = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(link, { method, headers, redirect: 'manual' });
    const whole = await get();
    expect(whole.status).toBe(200);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get('content-length')).toBe(String(bytes.length));
    expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff'); // a JPEG
    const head = await get({}, 'HEAD');
    expect(head.status).toBe(200);
    for (const name of ['etag', 'last-modified', 'content-length', 'content-type']) {
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
    const cut = Math.floor(bytes.length / 3);
    const parts: Buffer[] = [];
    for (const range of [`0-${cut - 1}`, `${cut}-${2 * cut}`, `${2 * cut + 1}-`]) {
      const part = await get({ range: `bytes=${range}`, 'if-range': head.headers.get('etag')! });
      expect(part.status).toBe(206);
      parts.push(Buffer.from(await part.arrayBuffer()));
    }
    expect(sha256(Buffer.concat(parts))).toBe(sha256(bytes));
    expect((await get({ 'if-none-match': head.headers.get('etag')! })).status).toBe(304);
    expect((await get({ range: `bytes=${bytes.length}-` })).status).toBe(416);
  }
});

test.each(['/export', `/runs/${feed.run.id}/report`])(
  'behind a TLS proxy the links of %s are https links to its host',
  async (path) => {
    const links = await linksOf(path, BEHIND_TLS);
    expect(links).toHaveLength(PICTURES);
    for (const link of links) expect(new URL(link).origin).toBe('https://images.example');
  },
);

test('a scheme that no browser should follow never gets into a link', async () => {
  const headers = { 'x-forwarded-proto': 'javascript' };
  const response = await feeds.ask('GET', `/feeds/${feed.id}/export`, { headers });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ type: 'invalid-request' });
});

test('a link to an erased feed is gone', async () => {
  const [link] = await linksOf('/export');
  const erased = await feeds.ask('DELETE', `/feeds/${feed.id}`);
  expect(erased.status).toBe(200);
  for (const headers of [{}, { range: 'bytes=0-1' }] as Record<string, string>[]) {
    const response = await fetch(link!, { headers });
    expect(await response.json()).toMatchObject({ type: 'gone', status: 410 });
  }
});
