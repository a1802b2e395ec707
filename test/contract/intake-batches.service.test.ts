import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import {
  batchClient,
  Line,
  readBatch,
  readUploaded,
  rowOf,
  uploadedRow,
} from '../support/batches.ts';
import { expectProblem } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, batches } = await useSharedStack();
const shirts = await Promise.all(
  [300, 320, 340].map((width) => drawnShirt({ width, height: 360, format: 'jpeg' })),
);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Event {
  event?: string;
  id?: string;
  data?: { status: string; counts: Record<string, number> };
}

/** Reads events until the stream ends or `enough` returns true. */
async function eventsOf(
  id: string,
  { headers, enough }: { headers?: Record<string, string>; enough?: (last: Event) => boolean } = {},
): Promise<Event[]> {
  const response = await batches.ask('GET', `/batches/${id}/events`, headers && { headers });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events: Event[] = [];
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes);
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) continue; // a sign of life on a slow machine
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s)));
      const { data, ...rest } = fields;
      events.push({ ...rest, ...(data && { data: JSON.parse(data) }) });
      const last = events.at(-1);
      if (last && enough?.(last)) return events;
    }
  }
  return events;
}

describe('a batch from creation to completion', () => {
  test('rows become cut-outs, errors and a manifest, and events report it', async () => {
    const before = await batches.quotaLeft();
    const response = await batches.create({
      name: 'Spring',
      operations: ['classify', 'remove-background'],
    });
    expect(response.status).toBe(201);
    const made = await readBatch(response);
    expect(response.headers.get('location')).toBe(made.links.self);
    expect(made).toMatchObject({
      status: 'open',
      name: 'Spring',
      operations: ['classify', 'remove-background'],
      counts: { accepted: 0, rejected: 0, queued: 0, active: 0, succeeded: 0 },
    });
    const { id } = made;

    const rows = [
      uploadedRow('one', shirts[0]!),
      '{"customId":"none"}\n',
      // A host that does not exist: the row fails when it is processed.
      `${JSON.stringify({ customId: 'away', imageUrl: 'http://nowhere.invalid/1.jpg' })}\n`,
    ];
    await readUploaded(await batches.send(id, rows.join('')));
    await readUploaded(await batches.sendFiles(id, [['two.jpg', shirts[1]!]]));
    expect((await batches.get(id)).counts).toMatchObject({ accepted: 3, rejected: 1, queued: 3 });
    expect(await batches.lines(id, 'results')).toEqual([]);

    const reported = eventsOf(id);
    const expected = { id, sealedAt: expect.anything() };
    expect(await readBatch(await batches.seal(id))).toMatchObject(expected);
    const done = await batches.until(id, 'completed');
    const counts = { accepted: 3, rejected: 1, queued: 0, active: 0, succeeded: 2, failed: 1 };
    expect(done.counts).toEqual({ ...counts, canceled: 0 });

    const events = await reported;
    expect(events[0]).toEqual({ retry: '2000' });
    expect(events.at(-1)).toMatchObject({
      event: 'completed',
      data: { status: 'completed', counts },
    });
    expect(events.slice(1, -1).every(({ event }) => event === 'progress')).toBe(true);
    const end = { 'last-event-id': events.at(-1)?.id ?? '' };
    const again = await batches.ask('GET', `/batches/${id}/events`, { headers: end });
    expect(again.status).toBe(204);

    const results = await batches.lines(id, 'results');
    expect(results.map(({ row, customId }) => [row, customId])).toEqual([
      [0, 'one'],
      [3, 'two.jpg'],
    ]);
    for (const result of results) await expectCutOut(result);
    const review = { needed: expect.any(Boolean), reasons: expect.any(Array) };
    expect(results[0]).toMatchObject({
      status: 'succeeded',
      cutout: { review },
      classification: expect.anything(),
    });
    const errors = await batches.lines(id, 'errors');
    expect(errors).toMatchObject([
      { customId: 'none', line: 2, problem: { type: 'invalid-request', status: 400 } },
      {
        customId: 'away',
        line: 3,
        problem: { type: expect.any(String), title: expect.any(String) },
      },
    ]);
    const manifest = await batches.lines(id, 'manifest');
    expect(manifest.map(({ row, status }) => [row, status])).toEqual([
      [0, 'succeeded'],
      [1, 'rejected'],
      [2, 'failed'],
      [3, 'succeeded'],
    ]);
    expect(manifest[0]).toMatchObject({
      input: { sha256: sha256(shirts[0]!) },
      cutout: { review: Line.parse(results[0]?.cutout).review },
    });
    const rest = await (await batches.ask('GET', `/batches/${id}/manifest?after=1`)).text();
    expect(rest.match(/^\{"row":\d/gm)).toEqual(['{"row":2', '{"row":3']);
    // The failed row and the rejected one cost nothing.
    expect(before - (await batches.quotaLeft())).toBe(2);
  });

  async function expectCutOut({ cutout }: Line): Promise<void> {
    const { url, bytes, sha256: hash } = cutout as { url: string; bytes: number; sha256: string };
    const path = url.replace('/intake/v1', '');
    const head = await batches.ask('HEAD', path);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes)]);
    const png = Buffer.from(await (await batches.ask('GET', path)).arrayBuffer());
    expect(sha256(png)).toBe(hash);
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', hasAlpha: true });
  }

  test('a batch without rows is completed at once', async () => {
    const id = await batches.open();
    await batches.seal(id);
    expect((await batches.until(id, 'completed')).counts).toMatchObject({ accepted: 0 });
    expect((await batches.seal(id)).status).toBe(200);
    for (const report of ['results', 'errors', 'manifest'])
      expect(await batches.lines(id, report)).toEqual([]);
  });
});

