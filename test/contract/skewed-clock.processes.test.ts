import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Keys } from '../../src/auth/keys.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import { batchClient, readBatch } from '../support/batches.ts';
import { readFeed } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { ROOT } from '../support/root.ts';
import { useShop, useStack } from '../support/use-stack.ts';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** The most a test may take; an hour is much more. */
const TOLERANCE_MILLIS = 60_000;

const preload = pathToFileURL(join(ROOT, 'test/support/clock-ahead.mjs'));
const { stack, batches, feeds } = await useStack({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_MILLIS: String(HOUR_MILLIS),
  FETCH_ALLOW: '127.0.0.0/8',
});
const shop = await useShop();

/** Redis runs on this host, whose clock is right. */
function expectNear(time: unknown, millis: number): void {
  const offMillis = Math.abs(Date.parse(z.iso.datetime().parse(time)) - millis);
  expect(offMillis).toBeLessThan(TOLERANCE_MILLIS);
}

test('the clocks of the hosts are an hour ahead', async () => {
  await expect
    .poll(() => stack.logs())
    .toMatch(
      /"process":"gateway".*"aheadMillis":3(?:59|60)\d{4}.*"msg":"this host's clock differs/,
    );
  expect(stack.logs()).toMatch(/"process":"worker".*"aheadMillis":3(?:59|60)\d{4}/);
});

test("a batch is accepted, processed and expired by Redis's time on hosts an hour ahead", async () => {
  const created = await readBatch(await batches.create({ retention: { outputSeconds: 7200 } }));
  expectNear(created.createdAt, Date.now());
  expectNear(created.expiresAt, Date.now() + DAY_MILLIS);
  const image = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
  await batches.sendFiles(created.id, [['shirt.jpg', image]]);
  const sealed = await readBatch(await batches.seal(created.id));
  expectNear(sealed.sealedAt, Date.now());
  const completed = await batches.until(created.id, 'completed');
  expect(completed.counts).toMatchObject({ accepted: 1, succeeded: 1 });
  expectNear(completed.finishedAt, Date.now());
  expectNear(completed.expiresAt, Date.now() + 2 * HOUR_MILLIS);
});

test("a feed is accepted and imported by Redis's time on hosts an hour ahead", async () => {
  const image = await shop.putImage('/a.jpg', 1);
  const body = `id,title,image_link\r\na,Shirt,${image}\r\n`;
  const url = shop.put('/feed.csv', { body, type: 'text/csv' });
  const response = await feeds.postJson({ url, retention: { outputSeconds: 7200 } });
  expect(response.status).toBe(202);
  const feed = await readFeed(response);
  expectNear(feed.createdAt, Date.now());
  expectNear(feed.run.createdAt, Date.now());
  const completed = await feeds.until(feed.run, 'completed');
  expect(completed.counts).toMatchObject({ images: 1, succeeded: 1 });
  expectNear(completed.finishedAt, Date.now());
  expectNear(completed.expiresAt, Date.now() + 2 * HOUR_MILLIS);
});

test("a key expires and its quota resets by Redis's time on a gateway an hour ahead", async () => {
  const redis = commandConnection(stack.redis.url, createLog('test', 'silent'));
  await untilReady(redis, AbortSignal.timeout(5000));
  const keys = new Keys(redis, readSecrets(stack.home).keyPepper, hostClock);
  const { key, record } = await stack.key({ client: 'rotating' });
  await keys.rotate(record.id, HOUR_MILLIS / 2000);
  redis.disconnect();
  const response = await batchClient(stack, key).ask('GET', '/usage');
  expect(response.status).toBe(200);
  const resetSeconds = Number(
    /"day";r=\d+;t=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1],
  );
  const untilMidnightMillis = DAY_MILLIS - (Date.now() % DAY_MILLIS);
  const offMillis = Math.abs(resetSeconds * 1000 - untilMidnightMillis);
  expect(Math.min(offMillis, DAY_MILLIS - offMillis)).toBeLessThan(TOLERANCE_MILLIS);
});
