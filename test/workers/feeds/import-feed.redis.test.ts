import { brotliCompressSync, gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Batches } from '../../../src/intake/batches/batches.ts';
import { feedKeys, writeSourceMetadata } from '../../../src/intake/feeds/feed-keys.ts';
import { finishRun } from '../../../src/intake/feeds/feed-retention.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import type { AttemptContext } from '../../../workers/consume-jobs.ts';
import { importFeed } from '../../../workers/feeds/import-feed.ts';
import { attemptOf } from '../../support/attempts.ts';
import { type FeedBench, startFeedBench } from '../../support/feed-runs.ts';
import { badResponses, type FeedServer, startFeedServer } from '../../support/feed-server.ts';
import { feedText, products } from '../../support/feeds.ts';

let bench: FeedBench;
let shop: FeedServer;
beforeAll(async () => {
  bench = await startFeedBench();
});
beforeEach(async () => {
  shop = await startFeedServer();
  return () => shop.close();
});
afterAll(() => bench.stop());

const CSV = 'text/csv';
const csv = (...rows: string[]): string =>
  ['id,title,image_link,additional_image_link', ...rows].map((row) => `${row}\n`).join('');
const TWO = csv('a,Shirt,https://x.example/a.jpg,', 'b,Coat,https://x.example/b.jpg,');

/** Creates a feed with a URL of the shop's server. */
const feedAt = (body: string | Uint8Array, type = CSV, path = '/feed') =>
  bench.feed({ source: { url: shop.put(path, { body, type }) } });

describe('a feed of another kind', () => {
  const mapping = { id: 'number', image: 'photo', baseUrl: 'https://x.example/media' };
  const list = 'number;photo\n1;a.jpg\n2;/b.jpg\n';
  const urls = async (runId: string) =>
    (await bench.rows(runId)).map((row) => ('source' in row ? row.source : row));

  test('is read by the mapping of the feed, from gzip and from zip', async () => {
    const forms = [gzipSync(list), Buffer.from(zipSync({ 'list.csv': Buffer.from(list) }))];
    for (const [i, body] of forms.entries()) {
      const url = shop.put(`/list-${i}`, { body, type: 'application/octet-stream' });
      const { id } = await bench.feed({ source: { url }, mapping });
      const run = await bench.startAndRead(id);
      expect(run).toMatchObject({ status: 'sealed', accepted: 2, rejected: 0 });
      expect(await urls(run.id)).toEqual([
        { url: 'https://x.example/media/a.jpg' },
        { url: 'https://x.example/media/b.jpg' },
      ]);
    }
  });

  test('with a mapping onto a column that is not there fails, and says which there are', async () => {
    const { id } = await bench.feed({
      source: { url: shop.put('/feed', { body: list, type: CSV }) },
      mapping: { ...mapping, id: 'sku' },
    });
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({
      status: 'failed',
      problem: { detail: expect.stringMatching(/names "sku".*it has "number", "photo"/) },
    });
  });

  test('with every row rejected fails', async () => {
    const { id } = await feedAt(csv('a,Shirt,none,', ',Coat,https://x.example/b.jpg,'));
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({
      status: 'failed',
      problem: { detail: expect.stringContaining('All 2 rows are rejected') },
    });
  });
});