test('events are not sent again after Last-Event-ID until something changes', async () => {
  const id = await batches.open();
  const first = await eventsOf(id, { enough: ({ event }) => event === 'progress' });
  const headers = { 'last-event-id': first.at(-1)?.id ?? '' };
  const rest = eventsOf(id, { headers });
  await batches.send(id, rowOf('a'));
  await batches.cancel(id);
  const names = (await rest).map(({ event, data }) => [event, data?.status]);
  expect(names.at(-1)).toEqual(['completed', 'canceled']);
  expect(names[1]?.[0]).toBe('progress');
  const changed = (await batches.get(id)).counts;
  expect(changed).toMatchObject({ accepted: 1, canceled: 1, queued: 0 });
});

describe('cancelling', () => {
  test('refunds the quota of rows that were not processed', async () => {
    const before = await batches.quotaLeft();
    const id = await batches.open();
    await batches.send(id, rowOf('a') + rowOf('b'));
    expect(before - (await batches.quotaLeft())).toBe(2);
    const expected = { status: 'canceled', counts: { canceled: 2, queued: 0 } };
    expect(await readBatch(await batches.cancel(id))).toMatchObject(expected);
    expect(await batches.quotaLeft()).toBe(before);
    expect((await batches.cancel(id)).status).toBe(200);
    await expectProblem(await batches.seal(id), 'conflict');
    const statuses = (await batches.lines(id, 'manifest')).map(({ status }) => status);
    expect(statuses).toEqual(['canceled', 'canceled']);
  });

  test('a completed batch is a conflict', async () => {
    const id = await batches.open();
    await batches.seal(id);
    await batches.until(id, 'completed');
    await expectProblem(await batches.cancel(id), 'conflict');
  });

  test('a running batch ends its remaining rows', async () => {
    const id = await batches.open();
    const rows = Array.from({ length: 400 }, (_, i) =>
      rowOf(`${i}`, { imageUrl: 'http://10.0.0.1/' }),
    );
    await batches.send(id, rows.join(''));
    await batches.seal(id);
    expect((await batches.cancel(id)).status).toBe(200);
    const { counts } = await batches.until(id, 'canceled');
    expect((counts.canceled ?? 0) + (counts.failed ?? 0)).toBe(400);
  });
});

