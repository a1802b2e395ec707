import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { batchKeys, putLines } from '../../src/intake/batches/batch-files.ts';
import { batchKey } from '../../src/intake/batches/scripts.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { batchClient, readUploaded, rowOf } from '../support/batches.ts';
import { expectProblem } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { useStack } from '../support/use-stack.ts';

const { stack, key, batches } = await useStack({ MAX_IMAGE_BYTES: '400000' });
const redis = blockingConnection(stack.redis.url, createLog('test', 'silent'));
const shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
afterAll(() => redis.disconnect());

/** Memory of the gateway: current, or its peak. */
const mebibytes = (name: 'VmRSS' | 'VmHWM'): number => {
  const text = readFileSync(`/proc/${stack.gateway.pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1024;
};

const streamOf = (chunks: Iterable<Uint8Array>): ReadableStream =>
  Readable.toWeb(Readable.from(chunks)) as ReadableStream;

/** The rejected rows of an upload, as `line customId type detail`. */
async function errorsOf(body: RequestInit['body'], type?: string): Promise<string[]> {
  const id = await batches.open();
  await readUploaded(await batches.send(id, body, type));
  const lines = await batches.lines(id, 'errors');
  return lines.map(({ line, customId, problem }) => {
    const { type: name, detail } = problem as { type: string; detail: string };
    return `${line} ${customId ?? '-'} ${name}: ${detail}`;
  });
}

describe('a bad row is one error, and the upload continues:', () => {
  const good = rowOf('z');
  const base64 = (text: string) => JSON.stringify({ customId: 'a', imageBase64: text });
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'no id', row: '{"imageUrl":"https://x.example/1.jpg"}', says: /^1 - invalid-request: The row has no customId$/ },
    { what: 'base64 of no image', row: base64('aGVsbG8gd29ybGQ='), says: /^1 a unsupported-media-type: / },
    { what: 'no base64', row: base64('%%%'), says: /^1 a invalid-request: .*not base64/ },
    { what: 'an empty image', row: base64('data:image/png;base64,'), says: /^1 a invalid-request: .*empty/ },
    { what: 'an image that is too large', row: base64('A'.repeat(600_000)), says: /^1 a payload-too-large/ },
    { what: 'a damaged image', row: base64(Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64')), says: /^1 a invalid-request: .*damaged/ },
  ])('$what', async ({ row, says }) => {
    const errors = await errorsOf(`${row}\r\n\n${good}`);
    expect(errors).toEqual([expect.stringMatching(says)]);
  });

  test('a CSV file whose header lacks a column is rejected as a whole', async () => {
    const id = await batches.open();
    const problem = await expectProblem(
      await batches.send(id, 'a,b\n1,2\n', 'text/csv'),
      'invalid-request',
    );
    expect(problem).toMatchObject({ accepted: 0, rejected: 0, offset: 0 });
  });

  test('an endless line is one error, in little memory', async () => {
    const id = await batches.open();
    const before = mebibytes('VmRSS');
    const chunk = Buffer.alloc(1_000_000, 'x');
    function* endless() {
      yield Buffer.from(good);
      for (let i = 0; i < 100; i++) yield chunk;
    }
    const uploaded = await readUploaded(await batches.send(id, streamOf(endless())));
    expect(uploaded).toMatchObject({ accepted: 1, rejected: 1 });
    expect(uploaded.errors).toMatchObject([{ line: 2, problem: { type: 'payload-too-large' } }]);
    // A row may have up to 28 MiB.
    expect(mebibytes('VmHWM') - before).toBeLessThan(150);
  });

  test('unknown columns are reported once', async () => {
    const id = await batches.open();
    const rows = rowOf('a', { title: 'Coat', size: 4 }) + rowOf('b', { title: 'Hat' });
    expect(await readUploaded(await batches.send(id, rows))).toMatchObject({
      accepted: 2,
      warnings: ['The column "title" is ignored', 'The column "size" is ignored'],
    });
  });
});

describe('an id is accepted once in a batch', () => {
  test('the ids of earlier rows are read when rows arrive, and count as requests', async () => {
    const rate = { count: 4, periodSeconds: 100_000 };
    const slow = batchClient(stack, (await stack.key({ client: 'slow', rate })).key);
    const id = await slow.open();
    await redis.hset(batchKey(id), 'chunks', 250);
    const empty = await readUploaded(await slow.send(id, '')); // no chunk could be read yet
    expect(empty).toMatchObject({ accepted: 0, rejected: 0 });

    const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
    const { rows } = batchKeys({ client: 'slow', id });
    for (let chunk = 0; chunk < 249; chunk++) await putLines(blobs, rows(chunk), []);
    const earlier = { row: 0, line: 1, customId: 'a', source: { url: 'https://x.example/1.jpg' } };
    await putLines(blobs, rows(249), [earlier]);
    const uploaded = await readUploaded(await slow.send(id, rowOf('a') + rowOf('b')));
    expect(uploaded).toMatchObject({ accepted: 1, rejected: 1 });

    const response = await slow.ask('GET', '/usage');
    expect(response.status).toBe(429);
    const secondsToWait = Number(response.headers.get('retry-after'));
    expect(secondsToWait).toBeGreaterThan(25_000); // 3 requests and 200 chunks: 5 of 4
    expect(secondsToWait).toBeLessThanOrEqual(50_000);
  });

  test('across uploads, but the id of a rejected row can be sent again', async () => {
    const id = await batches.open();
    await batches.send(id, `${rowOf('a')}{"customId":"b"}\n`);
    const uploaded = await readUploaded(await batches.send(id, rowOf('a') + rowOf('b')));
    expect(uploaded).toMatchObject({
      accepted: 1,
      rejected: 1,
      errors: [{ line: 1, customId: 'a' }],
    });
    const manifest = await batches.lines(id, 'manifest');
    expect(manifest.map(({ row, customId, status }) => [row, customId, status])).toEqual([
      [0, 'a', 'pending'],
      [1, 'b', 'rejected'],
      [2, 'a', 'rejected'],
      [3, 'b', 'pending'],
    ]);
  });
});

test('files become rows by their names; a file that is no image is an error', async () => {
  const id = await batches.open();
  const files: [string, Uint8Array][] = [
    ['a/b/one.jpg', shirt],
    ['Größe 2.jpg', shirt],
    ['note.txt', Buffer.from('hello')],
    ['one.jpg', shirt],
    ['large.jpg', Buffer.concat([shirt, Buffer.alloc(500_000)])],
  ];
  const uploaded = await readUploaded(await batches.sendFiles(id, files));
  expect(uploaded).toMatchObject({ accepted: 2, rejected: 3, offset: 5 });
  expect(uploaded.errors).toMatchObject([
    { line: 3, customId: 'note.txt', problem: { type: 'unsupported-media-type' } },
    { line: 4, customId: 'one.jpg', problem: { type: 'invalid-request' } },
    { line: 5, customId: 'large.jpg', problem: { type: 'payload-too-large' } },
  ]);
  expect((await batches.get(id)).upload).toEqual({ format: 'files', offset: 5 });
});

/** A body that stops after its beginning. */
function unfinished(text: string): { body: ReadableStream; finish(): void } {
  const through = new PassThrough();
  through.write(text);
  return { body: Readable.toWeb(through) as ReadableStream, finish: () => through.end() };
}

/** Returns whether an upload holds the batch. */
const isUnderWay = async (id: string): Promise<boolean> =>
  (await redis.exists(`${batchKey(id)}:upload`)) === 1;

/** Sends the beginning of an upload, hangs up, and waits until the gateway has finished with it. */
async function breakOff(id: string, type: string, bytes: Buffer, query = ''): Promise<void> {
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    `POST /intake/v1/batches/${id}/items${query} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    'Content-Length: 100000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.write(bytes, resolve));
  await expect.poll(() => isUnderWay(id)).toBe(true);
  socket.destroy();
  await expect.poll(() => isUnderWay(id)).toBe(false);
}

describe('an interrupted upload', () => {
  const ndjson = Array.from({ length: 1200 }, (_, i) => rowOf(`ä${i}`)).join('');
  const csv = `custom_id;image_url;note\n${Array.from(
    { length: 1200 },
    (_, i) => `${i};https://x.example/${i}.jpg;"one\n${i}"\n`,
  ).join('')}`;

  test.each([
    { type: 'application/x-ndjson', upload: Buffer.from(ndjson) },
    { type: 'text/csv', upload: Buffer.from(csv) },
  ])('keeps its complete rows of $type and continues after them', async ({ type, upload }) => {
    const id = await batches.open();
    await breakOff(id, type, upload.subarray(0, 10));
    expect((await batches.get(id)).upload).toBeUndefined();
    let offset = 0;
    for (const end of [3_000, 30_001, upload.length - 7]) {
      // Bytes the gateway had not read when the connection broke are lost: then the client tries again.
      const advance = async () => {
        await breakOff(id, type, upload.subarray(offset, end), `?offset=${offset}`);
        return (await batches.get(id)).upload?.offset ?? 0;
      };
      await expect.poll(advance).toBeGreaterThan(offset);
      offset = (await batches.get(id)).upload?.offset ?? 0;
      expect(offset).toBeLessThanOrEqual(end);
    }
    const query = `?offset=${offset}`;
    const rest = await batches.send(id, upload.subarray(offset), type, { query });
    expect(await readUploaded(rest)).toMatchObject({ rejected: 0, offset: upload.length });
    expect((await batches.get(id)).counts).toMatchObject({ accepted: 1200, rejected: 0 });
    const lines = (await batches.lines(id, 'manifest')).map(({ line }) => line);
    expect(lines).toHaveLength(1200);
    expect(lines.at(-1)).toBe(type === 'text/csv' ? 2400 : 1200);
  });

  test('cannot continue at another offset or in another format', async () => {
    const id = await batches.open();
    const first = rowOf('a');
    const at = (offset: number, type?: string) =>
      batches.send(id, rowOf('b'), type, { query: `?offset=${offset}` });
    expect(await expectProblem(await at(5), 'conflict')).toMatchObject({ offset: 0 });
    await batches.send(id, first);
    for (const response of [await at(0), await at(5), await at(first.length, 'text/csv')]) {
      expect(await expectProblem(response, 'conflict')).toMatchObject({ offset: first.length });
    }
    await expectProblem(await at(-1), 'invalid-request');
    expect(await readUploaded(await at(first.length))).toMatchObject({ accepted: 1 });
  });

  test('a second upload is rejected while the first sends rows', async () => {
    const id = await batches.open();
    const { body, finish } = unfinished(rowOf('a'));
    const first = batches.send(id, body);
    await expect.poll(async () => (await batches.send(id, '')).status).toBe(409);
    finish();
    expect(await readUploaded(await first)).toMatchObject({ accepted: 1 });
    expect(await readUploaded(await batches.send(id, rowOf('b')))).toMatchObject({ accepted: 1 });
  });
});

test('rows that never end take the memory of their key, and its upload can be continued later', async () => {
  const text = `${rowOf('a')}{"customId":"b","imageBase64":"${'A'.repeat(27 * 2 ** 20)}`;
  const uploads = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const id = await batches.open();
      const { body, finish } = unfinished(text);
      return { id, finish, response: batches.send(id, body) };
    }),
  );
  const first = uploads.map(async ({ id, response }) => ({ id, response: await response }));
  const { id, response } = await Promise.race(first);
  expect(response.headers.get('retry-after')).toBe('1');
  const offset = rowOf('a').length;
  const problem = await expectProblem(response, 'upstream-unavailable');
  expect(problem).toMatchObject({ accepted: 1, rejected: 0, offset });
  for (const { finish } of uploads) finish();
  await Promise.all(first);
  const rest = await batches.send(id, rowOf('b'), undefined, { query: `?offset=${offset}` });
  expect(await readUploaded(rest)).toMatchObject({ accepted: 1, rejected: 0 });
});

