import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { BatchRow } from '../../src/client/contract.ts';
import { plantServer } from '../support/servers.ts';
import { failure, impatient, problem } from './scripted.ts';

const rows = (count: number): BatchRow[] =>
  Array.from({ length: count }, (_, i) => ({
    customId: `sku-${i}`,
    imageUrl: `https://img.example/${i}.jpg`,
  }));
const lineOf = (row: BatchRow): string => `${JSON.stringify(row)}\n`;

/** What happens to one upload: it comes in whole, in part and then breaks, or is refused. */
type Fate = 'whole' | 'lost answer' | { rows: number } | { refused: RequestListener };

/** A batch that takes rows in as the service does, and loses connections as it is told. */
async function plantBatch(...fates: Fate[]) {
  const taken: string[] = [];
  let upload: { format: string; offset: number } | undefined;
  const batch = () =>
    JSON.stringify({
      id: 'batch_1',
      status: 'open',
      counts: { accepted: taken.length, rejected: 0 },
      upload,
    });
  const server = await plantServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return void response.end(batch());
    const body = await text(request);
    const fate = fates.shift() ?? 'whole';
    if (typeof fate === 'object' && 'refused' in fate) return fate.refused(request, response);
    const offset = new URL(request.url ?? '', 'http://x').searchParams.get('offset');
    expect(Number(offset ?? 0)).toBe(offset === null ? 0 : upload?.offset);
    const lines = body.split(/(?<=\n)/).slice(0, typeof fate === 'object' ? fate.rows : undefined);
    taken.push(...lines);
    const end = Number(offset ?? 0) + lines.join('').length;
    if (lines.length > 0) upload = { format: 'ndjson', offset: end };
    if (fate !== 'whole') return void request.socket.destroy();
    const answer = { accepted: lines.length, rejected: 0, offset: end, errors: [], warnings: [] };
    response.end(JSON.stringify(answer));
  });
  const posts = () => server.requests.filter(({ method }) => method === 'POST');
  return { server, taken, posts };
}

test('rows go in pieces, each after the one before', async () => {
  const { server, taken, posts } = await plantBatch();
  const { client } = impatient(server, { maxBodyBytes: 200 });
  expect(await client.batches.addRows('batch_1', rows(7))).toEqual({
    ...{ accepted: 7, rejected: 0, offset: taken.join('').length, errors: [], warnings: [] },
  });
  expect(taken).toEqual(rows(7).map(lineOf));
  expect(posts().length).toBeGreaterThan(2);
});

test.each<[string, Fate[], number]>([
  ['before anything is in', [{ rows: 0 }], 2],
  ['when some rows are in', [{ rows: 2 }, { rows: 1 }], 3],
  ['when all are in and the answer is lost', ['lost answer'], 1],
])('a piece that breaks off %s goes on with what is not in', async (_name, fates, sent) => {
  const { server, taken, posts } = await plantBatch(...fates);
  const { client } = impatient(server);
  const answer = await client.batches.addRows('batch_1', rows(5));
  expect(answer).toMatchObject({ accepted: 5, rejected: 0 });
  expect(taken).toEqual(rows(5).map(lineOf));
  expect(posts()).toHaveLength(sent);
});

test('a repeat waits for the upload that it was', async () => {
  const busy = { refused: problem(409, 'conflict', { 'retry-after': '30' }) };
  const { server, taken } = await plantBatch({ rows: 1 }, busy);
  const { client, waits } = impatient(server, { retry: { baseMillis: 10 } });
  await client.batches.addRows('batch_1', rows(3));
  expect(taken).toEqual(rows(3).map(lineOf));
  expect(waits).toEqual([10, 30_000]);
});

test('the same request keeps its Idempotency-Key, what is left has a new one', async () => {
  const { server, posts } = await plantBatch({ rows: 0 }, { rows: 1 });
  await impatient(server).client.batches.addRows('batch_1', rows(3));
  const [first, again, rest] = posts().map(({ headers }) => headers['idempotency-key']);
  expect(again).toBe(first);
  expect(rest).not.toBe(first);
});

test('where the quota ends, the error says how far the upload is in', async () => {
  const over = { refused: problem(429, 'quota-exceeded', { 'retry-after': '50000' }) };
  const { server } = await plantBatch(over);
  expect(await failure(impatient(server).client.batches.addRows('b', rows(3)))).toMatchObject({
    ...{ type: 'quota-exceeded', retryAfterSeconds: 50_000 },
  });
});

test('an upload goes on in another process with the same rows', async () => {
  const { server, taken } = await plantBatch({ rows: 2 });
  const once = impatient(server, { retry: { mostAttempts: 1 } }).client;
  expect(await failure(once.batches.addRows('b', rows(5)))).toMatchObject({
    type: 'connection-failed',
  });
  async function* again() {
    yield* rows(5);
  }
  const { client } = impatient(server);
  const answer = await client.batches.addRows('b', again(), { resume: true });
  expect(answer.accepted).toBe(3);
  expect(taken).toEqual(rows(5).map(lineOf));
  const other = rows(5).map((row) => ({ ...row, customId: `x${row.customId}` }));
  expect(await failure(client.batches.addRows('b', other, { resume: true }))).toMatchObject({
    type: 'conflict',
  });
});

test('no rows, no upload; a row that is too large is not sent', async () => {
  const { server, posts } = await plantBatch();
  const { client } = impatient(server, { maxBodyBytes: 10 });
  expect(await client.batches.addRows('b', [])).toMatchObject({ accepted: 0, offset: 0 });
  expect(await failure(client.batches.addRows('b', rows(1)))).toMatchObject({
    type: 'payload-too-large',
  });
  expect(posts()).toEqual([]);
});