test('erasing leaves only the tombstone of a batch', async () => {
  const id = await batches.completed(uploadedRow('a', shirts[2]!) + rowOf('b'));
  const [result] = await batches.lines(id, 'results');
  expect((await stack.stored(id)).length).toBeGreaterThan(3);
  const receipt = await (await batches.erase(id)).json();
  expect(receipt).toMatchObject({ id, erasedAt: expect.any(String), blobs: expect.any(Number) });
  expect(await stack.stored(id)).toEqual([]);
  expect(await (await batches.erase(id)).json()).toEqual(receipt);
  const response = await batches.ask('GET', `/batches/${id}`);
  const { erasedAt } = Line.parse(receipt);
  const expected = { type: 'gone', status: 410, detail: 'This batch was erased', erasedAt };
  expect(await response.json()).toMatchObject(expected);
  for (const path of ['', '/results', '/errors', '/manifest', '/events'])
    await expectProblem(await batches.ask('GET', `/batches/${id}${path}`), 'gone');
  await expectProblem(await batches.send(id, rowOf('c')), 'gone');
  expect(await (await batches.ask('GET', '/batches?limit=100')).text()).not.toContain(id);
  const { url } = Line.parse(result?.cutout);
  await expectProblem(await batches.ask('GET', String(url).replace('/intake/v1', '')), 'gone');
  await expectProblem(await batches.seal(id), 'gone');
  await expectProblem(await batches.cancel(id), 'gone');
});

describe('access to a batch', () => {
  test('a key needs the scopes of the operations', async () => {
    const { key: narrow } = await stack.key({ scopes: ['taxonomy:classify'] });
    const client = batchClient(stack, narrow);
    await expectProblem(await client.create(), 'insufficient-scope');
    expect((await client.create({ operations: ['classify'] })).status).toBe(201);
    const id = await batches.open();
    await expectProblem(await client.send(id, rowOf('a')), 'insufficient-scope');
  });

  test('a client lists its own batches, newest first, page by page', async () => {
    const { key: own } = await stack.key({ client: 'lister' });
    const client = batchClient(stack, own);
    const ids: string[] = [];
    for (const name of ['1', '2', '3']) ids.unshift(await client.open({ name }));
    const page = async (path: string) =>
      (await (await client.ask('GET', path)).json()) as {
        batches: { id: string }[];
        links?: { next: string };
      };
    const first = await page('/batches?limit=2');
    expect(first.batches.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = await page((first.links?.next ?? '').replace('/intake/v1', ''));
    expect(next.batches.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(next.links).toBeUndefined();
  });
});

describe('a request is rejected:', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    { options: { operations: ['fly'] } },
    { options: { operations: [] } },
    { options: { retention: { outputSeconds: 1 } } },
    { options: { nmae: 'typo' } },
    { options: { name: '' } },
    { options: { webhook: { url: 'ftp://x.example' } } },
  ])('$options', async ({ options }) => {
    await expectProblem(await batches.create(options), 'invalid-request');
  });

  test.each(['x', '1.5', '-1', '99'])('the cut-out of row %s', async (row) => {
    const id = await batches.open();
    await batches.send(id, `${rowOf('a')}{}\n`);
    await expectProblem(await batches.ask('GET', `/batches/${id}/rows/${row}/cutout`), 'not-found');
  });

  test('the cut-out of a row that is not processed yet, or was rejected', async () => {
    const id = await batches.open();
    await batches.send(id, `${rowOf('a')}{}\n`);
    const cutOut = (row: number) => batches.ask('GET', `/batches/${id}/rows/${row}/cutout`);
    await expectProblem(await cutOut(0), 'conflict');
    await expectProblem(await cutOut(1), 'not-found');
  });
});

