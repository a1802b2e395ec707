import { expect, test } from 'vitest';
import {
  collect,
  createTestClient,
  cutOff,
  failure,
  jsonResponse,
  problemResponse,
  respondWith,
  serveScript,
  startScriptedServer,
  writeAll,
} from './scripted-server.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const counts = { accepted: 3, succeeded: 1 };

const row = (number: number, customId = `sku-${number}`): string =>
  `${JSON.stringify({ row: number, customId, status: 'succeeded' })}\n`;
const event = (name: string, id: string, status = 'running'): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify({ id: 'batch_1', status, counts })}\n\n`;

const idsOf = async (rows: AsyncIterable<{ customId?: string | undefined }>) =>
  (await collect(rows)).map(({ customId }) => customId);

test('lines are parsed however the bytes are split', async () => {
  const bytes = Buffer.from(row(0, 'Größe 38 👗') + row(1) + row(2, '日本'));
  const single = [...bytes].map((byte) => Uint8Array.of(byte));
  const { client } = await serveScript([
    (_request, response) => {
      response.writeHead(200, NDJSON);
      writeAll(response, single, () => response.end());
    },
  ]);
  expect(await idsOf(client.batches.results('batch_1'))).toEqual(['Größe 38 👗', 'sku-1', '日本']);
});

test('lines are yielded one by one, before the response ends', async () => {
  const { client } = await serveScript([
    (_request, response) => {
      response.writeHead(200, NDJSON).write(row(0));
    },
  ]);
  const rows = client.batches.manifest('batch_1');
  expect((await rows.next()).value).toMatchObject({ row: 0 });
  await rows.return(undefined);
});

test('a download that breaks off is resumed after the last row', async () => {
  const { client, waits, server } = await serveScript([
    cutOff([row(0), row(1), row(2).slice(0, 9)], NDJSON),
    problemResponse(503, 'upstream-unavailable'),
    cutOff([row(2)], NDJSON),
    respondWith(200, row(3), NDJSON),
  ]);
  const expected = ['sku-0', 'sku-1', 'sku-2', 'sku-3'];
  expect(await idsOf(client.batches.results('batch_1'))).toEqual(expected);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/intake/v1/batches/batch_1/results',
    '/intake/v1/batches/batch_1/results?after=1',
    '/intake/v1/batches/batch_1/results?after=1',
    '/intake/v1/batches/batch_1/results?after=2',
  ]);
  // Progress resets the count of attempts.
  expect(waits).toEqual([500, 1000, 500]);
});

test('rows can be skipped', async () => {
  const { client, server } = await serveScript([respondWith(200, '', NDJSON)]);
  expect(await collect(client.batches.errors('batch_1', { after: 41 }))).toEqual([]);
  expect(server.requests[0]?.url).toBe('/intake/v1/batches/batch_1/errors?after=41');
});

test.each([
  ['a line that is not JSON', `${row(0)}{\n`],
  ['an end within a line', row(0) + row(1).slice(0, 9)],
])('%s is thrown after the rows before it', async (_name, body) => {
  const server = await startScriptedServer(respondWith(200, body, NDJSON));
  const rows = createTestClient(server).client.batches.results('batch_1');
  expect((await rows.next()).value).toMatchObject({ row: 0 });
  expect(await failure(rows.next())).toMatchObject({ type: 'damaged-answer' });
});

test('bytes that are not UTF-8 end the rows', async () => {
  const { client } = await serveScript([
    respondWith(200, Buffer.from([0x22, 0xff, 0x22, 0x0a]), NDJSON),
  ]);
  const expected = { type: 'damaged-answer' };
  expect(await failure(collect(client.batches.results('b')))).toMatchObject(expected);
});

test('events are followed to the end', async () => {
  const body = `retry: 2000\n\n${event('progress', '1')}: still here\n\n${event('completed', '2-end', 'completed')}`;
  const { client, server } = await serveScript([respondWith(200, body, SSE)]);
  expect(await collect(client.batches.events('batch_1'))).toEqual([
    { event: 'progress', id: 'batch_1', status: 'running', counts },
    { event: 'completed', id: 'batch_1', status: 'completed', counts },
  ]);
  expect(server.requests[0]?.headers).toMatchObject({ accept: 'text/event-stream' });
});

test('events that break off are resumed after the last, when the service says', async () => {
  const { client, waits, server } = await serveScript([
    cutOff([`retry: 2000\n\n${event('progress', '1')}`, 'event: progress\nid: 2\nda'], SSE),
    respondWith(200, event('progress', '2'), SSE),
    problemResponse(503, 'upstream-unavailable', { 'retry-after': '4' }),
    respondWith(200, event('completed', '3-end', 'completed'), SSE),
  ]);
  const names = (await collect(client.batches.events('b'))).map((progress) => progress.event);
  expect(names).toEqual(['progress', 'progress', 'completed']);
  const expected = [undefined, '1', '2', '2'];
  expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual(expected);
  expect(waits).toEqual([500, 2000, 4000]);
});

test('204 means that no more events will come', async () => {
  const { client, server } = await serveScript([respondWith(204, '')]);
  expect(await collect(client.feeds.events('feed_1', 'run_1'))).toEqual([]);
  expect(server.requests[0]?.url).toBe('/intake/v1/feeds/feed_1/runs/run_1/events');
});

test('a stream without events fails after the last attempt', async () => {
  const { client, waits } = await serveScript([respondWith(200, 'retry: 10\n\n', SSE)], {
    retry: { maxAttempts: 3 },
  });
  const expected = { type: 'connection-failed' };
  expect(await failure(collect(client.batches.events('b')))).toMatchObject(expected);
  expect(waits).toEqual([500, 1000]);
});

test('leaving the loop closes the connection', async () => {
  const { client, server } = await serveScript([
    (_request, response) => {
      response.writeHead(200, SSE).write(event('progress', '1'));
    },
  ]);
  const received: string[] = [];
  for await (const progress of client.batches.events('b')) {
    received.push(progress.event);
    break;
  }
  expect(received).toEqual(['progress']);
  await expect.poll(() => server.requests[0]?.socket.destroyed).toBe(true);
});

test('a report is read as lines, and an export as bytes with its name', async () => {
  const { client } = await serveScript([
    respondWith(
      200,
      `{"kind":"run","id":"run_1"}\n{"kind":"rejected","line":2,"reasons":["x"]}\n`,
      NDJSON,
    ),
    cutOff(['id,title\n'], {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="feed.csv"',
      'x-request-id': 'r-3',
    }),
  ]);
  const kinds = (await collect(client.feeds.report('f', 'r'))).map(({ kind }) => kind);
  expect(kinds).toEqual(['run', 'rejected']);
  const { body, ...about } = await client.feeds.export('f');
  expect(about).toEqual({ mediaType: 'text/csv', fileName: 'feed.csv', requestId: 'r-3' });
  expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('id,title\n');
  expect(await failure(body.next())).toMatchObject({ type: 'connection-failed' });
});

test('a job is polled until it ends', async () => {
  const job = (status: string) => jsonResponse({ id: 'job_1', status });
  const states = ['queued', 'active', 'active', 'succeeded'].map(job);
  const { client, waits } = await serveScript(states);
  expect(await client.jobs.wait('job_1')).toMatchObject({ status: 'succeeded' });
  expect(waits).toEqual([250, 500, 1000]);
});

test('a job that does not end in time is a timeout with its status', async () => {
  const { client } = await serveScript([jsonResponse({ id: 'job_1', status: 'queued' })]);
  const expected = { type: 'timeout', detail: 'The job job_1 is still queued' };
  expect(await failure(client.jobs.wait('job_1', { timeoutMillis: 3000 }))).toMatchObject(expected);
});