describe('a feed that is read', () => {
  test('becomes one row for each image, and one for each invalid row', async () => {
    const { id } = await feedAt(
      csv(
        'a,Shirt,https://x.example/a.jpg,"https://x.example/a2.jpg,https://x.example/a3.jpg"',
        ',No id,https://x.example/n.jpg,',
        'b,Coat,https://x.example/b.jpg,',
        'a,Again,https://x.example/a.jpg,',
        'c,No image,,',
        'd,"Two\nlines",https://x.example/d.jpg,',
      ),
    );
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({ status: 'sealed', accepted: 5, rejected: 3, upload: { rows: 6 } });
    const titles = new Map([
      ['a', 'Shirt'],
      ['b', 'Coat'],
      ['d', 'Two\nlines'],
    ]);
    const image = (row: number, line: number, customId: string, url: string, which = 0) => ({
      row,
      line,
      customId,
      title: titles.get(customId),
      image: which,
      source: { url: `https://x.example/${url}` },
    });
    const rejected = (row: number, line: number, detail: string, more = {}) => ({
      row,
      line,
      problem: { type: 'invalid-row', detail, code: expect.any(String) },
      ...more,
    });
    expect(await bench.rows(run.id)).toEqual([
      image(0, 2, 'a', 'a.jpg'),
      image(1, 2, 'a', 'a2.jpg', 1),
      image(2, 2, 'a', 'a3.jpg', 2),
      rejected(3, 3, 'The row has no id'),
      image(4, 4, 'b', 'b.jpg'),
      rejected(5, 5, 'An earlier row has the same id', { customId: 'a' }),
      rejected(6, 6, 'The row has no image_link', { customId: 'c' }),
      image(7, 7, 'd', 'd.jpg'),
    ]);
  });

  test.each(['rss', 'atom', 'tsv', 'csv', 'ndjson'] as const)('may be %s', async (format) => {
    const all = products(3, (i) => [`https://x.example/${i}.jpg`, `https://x.example/${i}b.jpg`]);
    const { id } = await feedAt(feedText(format, all), 'application/octet-stream');
    expect(await bench.startAndRead(id)).toMatchObject({ accepted: 6, rejected: 0 });
  });

  test('may have a byte order mark, CRLF line ends and invalid bytes', async () => {
    const broken = Buffer.concat([
      Buffer.from(`\uFEFF${csv('a,Shirt,https://x.example/a.jpg,').replaceAll('\n', '\r\n')}`),
      Buffer.from('b,Br\xfcn,https://x.example/b.jpg,\r\n', 'latin1'),
      Buffer.from('\xfc,Shoe,https://x.example/c.jpg,\r\n', 'latin1'),
    ]);
    const { id } = await feedAt(broken, 'text/csv; charset=utf-8');
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({ status: 'sealed', accepted: 2, rejected: 1 });
  });

  test('is stored byte for byte, with its metadata', async () => {
    const { id, client } = await feedAt(TWO);
    const run = await bench.startAndRead(id);
    const kept = await bench.blobs.get(feedKeys(client, id).source(run.id));
    expect(Buffer.from(kept).toString()).toBe(TWO);
    expect((await bench.known(id)).document).toMatchObject({
      runId: run.id,
      etag: expect.stringMatching(/^"/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('counts towards the bytes that its key stores', async () => {
    const { id, meter } = await feedAt(TWO);
    const before = await bench.storedBytes.used(meter);
    await bench.startAndRead(id);
    expect((await bench.storedBytes.used(meter)) - before).toBe(TWO.length);
  });

  test('is not charged', async () => {
    const { id } = await feedAt(TWO);
    await bench.startAndRead(id);
    expect(await bench.redis.keys('*:quota:*')).toEqual([]);
  });

  test('in many chunks has every row once, in order', async () => {
    const all = products(1203, (i) => [`https://x.example/${i}.jpg`]);
    const { id } = await feedAt(feedText('ndjson', all), 'application/x-ndjson');
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({ chunks: 3, accepted: 1203 });
    const rows = await bench.rows(run.id);
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 1203 }, (_, i) => i));
    expect(await bench.batches.firstRows(run.id)).toEqual([0, 500, 1000]);
  });

  test('with a row of 200 MB loses only that row', async () => {
    const { id } = await bench.feed({
      source: {
        url: shop.put('/long', (_request, response) => {
          response.writeHead(200, { 'content-type': CSV });
          response.write(csv('a,Shirt,https://x.example/a.jpg,'));
          const piece = Buffer.alloc(1024 * 1024, 'x');
          let left = 200;
          const more = (): void => {
            while (left-- > 0) if (!response.write(piece)) return void response.once('drain', more);
            response.end('\nb,Coat,https://x.example/b.jpg,\n');
          };
          more();
        }),
      },
    });
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({ status: 'sealed', accepted: 2, rejected: 1 });
  });

  test('without rows is an empty run', async () => {
    const { id } = await feedAt(csv());
    expect(await bench.startAndRead(id)).toMatchObject({ status: 'finalizing', accepted: 0 });
  });
});