test('a client with 1,000 batches that have not ended cancels one before it opens another', async () => {
  const { key: owned, record } = await stack.key({ client: 'hoarder' });
  const hoarder = batchClient(stack, owned);
  const opened = await hoarder.open();
  const redis = blockingConnection(stack.redis.url, createLog('test', 'silent'));
  const others = Array.from({ length: 999 }, (_, i) => `batch_${i}`);
  await redis.sadd(`{selvage}:batches-unended:${record.client}`, ...others);
  redis.disconnect();

  const response = await hoarder.create();
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({
    type: 'conflict',
    detail: 'Your client has its maximum of 1000 batches that have not ended; seal or cancel some',
  });
  const [manifest] = await stack.stored(opened);
  const folder = `${dirname(dirname(manifest ?? ''))}/`;
  const left = new Set(
    (await stack.stored(folder)).map((file) => file.slice(folder.length).split('/')[0]),
  );
  expect(left).toEqual(new Set([opened])); // nothing is left of the rejected one
  expect((await hoarder.cancel(opened)).status).toBe(200);
  expect((await hoarder.create()).status).toBe(201);
});

test('an Idempotency-Key creates one batch from two requests, and accepts rows once', async () => {
  const headers = { 'idempotency-key': 'open-1' };
  const [first, second] = [
    await batches.create({ name: 'x' }, headers),
    await batches.create({ name: 'x' }, headers),
  ];
  const { id } = await readBatch(first);
  expect((await readBatch(second)).id).toBe(id);
  await expectProblem(await batches.create({ name: 'y' }, headers), 'idempotency-mismatch');

  const send = (body: string, query = '') =>
    batches.send(id, body, undefined, { query, headers: { 'idempotency-key': 'rows-1' } });
  const taken = await readUploaded(await send(rowOf('a')));
  expect(await readUploaded(await send(rowOf('a')))).toEqual(taken);
  expect((await batches.get(id)).counts.accepted).toBe(1);
  await expectProblem(await send(rowOf('b'), '?offset=1'), 'idempotency-mismatch');

  const sealed = await readBatch(await batches.seal(id, { 'idempotency-key': 'seal-1' }));
  await batches.cancel(id);
  const replay = await readBatch(await batches.seal(id, { 'idempotency-key': 'seal-1' }));
  expect(replay).toEqual(sealed);
});

describe('the archive of a batch', () => {
  const read = async (id: string, query = '') => {
    const response = await batches.ask('GET', `/batches/${id}/archive${query}`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    return unzipSync(new Uint8Array(await response.arrayBuffer()));
  };

  test('has each cut-out under a name of its own, and says which rows have none', async () => {
    const id = await batches.open();
    const names = ['sku/1.jpg', 'SKU_1', '../../etc/passwd', 'errors'];
    const rows = names.map((name, i) => uploadedRow(name, shirts[i % shirts.length]!));
    await batches.send(id, `${rows.join('')}${uploadedRow('no image', Buffer.from('?'))}`);
    await batches.send(id, rowOf('away', { imageUrl: 'http://nowhere.invalid/1.jpg' }));
    await batches.seal(id);
    const { links } = await batches.until(id, 'completed');
    expect(links.archive).toBe(`/intake/v1/batches/${id}/archive`);

    const files = await read(id);
    const { 'errors.ndjson': errors, ...cutOuts } = files;
    const expected = ['sku_1.png', 'SKU_1-1.png', '__.._etc_passwd.png', 'errors.png'];
    expect(Object.keys(cutOuts)).toEqual(expected);
    for (const [row, file] of Object.values(cutOuts).entries()) {
      const cutOut = await batches.ask('GET', `/batches/${id}/rows/${row}/cutout`);
      expect(sha256(file)).toBe(sha256(Buffer.from(await cutOut.arrayBuffer())));
    }
    const lines = Buffer.from(errors!).toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await batches.lines(id, 'errors'));
    expect(Object.keys(await read(id, '?after=2'))).toEqual(['errors.png', 'errors.ndjson']);
  });

  test('of a batch without cut-outs is not there', async () => {
    const id = await batches.open({ operations: ['classify'] });
    await expectProblem(await batches.ask('GET', `/batches/${id}/archive`), 'not-found');
  });
});
