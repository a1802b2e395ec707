import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { readBatch } from '../support/batches.ts';
import { expectProblem, pointersOf } from '../support/client.ts';
import { type Feed, feedClient, Run, readFeed, readRun } from '../support/feed-client.ts';
import { badResponses, pictureOf } from '../support/feed-server.ts';
import type { SharedStack } from '../support/shared-stack.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop, feeds } = await useCatalogue();

/** The last columns of a report. */
const LAST_COLUMNS =
  'cutout_review_needed,cutout_review_reasons,duplicate_of,duplicate_of_image,duplicate_similarity';
const NO_CELLS = ','.repeat(9);

const header = 'id,title,image_link,additional_image_link,price\r\n';
let made = 0;
/** Images no other test uses, so none of their cut-outs is cached. */
const fresh = (): number => 1 + made++;

/** A feed of the shop: two products, three images, one row without an image and one image missing. */
async function shopFeed() {
  const at = `/${made}`;
  const pictures = [fresh(), fresh(), fresh()] as const;
  const [a, a2, b] = await Promise.all(
    pictures.map((picture, i) => shop.putImage(`${at}/${i}.jpg`, picture)),
  );
  const gone = `${shop.origin}${at}/gone.jpg`;
  const body = [
    header,
    `a,"Shirt, <b>blue</b>",${a},${a2},9 EUR\r\n`,
    `b,=HYPERLINK("http://evil.example"),${b},,8 EUR\r\n`,
    `c,Nothing there,${gone},,7 EUR\r\n`,
    'd,No image,,,6 EUR\r\n',
  ].join('');
  const url = shop.put(`${at}/feed.csv`, { body, type: 'text/csv; charset=utf-8' });
  return { at, url, body, pictures, images: { a, a2, b, gone } };
}

const handIn = async (body: unknown) => {
  const response = await feeds.postJson(body);
  expect(response.status).toBe(202);
  return readFeed(response);
};

const readPage = async (path: string) =>
  z
    .object({ runs: z.array(Run), links: z.object({ next: z.string() }).optional() })
    .parse(await (await feeds.ask('GET', path)).json());

const textOf = async (path: string, headers = {}): Promise<string> =>
  (await feeds.ask('GET', path, { headers })).text();

describe('a feed by URL', () => {
  test('is accepted, processed, and reports its outcome', async () => {
    const before = await feeds.quotaLeft();
    const { url } = await shopFeed();
    const response = await feeds.postJson({ url, export: { background: 'white' } });
    expect(response.status).toBe(202);
    const feed = await readFeed(response);
    expect(response.headers.get('location')).toBe(`/intake/v1/feeds/${feed.id}`);
    expect(feed).toMatchObject({
      source: { url },
      format: 'auto',
      operations: ['remove-background'],
      export: { background: '#ffffff' },
      runs: [feed.run.id],
      run: { feedId: feed.id, status: 'open' },
    });
    const run = await feeds.until(feed.run, 'completed');
    expect(run.counts).toEqual({
      rows: 4,
      images: 4,
      rejected: 1,
      succeeded: 3,
      failed: 1,
      changed: 3,
      unchanged: 0,
      stale: 0,
      units: 3,
    });
    expect(run).toMatchObject({ reasons: { 'http-404': 1, 'missing-image': 1 } });
    expect(before - (await feeds.quotaLeft())).toBe(3);
    const shown = await readFeed(await feeds.ask('GET', `/feeds/${feed.id}`));
    expect(shown).toMatchObject({ lastCompletedRunId: run.id, run: { status: 'completed' } });
    const list = await (await feeds.ask('GET', '/feeds?limit=1')).json();
    expect(list).toMatchObject({ feeds: [{ id: feed.id }] });
  });

  test('costs nothing for unchanged rows when it runs again', async () => {
    const { url, at } = await shopFeed();
    const { feed } = await feeds.completed({ url });
    const before = await feeds.quotaLeft();
    const second = await feeds.runAgain(feed.id);
    expect(second.counts).toMatchObject({ succeeded: 3, unchanged: 3, changed: 0, failed: 1 });
    expect(await feeds.quotaLeft()).toBe(before);
    const asked = shop.requests.filter(({ path }) => path.startsWith(`${at}/`));
    expect(asked.filter(({ status }) => status === 304)).toHaveLength(4);

    const other = fresh();
    await shop.putImage(`${at}/1.jpg`, other);
    const third = await feeds.runAgain(feed.id);
    expect(third.counts).toMatchObject({ succeeded: 3, unchanged: 2, changed: 1 });
    expect(before - (await feeds.quotaLeft())).toBe(1);
  });

  test.each([
    [{ url: 'ftp://shop.example/feed' }, '/url'],
    [{ url: undefined }, '/url'],
    [{ format: 'pdf' }, '/format'],
    [{ operations: ['fly'] }, '/operations/0'],
    [{ export: { background: 'rose' } }, '/export/background'],
    [{ schedule: 'every day' }, '/schedule'],
    [{ schedule: '0 0 31 2 *' }, '/schedule'],
    [{ schedule: '61 * * * *' }, '/schedule'],
    [{ retention: { outputSeconds: 1 } }, '/retention/outputSeconds'],
    [{ colour: 'red' }, '/colour'],
  ])('is rejected with invalid options: %j', async (options, pointer) => {
    const response = await feeds.postJson({ url: 'https://shop.example/f', ...options });
    expect(response.status).toBe(400);
    expect(await pointersOf(response)).toContain(pointer);
  });

  test('that fails reports why, in the run and in its report', async () => {
    const feed = await handIn({ url: shop.put('/page', badResponses.htmlPage) });
    const run = await feeds.until(feed.run, 'failed');
    expect(run.problem?.detail).toMatch(/HTML page/);
    const html = await textOf(`${feeds.pathOf(run)}/report`, { accept: 'text/html' });
    expect(html).toContain('This is an HTML page, not a feed');
    await expectProblem(await feeds.ask('GET', `${feeds.pathOf(run)}/export`), 'conflict');
    await expectProblem(await feeds.ask('GET', `/feeds/${feed.id}/export`), 'conflict');
  });
});