describe('a feed that cannot be read', () => {
  const BOMB = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">
]><rss version="2.0"><channel><item><title>&b;</title></item></channel></rss>`;
  test.each([
    { name: 'a document type with entities', body: BOMB, says: /document type|DOCTYPE/i },
    { name: 'a web page', body: '<!doctype html><html></html>', says: /HTML page/ },
    { name: 'bzip2', body: Buffer.from('BZh91AY&SY'), says: /compressed/ },
    { name: 'empty', body: '', says: /empty/ },
    { name: 'unknown columns', body: 'foo,bar\n1,2\n', says: /id/ },
    { name: 'XML that ends early', body: '<rss version="2.0"><channel>', says: /./ },
  ])('because of its content fails with a reason: $name', async ({ body, says }) => {
    const { id } = await feedAt(body, 'application/octet-stream');
    const run = await bench.startAndRead(id);
    expect(run).toMatchObject({ status: 'failed', problem: { type: 'invalid-request' } });
    expect(run.problem?.detail).toMatch(says);
    expect(run.finishedAt).toBeDefined();
  });

  test('because it does not exist fails at once', async () => {
    const { id } = await bench.feed({ source: { url: `${shop.origin}/none.csv` } });
    const runId = await bench.start(id);
    const run = await bench.read(id, runId, { isLast: false });
    expect(run.problem).toEqual({
      type: 'invalid-request',
      detail: expect.stringMatching(/not fetched: .*HTTP 404/),
    });
  });

  test('because its server fails is retried, and fails with the last attempt', async () => {
    const { id } = await bench.feed({
      source: { url: shop.put('/feed', badResponses.failing(2, { body: TWO, type: CSV })) },
    });
    const first = await bench.start(id);
    expect((await bench.read(id, first, { isLast: false })).status).toBe('open');
    expect((await bench.read(id, first)).problem?.type).toBe('upstream-failed');
    expect((await bench.startAndRead(id)).status).toBe('sealed');
  });

  test('because it is truncated leaves nothing behind, and is read completely by the next attempt', async () => {
    const url = shop.put('/feed', badResponses.truncated(TWO.repeat(1000), CSV));
    const { id, client } = await bench.feed({ source: { url } });
    const runId = await bench.start(id);
    const expected = { status: 'open', accepted: 0 };
    expect(await bench.read(id, runId, { isLast: false })).toMatchObject(expected);
    expect(await bench.blobs.head(feedKeys(client, id).source(runId))).toBeUndefined();
    shop.put('/feed', { body: TWO, type: CSV });
    expect(await bench.read(id, runId)).toMatchObject({ status: 'sealed', accepted: 2 });
  });

  test('ends, and expires, by the time of Redis and not of this host', async () => {
    const redisMillis = Date.now() - 3_600_000; // this host is an hour ahead
    const { id } = await bench.feed({ source: { url: `${shop.origin}/none.csv` } });
    const runId = await bench.start(id);
    const data = { feedId: id, runId, requestId: 'r' };
    const read = importFeed({ ...bench, now: () => redisMillis });
    await expect(read(data, new AbortController().signal, attemptOf())).rejects.toThrow();
    expect(await bench.run(runId)).toMatchObject({
      finishedAt: new Date(redisMillis).toISOString(),
      expiresAt: new Date(redisMillis + 86_400_000).toISOString(),
    });
  });

  test('notifies its webhook', async () => {
    const { id } = await bench.feed({
      source: { url: `${shop.origin}/none.csv` },
      webhook: { url: 'https://shop.example/hook' },
    });
    const run = await bench.startAndRead(id);
    const entries = await bench.redis.lrange('{selvage}:webhook-outbox', -1, -1);
    const expected = { type: 'feed.run.completed', data: { id: run.id, status: 'failed' } };
    expect(JSON.parse(entries[0] ?? '')).toMatchObject(expected);
  });
});

test('a feed of 1 kB that becomes gigabytes is rejected, and nothing of it stays', async () => {
  const body = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024, 'a'));
  expect(body.length).toBeLessThan(1000);
  const { id, client } = await bench.feed({
    source: {
      url: shop.put('/bomb', (_request, response) => {
        response.writeHead(200, { 'content-type': CSV, 'content-encoding': 'br' }).end(body);
      }),
    },
  });
  const runId = await bench.start(id);
  const run = await bench.read(id, runId, { isLast: false });
  expect(run).toMatchObject({
    status: 'failed',
    problem: { type: 'invalid-request', detail: expect.stringMatching(/compress/) },
  });
  expect(await bench.blobs.head(feedKeys(client, id).source(runId))).toBeUndefined();
  expect(await bench.unfinishedFiles()).toEqual([]);
});

test('a feed that is too slow is tried once more', async () => {
  const { id } = await bench.feed({ source: { url: shop.put('/silent', badResponses.silence) } });
  const runId = await bench.start(id);
  const read = (number: number) => bench.read(id, runId, { number, isLast: false });
  expect((await read(1)).status).toBe('open');
  expect(await read(2)).toMatchObject({ status: 'failed', problem: { type: 'upstream-failed' } });
});

test('uploaded feeds that wait for their turn occupy no slot of the consumer', async () => {
  const held = [1, 2].map(() => bench.pools.parsing.acquire({ client: 'shop', host: '' }));
  const releases = await Promise.all(held);
  let outside = 0;
  const withoutSlot: AttemptContext['withoutSlot'] = async (work) => {
    outside += 1;
    return work().finally(() => {
      outside -= 1;
    });
  };
  const imports = [1, 2].map(async () => {
    const { id, client } = await bench.feed({ source: { uploaded: true } });
    const runId = await bench.start(id);
    const source = feedKeys(client, id).source(runId);
    await bench.blobs.put(source, Buffer.from(TWO), writeSourceMetadata({ mediaType: CSV }));
    return bench.read(id, runId, { withoutSlot });
  });
  await expect.poll(() => bench.pools.parsing.waiting()).toBe(2);
  expect([outside, bench.pools.feeds.active()]).toEqual([2, 2]);
  for (const release of releases) release();
  for (const run of await Promise.all(imports))
    expect(run).toMatchObject({ status: 'sealed', accepted: 2 });
  expect([outside, bench.pools.feeds.active()]).toEqual([0, 0]);
});

describe('a feed at a private address', () => {
  let closed: FeedBench;
  beforeAll(async () => {
    closed = await startFeedBench([]);
  });
  afterAll(() => closed.stop());

  test('is not fetched', async () => {
    const { id } = await closed.feed({ source: { url: 'http://127.0.0.1/feed.csv' } });
    const run = await closed.startAndRead(id);
    expect(run).toMatchObject({ status: 'failed', problem: { type: 'invalid-request' } });
    expect(run.problem?.detail).toMatch(/public address/);
  });

  test('that a name leads to is not told from a name that does not exist', async () => {
    const problems: unknown[] = [];
    for (const url of ['http://localhost/feed.csv', 'http://nowhere.invalid/feed.csv']) {
      const { id } = await closed.feed({ source: { url } });
      problems.push((await closed.startAndRead(id)).problem);
    }
    expect(problems[0]).toMatchObject({
      type: 'upstream-failed',
      detail: expect.stringMatching(/does not lead to a public address/),
    });
    expect(problems[1]).toEqual(problems[0]);
  });

  test('is not reached through a redirect', async () => {
    const open = await startFeedBench([`127.0.0.1/32`]);
    const url = shop.put('/feed', badResponses.redirectTo('http://10.0.0.1/feed.csv'));
    const { id } = await open.feed({ source: { url } });
    expect((await open.startAndRead(id)).problem?.detail).toMatch(/public address/);
    await open.stop();
  });
});

describe('an interrupted attempt', () => {
  const MANY = feedText(
    'csv',
    products(1600, (i) => [`https://x.example/${i}.jpg`]),
  );

  test('is continued: the document is not fetched again, and no row is appended twice', async () => {
    const { id } = await feedAt(MANY);
    const runId = await bench.start(id);
    const cut = new AbortController();
    let appended = 0;
    class DyingBatches extends Batches {
      override async append(...args: Parameters<Batches['append']>) {
        const answer = await super.append(...args);
        if (++appended === 2) cut.abort(new Error('the worker died'));
        return answer;
      }
    }
    const batches = new DyingBatches(bench.redis, hostClock);
    const data = { feedId: id, runId, requestId: 'r' };
    await expect(
      importFeed({ ...bench, batches })(data, cut.signal, attemptOf({ isLast: false })),
    ).rejects.toThrow();
    expect(await bench.run(runId)).toMatchObject({ status: 'open', chunks: 2, accepted: 1000 });
    const written: string[] = [];
    const blobs = {
      ...bench.blobs,
      put(...args: Parameters<typeof bench.blobs.put>) {
        written.push(args[0]);
        return bench.blobs.put(...args);
      },
    };
    await importFeed({ ...bench, blobs })(data, new AbortController().signal, attemptOf());
    const run = await bench.run(runId);
    expect(run).toMatchObject({ status: 'sealed', chunks: 4, accepted: 1600 });
    expect(written.filter((key) => key.includes('/rows/'))).toHaveLength(2);
    expect((await bench.rows(runId)).map(({ row }) => row)).toEqual(
      Array.from({ length: 1600 }, (_, i) => i),
    );
    expect(shop.requests).toHaveLength(1);
  });

  test('that was presumed dead and is not does no harm', async () => {
    const { id } = await feedAt(MANY);
    const runId = await bench.start(id);
    await Promise.all([bench.read(id, runId), bench.read(id, runId)]);
    expect(await bench.run(runId)).toMatchObject({ status: 'sealed', accepted: 1600, chunks: 4 });
  });

  test('canceled by the client stops, and appends no more rows', async () => {
    const { id } = await feedAt(MANY);
    const runId = await bench.start(id);
    class CanceledBatches extends Batches {
      override async append(...args: Parameters<Batches['append']>) {
        const move = {
          from: ['open'],
          to: 'canceling',
          fields: {},
          dueAtMillis: Date.now(),
        } as const;
        await this.move(runId, move);
        return super.append(...args);
      }
    }
    const batches = new CanceledBatches(bench.redis, hostClock);
    const data = { feedId: id, runId, requestId: 'r' };
    await importFeed({ ...bench, batches })(data, new AbortController().signal, attemptOf());
    expect(await bench.run(runId)).toMatchObject({ status: 'canceling', accepted: 0 });
  });
});