test('quota is charged row by row; accepted rows stay, and the rest can be sent another day', async () => {
  const { key: poor } = await stack.key({ quotaPerDay: 703 });
  const own = batchClient(stack, poor);
  const id = await own.open();
  const rows = Array.from({ length: 1000 }, (_, i) => (i % 10 === 9 ? '{}\n' : rowOf(`${i}`)));
  const response = await own.send(id, rows.join(''));
  const retryAfter = Number(response.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(86_400);
  const problem = await expectProblem(response, 'quota-exceeded');
  const taken = rows.slice(0, 781);
  expect(problem).toMatchObject({ accepted: 703, rejected: 78, offset: taken.join('').length });
  expect((await own.get(id)).counts).toMatchObject({ accepted: 703, rejected: 78 });
  await own.cancel(id);
  const usage = await (await own.ask('GET', '/usage')).json();
  expect(usage).toMatchObject({ quota: { remaining: 703 } });
});

test('an upload is rejected before a row is read to a sealed batch, in another media type, and without a body', async () => {
  const id = await batches.open();
  await expectProblem(await batches.send(id, '{}', 'application/json'), 'unsupported-media-type');
  await batches.seal(id);
  await expectProblem(await batches.send(id, rowOf('a')), 'conflict');
});

test('a gateway that shuts down keeps complete rows, returns the offset, and ends at once', async () => {
  const id = await batches.open();
  const { body } = unfinished(`${rowOf('a')}${rowOf('b')}{"customId":`);
  const upload = batches.send(id, body);
  const events = await batches.ask('GET', `/batches/${id}/events`);
  const received = events.text();
  await expect.poll(() => isUnderWay(id)).toBe(true);
  const ended = stack.gateway.end();
  const problem = await expectProblem(await upload, 'upstream-unavailable');
  // The signal may arrive before the gateway has read the second row, or the first.
  const whole = [0, 1, 2].map((accepted) => ({ accepted, offset: accepted * rowOf('a').length }));
  const { accepted, offset } = z.object({ accepted: z.int(), offset: z.int() }).parse(problem);
  expect(whole).toContainEqual({ accepted, offset });
  expect(problem).toMatchObject({ rejected: 0 });
  expect(await received).toMatch(/^retry: 2000\n\nevent: progress\n/);
  expect(await ended).toBe(0);
  await stack.startGateway();
  const again = batchClient(stack, key);
  expect((await again.get(id)).upload?.offset ?? 0).toBe(offset);
});
