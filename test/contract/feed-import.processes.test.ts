import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type FeedClient,
  feedClient,
  type Run,
  readFeed,
  readRun,
} from '../support/feed-client.ts';
import {
  badResponses,
  type FeedServer,
  pictureOf,
  startFeedServer,
} from '../support/feed-server.ts';
import { END_MILLIS } from '../support/intake.ts';
import { reportMissing } from '../support/requirement.ts';
import { type TestS3, testS3 } from '../support/services.ts';
import { type Stack, startStack } from '../support/stack.ts';

const PRODUCTS = 60;
/** Products share images, as sizes of one shirt do. */
const PICTURES = 20;

const s3 = await testS3();
if (typeof s3 === 'string') reportMissing('s3', s3);

const stores: [name: string, env: () => NodeJS.ProcessEnv][] = [['files', () => ({ STORE: 'fs' })]];
if (typeof s3 !== 'string') stores.push(['S3', () => inS3(s3)]);

const inS3 = ({ endpoint, region, credentials }: TestS3): NodeJS.ProcessEnv => ({
  STORE: 's3',
  S3_BUCKET: `selvage-test-${randomUUID()}`,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});

/** The outcome a row of the feed is made for. */
type Fate = 'made' | 'failed' | 'rejected';
interface Planned {
  cells: readonly string[];
  fate: Fate;
  /** Words its reason must contain. */
  reason?: RegExp;
}

/** The rows of a feed with every error there can be, and the outcome of each. */
async function plan(shop: FeedServer): Promise<Planned[]> {
  const at = `/${randomUUID()}`;
  const good = await Promise.all(
    Array.from({ length: PICTURES }, (_, i) => shop.putImage(`${at}/${i}.jpg`, i)),
  );
  const jpeg = { body: await pictureOf(1), type: 'image/jpeg' };
  const flaky = shop.put(`${at}/flaky.jpg`, badResponses.failing(2, jpeg));
  const odd = shop.put(`${at}/odd`, { ...jpeg, type: 'text/plain' });
  const html = shop.put(`${at}/page.jpg`, badResponses.htmlPage);
  const cut = shop.put(`${at}/cut.jpg`, badResponses.truncated(jpeg.body, jpeg.type));
  const huge = shop.put(`${at}/huge.jpg`, badResponses.huge);
  const inward = shop.put(`${at}/in.jpg`, badResponses.redirectTo('http://10.1.2.3/secret.jpg'));
  const damaged = shop.put(`${at}/damaged.jpg`, {
    body: jpeg.body.subarray(0, jpeg.body.length / 3),
    type: jpeg.type,
  });
  const private_ = /does not lead to a public address/;
  const wrong: [cells: string[], Fate, reason?: RegExp][] = [
    [['flaky', flaky], 'made'],
    [['odd-type', odd], 'made'],
    [['missing', `${shop.origin}${at}/nowhere.jpg`], 'failed', /404/],
    [['page', html], 'failed', /web page came instead of the picture/],
    [['cut', cut], 'failed', /connection broke|whole file/],
    [['huge', huge], 'failed', /larger than allowed/],
    [['inward', inward], 'failed', private_],
    [['damaged', damaged], 'failed', /is damaged/],
    [['decimal', 'http://167772161/a.jpg'], 'failed', private_],
    [['metadata', 'http://169.254.169.254/latest/meta-data'], 'failed', private_],
    [['ftp', 'ftp://shop.example/a.jpg'], 'rejected', /not an http or https/],
    [['', good[0] ?? ''], 'rejected', /no id/],
    [['sku-1', good[0] ?? ''], 'rejected', /sku-1|twice|again|before/],
    [['no-image', ''], 'rejected', /no image_link/],
  ];
  const rows: Planned[] = Array.from({ length: PRODUCTS }, (_, i) => ({
    cells: [`sku-${i}`, good[i % PICTURES] ?? '', good[(i * 7 + 1) % PICTURES] ?? ''],
    fate: 'made',
  }));
  for (const [i, [cells, fate, reason]] of wrong.entries()) {
    rows.splice(10 + i * 6, 0, { cells: [...cells, ''], fate, ...(reason && { reason }) });
  }
  return rows;
}

const Image = z.object({ outcome: z.string(), reason: z.string().optional() });
const Line = z.object({
  kind: z.enum(['run', 'product', 'rejected', 'notes']),
  line: z.number().optional(),
  images: z.array(Image).optional(),
  reasons: z.union([z.array(z.string()), z.record(z.string(), z.number())]).optional(),
});

/** The report of a run, line by line of the feed. */
async function reported(feeds: FeedClient, run: Run) {
  const response = await feeds.ask('GET', `${feeds.pathOf(run)}/report?format=ndjson`);
  const lines = (await response.text()).trim().split('\n');
  return lines
    .map((line) => Line.parse(JSON.parse(line)))
    .filter(({ kind }) => kind === 'product' || kind === 'rejected');
}