describe('the next run', () => {
  const keyOf = (client: string, id: string) => (picture: number) =>
    `${feedKeys(client, id).images}${picture}.png`;

  /** Creates a feed with a completed first run: images 1 and 2, and one that failed. */
  async function feedWithRun() {
    const feed = await feedAt(
      csv(
        'a,Shirt,https://x.example/a.jpg,https://x.example/a2.jpg',
        'b,Coat,https://x.example/b.jpg,',
      ),
    );
    const first = await bench.startAndRead(feed.id);
    const came = ({ customId, image = 0 }: { customId: string; image?: number | undefined }) =>
      customId === 'a' ? { picture: 1 + image } : { failed: 'The server answered HTTP 404' };
    const done = await bench.work(first.id, came, keyOf(feed.client, feed.id));
    await finishRun(bench, done);
    await end(first.id);
    return { feed, first };
  }
  const end = (id: string) =>
    bench.batches.move(id, {
      from: ['finalizing'],
      to: 'completed',
      fields: {},
      dueAtMillis: Date.now() + 1e6,
    });

  test('reuses the results of an image, wherever its row is now', async () => {
    const { feed } = await feedWithRun();
    shop.put('/feed', {
      body: csv(
        'c,New,https://x.example/a.jpg,',
        'b,Coat,https://x.example/b.jpg,',
        'a,Other title,https://x.example/a2.jpg,https://x.example/other.jpg',
      ),
      type: CSV,
    });
    const run = await bench.startAndRead(feed.id);
    const rows = await bench.rows(run.id);
    expect(rows.map((row) => ('earlier' in row ? row.earlier?.etag : undefined))).toEqual([
      '"1"', // another product
      undefined, // failed before
      '"2"',
      '"2"', // another address: its last good picture
    ]);
    expect(rows.map((row) => 'isOtherLink' in row)).toEqual([false, false, false, true]);
    expect(rows[2]).toMatchObject({
      earlier: {
        input: { bytes: 7 },
        results: { cutout: { key: expect.stringMatching(/2\.png$/) } },
      },
    });
  });

  test('of an unchanged feed reads the document of the previous run', async () => {
    const { feed, first } = await feedWithRun();
    const run = await bench.startAndRead(feed.id);
    expect(shop.requests.map(({ status }) => status)).toEqual([200, 304]);
    expect(run).toMatchObject({ status: 'sealed', accepted: 3 });
    const { source } = feedKeys(feed.client, feed.id);
    const [before, after] = await Promise.all(
      [first.id, run.id].map((id) => bench.blobs.get(source(id))),
    );
    expect(after).toEqual(before);
    expect((await bench.known(feed.id)).document).toMatchObject({ runId: run.id });
  });

  test('fetches the whole feed if the document of the previous run is gone', async () => {
    const { feed, first } = await feedWithRun();
    await bench.blobs.delete(feedKeys(feed.client, feed.id).source(first.id));
    const run = await bench.startAndRead(feed.id);
    expect(run).toMatchObject({ status: 'sealed', accepted: 3 });
    expect(shop.requests.map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  test('does not start while one is running', async () => {
    const feed = await feedAt(TWO);
    const runId = await bench.start(feed.id);
    const turns = () => bench.redis.hgetall('{selvage}:turns:feed');
    const before = await turns();
    await expect(bench.start(feed.id)).rejects.toThrow('under way');
    expect(await turns()).toEqual(before);
    await bench.read(feed.id, runId);
    await expect(bench.start(feed.id)).rejects.toThrow('under way');
    expect((await bench.known(feed.id)).runs).toEqual([runId]);
  });
});
