import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { feedClient, readFeed, readRun } from '../support/feed-client.ts';
import { type FeedServer, startFeedServer } from '../support/feed-server.ts';
import { reportMissing } from '../support/requirement.ts';
import { startS3Stack } from '../support/s3-stack.ts';
import { testS3 } from '../support/services.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** As behind a TLS proxy on this machine. */
const SETTINGS = { FETCH_ALLOW: '127.0.0.0/8', TRUST_PROXY: '127.0.0.0/8', PUBLIC_URL: '' };
const BEHIND_TLS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'images.example' };
const PICTURES = 3;
const POLL_MILLIS = 100;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let shop: FeedServer;
beforeAll(async () => {
  shop = await startFeedServer();
});
afterAll(() => shop.close());

function published(start: () => Promise<Stack>): void {
  let stack: Stack;
  let key: string;
  let feedId: string;
  beforeAll(async () => {
    stack = await start();
    key = (await stack.key()).key;
    const feeds = feedClient(stack, key);
    const images = Array.from({ length: PICTURES }, (_, i) => shop.putImage(`/${i}.jpg`, i));
    const rows = (await Promise.all(images)).map((image, i) => `sku-${i},Shirt ${i},${image}`);
    const feed = await readFeed(
      await feeds.send('/feeds?background=white', ['id,title,image_link', ...rows].join('\n')),
    );
    const status = async () =>
      (await readRun(await feeds.ask('GET', feeds.pathOf(feed.run)))).status;
    while ((await status()) !== 'completed') await pause(POLL_MILLIS);
    feedId = feed.id;
  });
  afterAll(() => stack.stop());

  async function linksOf(path: string, headers: Record<string, string> = {}): Promise<string[]> {
    const response = await feedClient(stack, key).ask('GET', `/feeds/${feedId}${path}`, {
      headers,
    });
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

  test.each(['/export', '/runs/latest/report'])(
    'behind a TLS proxy the links of %s are https links to its host',
    async (path) => {
      const { id } = z
        .object({ lastCompletedRunId: z.string() })
        .transform(({ lastCompletedRunId }) => ({ id: lastCompletedRunId }))
        .parse(await (await feedClient(stack, key).ask('GET', `/feeds/${feedId}`)).json());
      const links = await linksOf(path.replace('latest', id), BEHIND_TLS);
      expect(links).toHaveLength(PICTURES);
      for (const link of links) expect(new URL(link).origin).toBe('https://images.example');
    },
  );

  test('a scheme that no browser should follow never gets into a link', async () => {
    const headers = { 'x-forwarded-proto': 'javascript' };
    const response = await feedClient(stack, key).ask('GET', `/feeds/${feedId}/export`, {
      headers,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'invalid-request' });
  });

  test('a link to an erased feed is gone', async () => {
    const [link] = await linksOf('/export');
    const erased = await feedClient(stack, key).ask('DELETE', `/feeds/${feedId}`);
    expect(erased.status).toBe(200);
    for (const headers of [{}, { range: 'bytes=0-1' }] as Record<string, string>[]) {
      const response = await fetch(link!, { headers });
      expect(await response.json()).toMatchObject({ type: 'gone', status: 410 });
    }
  });
}

describe('links in files', () => published(() => startStack(SETTINGS)));

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`links in S3 (${found})`);
} else {
  describe('links in S3', () => {
    afterAll(() => found.stop());
    published(() => startS3Stack(found, SETTINGS));
  });
}
