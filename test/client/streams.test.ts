import { expect, test } from 'vitest';
import {
  all,
  cutOff,
  failure,
  impatient,
  json,
  problem,
  says,
  scripted,
  writeAll,
} from './scripted.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const counts = { accepted: 3, succeeded: 1 };

const row = (number: number, customId = `sku-${number}`): string =>
  `${JSON.stringify({ row: number, customId, status: 'succeeded' })}\n`;
const event = (name: string, id: string, status = 'running'): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify({ id: 'batch_1', status, counts })}\n\n`;

const idsOf = async (rows: AsyncIterable<{ customId?: string | undefined }>) =>
  (await all(rows)).map(({ customId }) => customId);

test('lines are read however the bytes are cut', async () => {
  const bytes = Buffer.from(row(0, 'Größe 38 👗') + row(1) + row(2, '日本'));
  const single = [...bytes].map((byte) => Uint8Array.of(byte));
  const server = await scripted((_request, response) => {
    response.writeHead(200, NDJSON);
    writeAll(response, single, () => response.end());
  });
  const { client } = impatient(server);
  expect(await idsOf(client.batches.results('batch_1'))).toEqual(['Größe 38 👗', 'sku-1', '日本']);
});

test('lines come one by one, before the answer is over', async () => {
  const server = await scripted((_request, response) => {
    response.writeHead(200, NDJSON).write(row(0));
  });
  const { client } = impatient(server);
  const rows = client.batches.manifest('batch_1');
  expect((await rows.next()).value).toMatchObject({ row: 0 });
  await rows.return(undefined);
});

test('a download that breaks off goes on after the row that came last', async () => {
  const server = await scripted(
    cutOff([row(0), row(1), row(2).slice(0, 9)], NDJSON),
    problem(503, 'upstream-unavailable'),
    cutOff([row(2)], NDJSON),
    says(200, row(3), NDJSON),
  );
  const { client, waits } = impatient(server);
  expect(await idsOf(client.batches.results('batch_1'))).toEqual([
    ...['sku-0', 'sku-1', 'sku-2', 'sku-3'],
  ]);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/intake/v1/batches/batch_1/results',
    '/intake/v1/batches/batch_1/results?after=1',
    '/intake/v1/batches/batch_1/results?after=1',
    '/intake/v1/batches/batch_1/results?after=2',
  ]);
  // What came in between makes the next failure the first again.
  expect(waits).toEqual([500, 1000, 500]);
});

test('rows may begin after one', async () => {
  const server = await scripted(says(200, '', NDJSON));
  const { client } = impatient(server);
  expect(await all(client.batches.errors('batch_1', { after: 41 }))).toEqual([]);
  expect(server.requests[0]?.url).toBe('/intake/v1/batches/batch_1/errors?after=41');
});

test.each([
  ['a line that is no JSON', `${row(0)}{\n`],
  ['an end within a line', row(0) + row(1).slice(0, 9)],
])('%s is told after the rows before it', async (_name, body) => {
  const server = await scripted(says(200, body, NDJSON));
  const rows = impatient(server).client.batches.results('batch_1');
  expect((await rows.next()).value).toMatchObject({ row: 0 });
  expect(await failure(rows.next())).toMatchObject({ type: 'damaged-answer' });
});

test('bytes that are no UTF-8 end the rows', async () => {
  const server = await scripted(says(200, Buffer.from([0x22, 0xff, 0x22, 0x0a]), NDJSON));
  const { client } = impatient(server);
  expect(await failure(all(client.batches.results('b')))).toMatchObject({ type: 'damaged-answer' });
});

test('events are followed to the end', async () => {
  const body = `retry: 2000\n\n${event('progress', '1')}: still here\n\n${event('completed', '2-end', 'completed')}`;
  const server = await scripted(says(200, body, SSE));
  const { client } = impatient(server);
  expect(await all(client.batches.events('batch_1'))).toEqual([
    { event: 'progress', id: 'batch_1', status: 'running', counts },
    { event: 'completed', id: 'batch_1', status: 'completed', counts },
  ]);
  expect(server.requests[0]?.headers).toMatchObject({ accept: 'text/event-stream' });
});

test('events that break off go on after the last, when the service wants it', async () => {
  const server = await scripted(
    cutOff([`retry: 2000\n\n${event('progress', '1')}`, 'event: progress\nid: 2\nda'], SSE),
    says(200, event('progress', '2'), SSE),
    problem(503, 'upstream-unavailable', { 'retry-after': '4' }),
    says(200, event('completed', '3-end', 'completed'), SSE),
  );
  const { client, waits } = impatient(server);
  const names = (await all(client.batches.events('b'))).map((progress) => progress.event);
  expect(names).toEqual(['progress', 'progress', 'completed']);
  expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([
    ...[undefined, '1', '2', '2'],
  ]);
  expect(waits).toEqual([500, 2000, 4000]);
});

test('204 means that nothing more will come', async () => {
  const server = await scripted(says(204, ''));
  const { client } = impatient(server);
  expect(await all(client.feeds.events('feed_1', 'run_1'))).toEqual([]);
  expect(server.requests[0]?.url).toBe('/intake/v1/feeds/feed_1/runs/run_1/events');
});

test('events that never come are given up', async () => {
  const server = await scripted(says(200, 'retry: 10\n\n', SSE));
  const { client, waits } = impatient(server, { retry: { mostAttempts: 3 } });
  expect(await failure(all(client.batches.events('b')))).toMatchObject({
    type: 'connection-failed',
  });
  expect(waits).toEqual([500, 1000]);
});

test('who stops reading events closes the connection', async () => {
  const server = await scripted((_request, response) => {
    response.writeHead(200, SSE).write(event('progress', '1'));
  });
  const { client } = impatient(server);
  for await (const progress of client.batches.events('b')) {
    expect(progress.event).toBe('progress');
    break;
  }
  await expect.poll(() => server.requests[0]?.socket.destroyed).toBe(true);
});

test('a report is read as lines, and an export as bytes with its name', async () => {
  const server = await scripted(
    says(
      200,
      `{"kind":"run","id":"run_1"}\n{"kind":"rejected","line":2,"reasons":["x"]}\n`,
      NDJSON,
    ),
    cutOff(['id,title\n'], {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="feed.csv"',
      'x-request-id': 'r-3',
    }),
  );
  const { client } = impatient(server);
  const kinds = (await all(client.feeds.report('f', 'r'))).map(({ kind }) => kind);
  expect(kinds).toEqual(['run', 'rejected']);
  const { body, ...about } = await client.feeds.export('f');
  expect(about).toEqual({ mediaType: 'text/csv', fileName: 'feed.csv', requestId: 'r-3' });
  expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('id,title\n');
  expect(await failure(body.next())).toMatchObject({ type: 'connection-failed' });
});

test('a job is asked about until it has ended', async () => {
  const job = (status: string) => json({ id: 'job_1', status });
  const server = await scripted(job('queued'), job('active'), job('active'), job('succeeded'));
  const { client, waits } = impatient(server);
  expect(await client.jobs.wait('job_1')).toMatchObject({ status: 'succeeded' });
  expect(waits).toEqual([250, 500, 1000]);
});

test('a job that does not end in time is given up, and says how it was', async () => {
  const server = await scripted(json({ id: 'job_1', status: 'queued' }));
  const { client } = impatient(server);
  expect(await failure(client.jobs.wait('job_1', { timeoutMillis: 3000 }))).toMatchObject({
    ...{ type: 'timeout', detail: 'The job job_1 is still queued' },
  });
});