describe('the export', () => {
  test('is the feed with public links; failed images keep their own', async () => {
    const { url, body, images, pictures } = await shopFeed();
    const { feed, run } = await feeds.completed({ url });
    const response = await feeds.ask('GET', `${feeds.pathOf(run)}/export`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="feed.csv"');
    const exported = await response.text();
    const { a, a2, b, gone } = images;
    expect(exported).toContain(gone);
    const links = [...exported.matchAll(/http:\/\/[^,\r]*\/intake\/v1\/files\/[^,\r]*/g)].map(
      ([link]) => link,
    );
    expect(links).toHaveLength(3);
    const originals = [a, a2, b];
    const back = links.reduce((text, link, i) => text.replace(link, originals[i] ?? ''), exported);
    expect(back).toBe(body);

    const picture = await fetch(links[1] ?? '');
    expect(picture.status).toBe(200);
    const { width, height } = await sharp(await picture.arrayBuffer()).metadata();
    const original = await sharp(await pictureOf(pictures[1])).metadata();
    expect((width ?? 0) / (height ?? 1)).toBeCloseTo(original.width / original.height, 1);
    expect(await textOf(`/feeds/${feed.id}/export`)).toBe(exported);
  });

  test('has the same links as long as the images are the same', async () => {
    const { url } = await shopFeed();
    const { feed } = await feeds.completed({ url });
    const first = await textOf(`/feeds/${feed.id}/export`);
    const second = await feeds.runAgain(feed.id);
    expect(await textOf(`${feeds.pathOf(second)}/export`)).toBe(first);
    await expectProblem(await feeds.ask('GET', `${feeds.pathOf(feed.run)}/export`), 'gone');
  });
});

describe('the report', () => {
  async function reported() {
    const { url, images } = await shopFeed();
    const { run } = await feeds.completed({ url });
    return { run, path: `${feeds.pathOf(run)}/report`, images };
  }
  let running: ReturnType<typeof reported> | undefined;
  const completed = () => {
    running ??= reported();
    return running;
  };

  test('is an HTML page that escapes all text of the feed', async () => {
    const { path } = await completed();
    const response = await feeds.ask('GET', path, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await response.text();
    expect(html).toContain('Shirt, &lt;b&gt;blue&lt;/b&gt;');
    expect(html).not.toMatch(/<b>|<script|<img|<link/);
    expect(html).toContain('<html lang="en">');
    expect(html.match(/class="changed"/g)).toHaveLength(3);
    expect(html).toMatch(/class="failed">failed<\/span>: The image was not fetched: .*404/);
    expect(html).toMatch(/class="rejected">rejected<\/span>: The row has no image_link/);
  });

  test('is a table whose cells no spreadsheet evaluates', async () => {
    const { path } = await completed();
    const response = await feeds.ask('GET', `${path}?format=csv`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf'); // for spreadsheets
    const csv = bytes.subarray(3).toString();
    const lines = csv.split('\r\n');
    expect(lines[0]).toBe(`line,id,title,image,link,outcome,reason,picture,${LAST_COLUMNS}`);
    expect(lines[1]).toMatch(/,changed,,http[^,]*,(true|false),[a-z; -]*,[^,]*,[^,]*,[^,]*$/);
    expect(lines).toHaveLength(1 + 4 + 1 + 1);
    expect(csv).toContain(`3,b,"'=HYPERLINK(""http://evil.example"")",1,`);
    expect(lines[4]).toMatch(/^4,c,Nothing there,1,.*,failed,.*404/);
    expect(lines[5]).toBe('5,d,,,,rejected,The row has no image_link,,,,,,');
  });

  test('is one line of JSON per product', async () => {
    const { run, images } = await completed();
    const lines = await feeds.report(run);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({ kind: 'run', status: 'completed', counts: { rows: 4 } });
    expect(lines[1]).toMatchObject({
      kind: 'product',
      id: 'a',
      title: 'Shirt, <b>blue</b>',
      line: 2,
      notes: [],
      images: [
        { url: images.a, outcome: 'changed', picture: expect.stringContaining('/files/a.') },
        { url: images.a2, outcome: 'changed', picture: expect.stringContaining('/files/a-2.') },
      ],
    });
    expect(lines[4]).toMatchObject({ kind: 'rejected', id: 'd', line: 5 });
  });
});

describe('a feed that is classified', () => {
  const operations = ['remove-background', 'classify'];
  let feed: Feed;
  let body: string;
  beforeAll(async () => {
    const [a, b] = await Promise.all(
      [fresh(), fresh()].map((picture) => shop.putImage(`/classified/${picture}.jpg`, picture)),
    );
    body = [
      'id,title,description,image_link,color\r\n',
      `a,Blue cotton t-shirt,For every day,${a},\r\n`,
      `b,=T-shirt,,${b},crimson\r\n`,
      `c,T-shirt,,${shop.origin}/classified/gone.jpg,\r\n`,
      'd,No image,,,\r\n',
    ].join('');
    feed = await handIn({
      url: shop.put('/classified.csv', { body, type: 'text/csv' }),
      operations,
    });
  });

  test('has a class, colours, attributes and reasons for review in each report', async () => {
    const path = `${feeds.pathOf(await feeds.until(feed.run, 'completed'))}/report`;
    const [, a, b, c] = await feeds.report(feed.run);
    expect(a.classification).toMatchObject({
      status: 'classified',
      category: { id: 't_shirt', source: 'fused' },
      attributes: {
        colors: expect.arrayContaining([expect.objectContaining({ family: expect.any(String) })]),
        materials: [{ id: 'cotton', source: 'text' }],
      },
      mappings: { google: expect.any(Number) },
      evidence: { image: { class: 't-shirt' }, agreement: true },
    });
    expect(b.classification.review.reasons).toContain('material-missing');
    expect(c).not.toHaveProperty('classification');

    const csv = (await textOf(`${path}?format=csv`)).split('\r\n');
    const names = 'class,class_confidence,colors,materials,attributes,review';
    expect(csv[0]).toBe(`line,id,title,image,link,outcome,reason,picture,${names},${LAST_COLUMNS}`);
    expect(csv[1]).toMatch(/,t_shirt,[01][.\d]*,"?\w+ \d+%[^,]*,cotton,[^,]*sleeveLength: \w+/);
    expect(csv[2]).toMatch(/,t_shirt,.*material-missing"?,(true|false),/);
    expect(csv.slice(3, 5).map((line) => line.slice(-9))).toEqual([NO_CELLS, NO_CELLS]);

    const html = await textOf(path, { accept: 'text/html' });
    expect(html).toMatch(/<li>Class: T-shirt \(\d+%\)<\/li><li>Colours: \w+ \d+%/);
    expect(html).toContain('<li>Materials: cotton</li>');
    expect(html).toMatch(/<li>Review: [^<]*material-missing/);
  });

  test('fills columns of the export if asked, where the feed has no value', async () => {
    await feeds.until(feed.run, 'completed');
    const path = `/feeds/${feed.id}/export`;
    const cells = (text: string) => text.split('\r\n').map((line) => line.split(','));
    const plain = cells(await textOf(path));
    const header = ['id', 'title', 'description', 'image_link', 'color'];
    expect(plain[0]).toEqual(header);
    expect(plain[1]?.[4]).toBe('');
    const query = '?columns=google_product_category,color,%20material';
    const filled = cells(await textOf(path + query));
    expect(filled[0]).toEqual([...header, 'google_product_category', 'material']);
    expect(filled[1]?.slice(0, 4)).toEqual(plain[1]?.slice(0, 4));
    expect(filled[1]?.slice(4)).toEqual([
      expect.stringMatching(/^[A-Z][a-z]+(\/[A-Z][a-z]+)*$/),
      expect.stringMatching(/^\d+$/),
      'Cotton',
    ]);
    expect(filled[2]?.slice(4)).toEqual(['crimson', filled[1]?.[5], '']);
    expect(filled[3]).toEqual([...(plain[3] ?? []), '', '']); // its image failed
    expect(filled[4]).toEqual([...(plain[4] ?? []), '', '']);
    const run = await textOf(`${feeds.pathOf(feed.run)}/export${query}`);
    expect(cells(run)).toEqual(filled);
  });

  test('is needed to fill columns, and the columns must be known', async () => {
    for (const [of, query] of [
      [await handIn({ url: (await shopFeed()).url }), 'color'],
      [feed, 'price'],
      [feed, ''],
    ] as const) {
      await feeds.until(of.run, 'completed');
      const response = await feeds.ask('GET', `/feeds/${of.id}/export?columns=${query}`);
      expect(response.status).toBe(400);
      expect((await pointersOf(response))[0]).toMatch(/columns/);
    }
  });

  test('costs nothing again, and still has its classes', async () => {
    const again = await feeds.runAgain(feed.id);
    expect(again.counts).toMatchObject({ changed: 0, unchanged: 2 });
    expect(await textOf(`${feeds.pathOf(again)}/report?format=csv`)).toMatch(
      /,unchanged,.*t_shirt/,
    );
  });
});

describe('an uploaded feed', () => {
  test('is read as sent, and a new body with each run', async () => {
    const { body, images } = await shopFeed();
    const response = await feeds.send('/feeds?background=%23FFeedd&fileName=my.csv', body);
    expect(response.status).toBe(202);
    const feed = await readFeed(response);
    expect(feed).toMatchObject({ source: { uploaded: true }, export: { background: '#ffeedd' } });
    await feeds.until(feed.run, 'completed');
    const exported = await feeds.ask('GET', `/feeds/${feed.id}/export`);
    expect(exported.headers.get('content-disposition')).toContain('"my.csv"');
    await exported.body?.cancel();

    const one = `${header}a,Shirt,${images.a},,9 EUR\r\n`;
    const again = await feeds.send(`/feeds/${feed.id}/runs`, one);
    expect(again.status).toBe(202);
    const held = await feeds.until(await readRun(again), 'held');
    await feeds.ask('POST', `${feeds.pathOf(held)}/confirm`);
    const run = await feeds.until(held, 'completed');
    expect(run.counts).toMatchObject({ rows: 1, images: 1, unchanged: 1 });
  });

  test('needs a body for each run, and a feed by URL accepts none', async () => {
    const { body, url } = await shopFeed();
    const sent = await readFeed(await feeds.send('/feeds', body));
    await feeds.until(sent.run, 'completed');
    await expectProblem(await feeds.ask('POST', `/feeds/${sent.id}/runs`), 'invalid-request');
    const asked = await handIn({ url });
    await feeds.until(asked.run, 'completed');
    await expectProblem(await feeds.send(`/feeds/${asked.id}/runs`, body), 'invalid-request');
  });

  test('as text/plain is read by its bytes', async () => {
    const { images } = await shopFeed();
    const bodies = [
      `id\timage_link\nsku-1\t${images.a}\n`,
      `id,image_link\nsku-1,${images.a}\n`,
      `{"id":"sku-1","image_link":"${images.a}"}\n`,
      `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>sku-1</g:id><g:image_link>${images.a}</g:image_link></item></channel></rss>`,
    ];
    for (const body of bodies) {
      const response = await feeds.send('/feeds', body, 'text/plain; charset=utf-8');
      expect(response.status, body).toBe(202);
      const { id, run } = await readFeed(response);
      expect((await feeds.until(run, 'completed')).counts).toMatchObject({ rows: 1, succeeded: 1 });
      const exported = await feeds.ask('GET', `/feeds/${id}/export`);
      expect(exported.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await exported.text()).toContain('/intake/v1/files/');
    }
    const prose = await readFeed(await feeds.send('/feeds', 'Dear shop,\n', 'text/plain'));
    const { problem } = await feeds.until(prose.run, 'failed');
    expect(problem?.detail).toMatch(
      /not an XML, TSV, CSV, NDJSON or JSON feed.*begins with "Dear shop/,
    );
  });

  test('is rejected in a media type that is no feed', async () => {
    const response = await feeds.send('/feeds', '%PDF', 'application/pdf');
    await expectProblem(response, 'unsupported-media-type');
  });

  test('is rejected if its JSON is malformed', async () => {
    const response = await feeds.send('/feeds', '{"url"', 'application/json');
    await expectProblem(response, 'invalid-request');
  });

  test('sent twice under one Idempotency-Key is one feed with one document', async () => {
    const { body } = await shopFeed();
    const headers = { 'idempotency-key': `key-${made}` };
    const before = (await stack.stored('feed_', 'source')).length;
    const first = await readFeed(await feeds.send('/feeds', body, 'text/csv', headers));
    const second = await readFeed(await feeds.send('/feeds', body, 'text/csv', headers));
    expect(second.id).toBe(first.id);
    expect((await stack.stored('feed_', 'source')).length).toBe(before + 1);
    const other = await feeds.send('/feeds', `${body}x,y,,,\r\n`, 'text/csv', headers);
    await expectProblem(other, 'idempotency-mismatch');
    expect((await stack.stored('feed_', 'source')).length).toBe(before + 1);
    await feeds.until(first.run, 'completed');
  });
});

describe('a run', () => {
  test('is the only one of its feed, can be cancelled, and leaves the feed as it was', async () => {
    const { url, at } = await shopFeed();
    const { feed } = await feeds.completed({ url });
    const exported = await textOf(`/feeds/${feed.id}/export`);

    shop.put(`${at}/0.jpg`, badResponses.silence);
    const second = await readRun(await feeds.ask('POST', `/feeds/${feed.id}/runs`));
    await feeds.until(second, 'running');
    await expectProblem(await feeds.ask('POST', `/feeds/${feed.id}/runs`), 'conflict');
    expect((await feeds.ask('POST', `${feeds.pathOf(second)}/cancel`)).status).toBe(200);
    const canceled = await feeds.until(second, 'canceled');
    expect(canceled.counts.images).toBe(4);
    expect((await feeds.ask('POST', `${feeds.pathOf(second)}/cancel`)).status).toBe(200);
    expect(await textOf(`/feeds/${feed.id}/export`)).toBe(exported);
    const report = await textOf(`${feeds.pathOf(second)}/report`);
    expect(report).toContain('"outcome":"not-done"');
    await expectProblem(await feeds.ask('POST', `${feeds.pathOf(feed.run)}/cancel`), 'conflict');
  });

  test('can be cancelled while the feed is being fetched', async () => {
    let fetching: 'not yet' | 'yes' | 'no more' = 'not yet';
    const url = shop.put('/silent', (_request, response) => {
      fetching = 'yes';
      response.once('close', () => {
        fetching = 'no more';
      });
    });
    const feed = await handIn({ url });
    await expect.poll(() => fetching).toBe('yes');
    expect((await feeds.ask('POST', `${feeds.pathOf(feed.run)}/cancel`)).status).toBe(200);
    await feeds.until(feed.run, 'canceled');
    await expect.poll(() => fetching).toBe('no more');
  });

  test('is one of 20 batches and runs that a client listens to at a time', async () => {
    const { feed } = await feeds.completed({ url: (await shopFeed()).url });
    const path = `${feeds.pathOf(feed.run)}/events`;
    const batch = await readBatch(await feeds.send('/batches', '{}', 'application/json'));
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => feeds.ask('GET', `/batches/${batch.id}/events`)),
    );
    expect(streams.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await expectProblem(await feeds.ask('GET', path), 'rate-limit-exceeded');
    await streams[0]?.body?.cancel();
    await expect.poll(async () => (await feeds.ask('GET', path)).status).toBe(200);
    await Promise.all(streams.slice(1).map(({ body }) => body?.cancel()));
  });

  test('reports its progress as events, with its own counts', async () => {
    const { url } = await shopFeed();
    const feed = await handIn({ url });
    const events = await textOf(`${feeds.pathOf(feed.run)}/events`);
    const data = /event: completed\nid: .*\ndata: (.*)/.exec(events)?.[1] ?? '{}';
    const { counts } = await feeds.until(feed.run, 'completed');
    expect(JSON.parse(data)).toMatchObject({ id: feed.run.id, status: 'completed', counts });
    expect(counts).toMatchObject({ rows: 4, images: 4, changed: 3, unchanged: 0 });
  });

  test('is listed with the other runs of its feed, the newest first, in pages', async () => {
    const { url } = await shopFeed();
    const { feed } = await feeds.completed({ url });
    for (let i = 0; i < 3; i++) await feeds.runAgain(feed.id);
    const { runs: ids } = await readFeed(await feeds.ask('GET', `/feeds/${feed.id}`));
    const path = `/feeds/${feed.id}/runs`;
    const first = await readPage(`${path}?limit=3`);
    expect(first.runs.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(first.runs[0]).toEqual(await readRun(await feeds.ask('GET', `${path}/${ids[0]}`)));
    expect(first.links?.next).toBe(`/intake/v1${path}?limit=3&before=${ids[2]}`);
    const second = await readPage(`${path}?limit=3&before=${ids[2]}`);
    expect(second.runs.map(({ id }) => id)).toEqual([feed.run.id]);
    expect(second.links).toBeUndefined();
    expect((await readPage(`${path}?before=run_none`)).runs).toEqual([]);
    expect((await feeds.ask('GET', `${path}?limit=0`)).status).toBe(400);
  });
});

describe('a schedule', () => {
  const log = createLog('test', 'silent');

  test('starts each run once, at its time, until the feed is erased', async () => {
    const { url } = await shopFeed();
    const { feed } = await feeds.completed({ url, schedule: '0 3 1 1 *' });
    const redis = blockingConnection(stack.redis.url, log);
    const queue = openQueue('feed', redis, log);
    const scheduler = await queue.getJobScheduler(feed.id);
    expect(scheduler).toMatchObject({ pattern: '0 3 1 1 *', tz: 'UTC' });
    expect(new Date(scheduler?.next ?? 0).toISOString()).toMatch(/-01-01T03:00:00/);

    const [job] = (await queue.getDelayed()).filter(({ data }) => data.feedId === feed.id);
    await job?.promote();
    const runsOf = async () => (await readFeed(await feeds.ask('GET', `/feeds/${feed.id}`))).runs;
    await expect.poll(async () => (await runsOf()).length).toBe(2);
    const [id = ''] = await runsOf();
    const run = await feeds.until({ feedId: feed.id, id }, 'completed');
    expect(run.counts).toMatchObject({ unchanged: 3 });

    await feeds.ask('DELETE', `/feeds/${feed.id}`);
    expect(await queue.getJobScheduler(feed.id)).toBeUndefined();
    await queue.close();
    redis.disconnect();
  });
});

describe('the limits of a key', () => {
  async function limitedClient(grant: Parameters<SharedStack['key']>[0]) {
    return feedClient(stack, (await stack.key({ client: `limited-${fresh()}`, ...grant })).key);
  }

  test('a client has no more feeds than its key allows, and deleting one makes room', async () => {
    const few = await limitedClient({ maxFeeds: 2 });
    const url = shop.put('/few.csv', { body: header, type: 'text/csv' });
    const responses = await Promise.all(Array.from({ length: 8 }, () => few.postJson({ url })));
    const accepted = responses.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 202)) {
      const { detail } = await expectProblem(response, 'conflict');
      expect(detail).toContain('maximum of 2 feeds');
    }
    await expectProblem(await few.send('/feeds', header), 'conflict');
    const { feeds: listed } = (await (await few.ask('GET', '/feeds')).json()) as {
      feeds: { id: string }[];
    };
    expect(listed).toHaveLength(2);
    const [first] = await Promise.all(accepted.map(readFeed));
    await few.ask('DELETE', `/feeds/${first?.id}`);
    expect((await few.postJson({ url })).status).toBe(202);
  });

  test('a repeated request gets its feed, although there is no room for another', async () => {
    const few = await limitedClient({ maxFeeds: 1 });
    const url = shop.put('/once.csv', { body: header, type: 'text/csv' });
    const headers = { 'idempotency-key': 'the-only-feed' };
    const feed = await readFeed(await few.postJson({ url }, headers));
    const again = await few.postJson({ url }, headers);
    expect(again.status).toBe(202);
    expect((await readFeed(again)).id).toBe(feed.id);
  });

  test('a schedule must not run more often than the key allows', async () => {
    const hourly = await limitedClient({ feedIntervalSeconds: 3600 });
    const url = shop.put('/hourly.csv', { body: header, type: 'text/csv' });
    for (const schedule of ['* * * * *', '0,30 * * * *', '0,59 4,5 * * *']) {
      const response = await hourly.postJson({ url, schedule });
      expect(response.status, schedule).toBe(400);
      expect(await pointersOf(response), schedule).toEqual(['/schedule']);
    }
    const body = await (await hourly.postJson({ url, schedule: '0,30 * * * *' })).json();
    expect(JSON.stringify(body)).toContain('3600 s apart');
    expect((await hourly.postJson({ url, schedule: '30 * * * *' })).status).toBe(202);
  });
});

describe('an erased feed', () => {
  test('is deleted with everything, and erasing it again returns the same', async () => {
    const { url } = await shopFeed();
    const { feed, run } = await feeds.completed({ url });
    expect((await stack.stored(feed.id)).length).toBeGreaterThan(4);
    const response = await feeds.ask('DELETE', `/feeds/${feed.id}`);
    const receipt = await response.json();
    const expected = { id: feed.id, erasedAt: expect.any(String), blobs: expect.any(Number) };
    expect(receipt).toEqual(expected);
    expect(await stack.stored(feed.id)).toEqual([]);
    expect(await stack.stored(run.id)).toEqual([]);
    expect(await (await feeds.ask('DELETE', `/feeds/${feed.id}`)).json()).toEqual(receipt);
    const { erasedAt } = receipt as { erasedAt: string };
    const tombstone = await (await feeds.ask('GET', `/feeds/${feed.id}`)).json();
    expect(tombstone).toMatchObject({ detail: 'This feed was erased', erasedAt });
    for (const path of [`/feeds/${feed.id}`, `/feeds/${feed.id}/runs`, feeds.pathOf(run)])
      await expectProblem(await feeds.ask('GET', path), 'gone');
    expect(JSON.stringify(await (await feeds.ask('GET', '/feeds')).json())).not.toContain(feed.id);
  });

  test('leaves nothing even if it was running', async () => {
    const { url, at } = await shopFeed();
    shop.put(`${at}/1.jpg`, badResponses.silence);
    const feed = await handIn({ url });
    await feeds.until(feed.run, 'running');
    await feeds.ask('DELETE', `/feeds/${feed.id}`);
    await expect.poll(() => stack.stored(feed.id)).toEqual([]);
    expect(await stack.stored(feed.run.id)).toEqual([]);
  });
});

test('a feed needs the scopes of its operations', async () => {
  const { url } = await shopFeed();
  const poor = feedClient(stack, (await stack.key({ scopes: ['taxonomy:classify'] })).key);
  await expectProblem(await poor.postJson({ url }), 'insufficient-scope');
  const allowed = await poor.postJson({ url, operations: ['classify'] });
  expect(allowed.status).toBe(202);
  await feeds.until((await readFeed(allowed)).run, 'completed');
});