describe.each(stores)('a feed with every error there can be, with storage in %s', (_, env) => {
  let stack: Stack;
  let shop: FeedServer;
  let feeds: FeedClient;
  let rows: Planned[];
  let run: Run;
  beforeAll(async () => {
    const settings = { ...env(), FETCH_ALLOW: '127.0.0.0/8', WORKER_CONCURRENCY: '2' };
    [stack, shop] = await Promise.all([startStack(settings), startFeedServer()]);
    feeds = feedClient(stack, (await stack.key()).key);
    rows = await plan(shop);
  });
  afterAll(() => Promise.all([stack.stop(), shop.close()]));

  const fatesOf = (fate: Fate) => rows.filter((row) => row.fate === fate).length;
  const progress = async (): Promise<Run> => readRun(await feeds.ask('GET', feeds.pathOf(run)));

  test('is imported even if the worker is killed in the middle', async () => {
    const lines = rows.map(({ cells }) => cells.join(','));
    const body = ['id,image_link,additional_image_link', ...lines, ''].join('\r\n');
    const url = shop.put('/feed.csv', { body, type: 'text/csv' });
    const response = await feeds.postJson({ url, export: { background: 'white' } });
    expect(response.status).toBe(202);
    ({ run } = await readFeed(response));
    await expect.poll(async () => (await progress()).counts.succeeded).toBeGreaterThan(30);
    await stack.worker.end('SIGKILL');
    expect((await progress()).status).toBe('running');
    await stack.startWorker();
    await expect
      .poll(async () => (await progress()).status, { timeout: END_MILLIS })
      .toBe('completed');
    const images = 2 * PRODUCTS + fatesOf('failed') + fatesOf('made') - PRODUCTS;
    expect((await progress()).counts).toMatchObject({
      rows: rows.length,
      rejected: fatesOf('rejected'),
      images,
      failed: fatesOf('failed'),
      succeeded: images - fatesOf('failed'),
      unchanged: 0,
    });
  }, 180_000);

  test('accounts for every row exactly once, with a reason for each error', async () => {
    const lines = await reported(feeds, run);
    expect(lines.map(({ line }) => line)).toEqual(rows.map((_, i) => i + 2));
    for (const [i, { cells, fate, reason }] of rows.entries()) {
      const { kind, images = [], reasons = [] } = lines[i] ?? { kind: 'missing' };
      const outcomes = images.map(({ outcome }) => outcome);
      const said = [
        ...Object.values(reasons),
        ...images.flatMap((image) => image.reason ?? []),
      ].join();
      const wanted = {
        rejected: { kind: 'rejected', outcomes: [] },
        failed: { kind: 'product', outcomes: ['failed'] },
        made: {
          kind: 'product',
          outcomes: cells
            .filter(Boolean)
            .slice(1)
            .map(() => 'changed'),
        },
      }[fate];
      expect({ id: cells[0], kind, outcomes }).toEqual({ id: cells[0], ...wanted });
      if (reason) expect(`${cells[0]}: ${said}`).toMatch(reason);
    }
  });

  test('is charged for the images that were made, and for none twice', async () => {
    const usage = await (await feeds.ask('GET', '/usage')).json();
    const { quota } = usage as { quota: { limit: number; remaining: number } };
    const { succeeded, units } = (await progress()).counts;
    expect(quota.limit - quota.remaining).toBe(units);
    expect(units).toBeLessThanOrEqual(succeeded ?? 0);
  });

  test('is exported with public images on white', async () => {
    const exported = await (await feeds.ask('GET', `${feeds.pathOf(run)}/export`)).text();
    const cells = exported.split('\r\n').map((line) => line.split(','));
    expect(cells).toHaveLength(rows.length + 2);
    for (const [i, row] of rows.entries()) {
      const replaced = cells[i + 1]?.filter((cell) => cell.includes('/intake/v1/files/')) ?? [];
      const links = row.cells.filter(Boolean).length - 1;
      expect([row.cells[0], replaced.length]).toEqual([
        row.cells[0],
        row.fate === 'made' ? links : 0,
      ]);
    }
    const picture = await fetch(cells[1]?.[1] ?? '');
    const { format, width, height } = await sharp(await picture.arrayBuffer()).metadata();
    expect({ status: picture.status, format }).toEqual({ status: 200, format: 'jpeg' });
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(500);
  });

  test('costs nothing the next day', async () => {
    const before = (await progress()).counts.succeeded;
    const again = await feeds.runAgain(run.feedId);
    expect(again.counts).toMatchObject({ changed: 0, unchanged: before, succeeded: before });
  });
});
