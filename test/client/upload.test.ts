import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { BatchRow } from '../../packages/client/src/contract.ts';
import { plantServer } from '../support/servers.ts';
import { createTestClient, failure, problemResponse } from './scripted-server.ts';

const rows = (count: number): BatchRow[] =>
  Array.from({ length: count }, (_, i) => ({
    customId: `sku-${i}`,
    imageUrl: `https://img.example/${i}.jpg`,
  }));
const lineOf = (row: BatchRow): string => `${JSON.stringify(row)}\n`;

/** The outcome of one upload: complete, complete without a response, partial, or rejected. */
type Outcome = 'complete' | 'lost response' | { rows: number } | { rejected: RequestListener };

/** Starts a server with a batch that accepts rows like the service, and breaks connections as told. */
async function startBatchServer(...outcomes: Outcome[]) {
  const received: string[] = [];
  let upload: { format: string; offset: number } | undefined;
  const batch = () =>
    JSON.stringify({
      id: 'batch_1',
      status: 'open',
      counts: { accepted: received.length, rejected: 0 },
      upload,
    });
  const server = await plantServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return void response.end(batch());
    const body = await text(request);
    const outcome = outcomes.shift() ?? 'complete';
    if (typeof outcome === 'object' && 'rejected' in outcome)
      return outcome.rejected(request, response);
    const offset = new URL(request.url ?? '', 'http://x').searchParams.get('offset');
    expect(Number(offset ?? 0)).toBe(offset === null ? 0 : upload?.offset);
    const lines = body
      .split(/(?<=\n)/)
      .slice(0, typeof outcome === 'object' ? outcome.rows : undefined);
    received.push(...lines);
    const end = Number(offset ?? 0) + lines.join('').length;
    if (lines.length > 0) upload = { format: 'ndjson', offset: end };
    if (outcome !== 'complete') return void request.socket.destroy();
    const result = { accepted: lines.length, rejected: 0, offset: end, errors: [], warnings: [] };
    response.end(JSON.stringify(result));
  });
  const posts = () => server.requests.filter(({ method }) => method === 'POST');
  return { server, received, posts };
}

test('rows are sent in chunks, one after the other', async () => {
  const { server, received, posts } = await startBatchServer();
  const { client } = createTestClient(server, { maxBodyBytes: 200 });
  expect(await client.batches.addRows('batch_1', rows(7))).toEqual({
    accepted: 7,
    rejected: 0,
    offset: received.join('').length,
    errors: [],
    warnings: [],
  });
  expect(received).toEqual(rows(7).map(lineOf));
  expect(posts().length).toBeGreaterThan(2);
});

test.each<[string, Outcome[], number]>([
  ['before anything has arrived', [{ rows: 0 }], 2],
  ['when some rows have arrived', [{ rows: 2 }, { rows: 1 }], 3],
  ['when all have arrived and the response is lost', ['lost response'], 1],
])('a chunk that breaks off %s is resumed with the rest', async (_name, outcomes, sent) => {
  const { server, received, posts } = await startBatchServer(...outcomes);
  const { client } = createTestClient(server);
  const result = await client.batches.addRows('batch_1', rows(5));
  expect(result).toMatchObject({ accepted: 5, rejected: 0 });
  expect(received).toEqual(rows(5).map(lineOf));
  expect(posts()).toHaveLength(sent);
});

test('a retry waits for its own first attempt', async () => {
  const busy = { rejected: problemResponse(409, 'conflict', { 'retry-after': '30' }) };
  const { server, received } = await startBatchServer({ rows: 1 }, busy);
  const { client, waits } = createTestClient(server, { retry: { baseMillis: 10 } });
  await client.batches.addRows('batch_1', rows(3));
  expect(received).toEqual(rows(3).map(lineOf));
  expect(waits).toEqual([10, 30_000]);
});

test('the same request keeps its Idempotency-Key, the rest gets a new one', async () => {
  const { server, posts } = await startBatchServer({ rows: 0 }, { rows: 1 });
  await createTestClient(server).client.batches.addRows('batch_1', rows(3));
  const [first, again, rest] = posts().map(({ headers }) => headers['idempotency-key']);
  expect(again).toBe(first);
  expect(rest).not.toBe(first);
});

test('when the quota is used up, the error is thrown', async () => {
  const over = { rejected: problemResponse(429, 'quota-exceeded', { 'retry-after': '50000' }) };
  const { server } = await startBatchServer(over);
  expect(
    await failure(createTestClient(server).client.batches.addRows('b', rows(3))),
  ).toMatchObject({
    type: 'quota-exceeded',
    retryAfterSeconds: 50_000,
  });
});

test('an upload is resumed in another process with the same rows', async () => {
  const { server, received } = await startBatchServer({ rows: 2 });
  const once = createTestClient(server, { retry: { maxAttempts: 1 } }).client;
  const expected = { type: 'connection-failed' };
  expect(await failure(once.batches.addRows('b', rows(5)))).toMatchObject(expected);
  async function* again() {
    yield* rows(5);
  }
  const { client } = createTestClient(server);
  const result = await client.batches.addRows('b', again(), { resume: true });
  expect(result.accepted).toBe(3);
  expect(received).toEqual(rows(5).map(lineOf));
  const other = rows(5).map((row) => ({ ...row, customId: `x${row.customId}` }));
  expect(await failure(client.batches.addRows('b', other, { resume: true }))).toMatchObject({
    type: 'conflict',
  });
});

test('no rows, no upload; a row that is too large is not sent', async () => {
  const { server, posts } = await startBatchServer();
  const { client } = createTestClient(server, { maxBodyBytes: 10 });
  expect(await client.batches.addRows('b', [])).toMatchObject({ accepted: 0, offset: 0 });
  const expected = { type: 'payload-too-large' };
  expect(await failure(client.batches.addRows('b', rows(1)))).toMatchObject(expected);
  expect(posts()).toEqual([]);
});
