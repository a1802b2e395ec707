import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { createClient, SelvageError } from '../../packages/client/src/client.ts';
import { silence } from '../support/servers.ts';
import {
  createTestClient,
  cutOff,
  failure,
  imageResponse,
  jsonResponse,
  PNG,
  problemResponse,
  serveScript,
  startScriptedServer,
} from './scripted-server.ts';

const IMAGE = new Uint8Array([1, 2, 3]);
const hangUp: RequestListener = (request) => void request.socket.destroy();

test.each([
  [400, 'invalid-request'],
  [401, 'unauthorized'],
  [403, 'insufficient-scope'],
  [404, 'not-found'],
  [409, 'conflict'],
  [413, 'payload-too-large'],
  [415, 'unsupported-media-type'],
  [422, 'unprocessable-image'],
  [500, 'internal-error'],
])('%i %s is thrown at once, and not retried', async (status, type) => {
  const { client, waits, server } = await serveScript([
    problemResponse(status, type, { 'retry-after': '1' }),
    imageResponse,
  ]);
  expect(await failure(client.removeBackground(IMAGE))).toMatchObject({
    name: 'SelvageError',
    status,
    type,
    title: 'A title',
    detail: 'A detail',
    requestId: 'r-problem',
    retryAfterSeconds: 1,
  });
  expect([server.requests.length, waits]).toEqual([1, []]);
});

test('429 waits for exactly as long as the service says', async () => {
  const busy = problemResponse(429, 'rate-limit-exceeded', { 'retry-after': '7' });
  const { client, waits } = await serveScript([busy, busy, imageResponse], {
    retry: { baseMillis: 9000 },
  });
  expect((await client.removeBackground(IMAGE)).image).toEqual(new Uint8Array(PNG));
  expect(waits).toEqual([7000, 7000]);
});

test('a Retry-After may be a date', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const { client, waits } = await serveScript([
    problemResponse(429, 'rate-limit-exceeded', { 'retry-after': date }),
    imageResponse,
  ]);
  await client.removeBackground(IMAGE);
  expect(waits[0]).toBeGreaterThan(50_000);
  expect(waits[0]).toBeLessThanOrEqual(60_000);
});

const FAILED = problemResponse(502, 'upstream-failed');
const busy = (headers = {}) => problemResponse(503, 'upstream-unavailable', headers);
const afterSeconds = (seconds: number) => busy({ 'retry-after': `${seconds}` });
const HALF = cutOff([PNG.subarray(0, 9)], { 'content-type': 'image/png', 'content-length': '16' });

test.each([
  ['502 backs off', [FAILED, FAILED], [500, 1000]],
  ['503 backs off', [busy()], [500]],
  ['503 waits as long as the service says', [afterSeconds(3), afterSeconds(0)], [3000, 1000]],
  ['a connection that breaks before the response', [cutOff([], {}), hangUp], [500, 1000]],
  ['a body that breaks off', [HALF], [500]],
] as const)('%s, then succeeds', async (_name, faults, expected) => {
  const { client, waits } = await serveScript([...faults, imageResponse]);
  expect(await client.removeBackground(IMAGE)).toMatchObject({ requestId: 'r-picture' });
  expect(waits).toEqual(expected);
});

test('backoff doubles up to its maximum, and attempts are limited', async () => {
  const server = await startScriptedServer(problemResponse(503, 'upstream-unavailable'));
  const retry = { maxAttempts: 6, baseMillis: 100, maxDelayMillis: 450 };
  const { client, waits } = createTestClient(server, { retry });
  expect(await failure(client.usage())).toMatchObject({ status: 503 });
  expect(waits).toEqual([100, 200, 400, 450, 450]);
  expect(server.requests).toHaveLength(6);
});

test('by default attempts go on until the time limit of the call', async () => {
  const busy = problemResponse(503, 'upstream-unavailable');
  const faults = Array(9).fill(busy);
  const { client, waits } = await serveScript([...faults, hangUp, imageResponse]);
  expect(await client.removeBackground(IMAGE)).toMatchObject({ requestId: 'r-picture' });
  expect(waits).toHaveLength(10);
});

test('the deprecated names of options still work, and their successors take precedence', async () => {
  const server = await startScriptedServer(problemResponse(503, 'upstream-unavailable'));
  const deprecated = { mostAttempts: 4, baseMillis: 100, mostMillis: 150 };
  const old = createTestClient(server, { retry: deprecated });
  expect(await failure(old.client.usage())).toMatchObject({ status: 503 });
  expect(old.waits).toEqual([100, 150, 150]);
  const both = createTestClient(server, {
    retry: { ...deprecated, maxAttempts: 3, maxDelayMillis: 120 },
  });
  expect(await failure(both.client.usage())).toMatchObject({ status: 503 });
  expect(both.waits).toEqual([100, 120]);
});

test('a wait that would exceed the time limit is not started', async () => {
  const { client, waits } = await serveScript([
    problemResponse(429, 'quota-exceeded', { 'retry-after': '36000' }),
  ]);
  const expected = { type: 'quota-exceeded', retryAfterSeconds: 36_000 };
  expect(await failure(client.usage())).toMatchObject(expected);
  expect(waits).toEqual([]);
});

const stall: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"client":');
};

test.each([
  ['hangs before the response', silence],
  ['hangs within the response', stall],
])('a service that %s exceeds the time limit of the attempt', async (_name, hang) => {
  const server = await startScriptedServer(hang, jsonResponse({ client: 'me' }));
  // A busy machine may be too slow for the limit more than once.
  const retry = { maxAttempts: 100 };
  const { client, waits } = createTestClient(server, { attemptTimeoutMillis: 100, retry });
  const expected = { client: 'me', requestId: 'r-1' };
  expect(await client.usage({ timeoutMillis: 3_600_000 })).toEqual(expected);
  expect(waits[0]).toBe(500);
});

test('the time limit of a call also ends a running attempt', async () => {
  const { client, server } = await serveScript([silence]);
  // On a busy machine the time may be up before the request arrives.
  const isTold = async () => {
    const error = await failure(client.usage({ timeoutMillis: 50 }));
    const requestId = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(error).toMatchObject({ name: 'SelvageError', type: 'timeout', status: 0, requestId });
    const told = error instanceof SelvageError && error.requestId;
    return server.requests.some(({ headers }) => headers['x-request-id'] === told);
  };
  await expect.poll(isTold).toBe(true);
});

test('a caller can abort, and gets their own reason', async () => {
  const { client, server } = await serveScript([silence]);
  const stop = new AbortController();
  const call = failure(client.usage({ signal: stop.signal }));
  await expect.poll(() => server.requests.length).toBe(1);
  stop.abort(new Error('enough'));
  expect(await call).toEqual(new Error('enough'));
});

test('all attempts of a call share its Idempotency-Key, and each call has its own', async () => {
  const { client, server } = await serveScript([
    problemResponse(503, 'upstream-unavailable'),
    jsonResponse({ id: 'job_1' }),
  ]);
  await client.jobs.create({ imageUrl: 'https://img.example/a.jpg' });
  await client.jobs.create({ imageUrl: 'https://img.example/a.jpg' });
  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test('a call that only costs has one too, and one that costs nothing has none', async () => {
  const { client, server } = await serveScript([
    problemResponse(503, 'upstream-unavailable'),
    imageResponse,
    jsonResponse({}),
  ]);
  await client.removeBackground(IMAGE);
  const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
  await client.usage();
  expect(server.requests.at(-1)?.headers['idempotency-key']).toBeUndefined();
});

test('what is in progress is waited for, whatever the number of attempts', async () => {
  const stillRunning = problemResponse(409, 'conflict', { 'retry-after': '1' });
  const { client } = await serveScript(
    [FAILED, ...Array(9).fill(stillRunning), jsonResponse({ id: 'job_1' })],
    { retry: { baseMillis: 10, maxAttempts: 3 } },
  );
  expect(await client.jobs.create({ image: IMAGE })).toMatchObject({ id: 'job_1' });
});

test('a retry that conflicts with its own first attempt waits for it', async () => {
  const stillRunning = problemResponse(409, 'conflict', { 'retry-after': '1' });
  const { client, waits } = await serveScript(
    [problemResponse(502, 'upstream-failed'), stillRunning, jsonResponse({ id: 'job_1' })],
    { retry: { baseMillis: 10 } },
  );
  expect(await client.jobs.create({ image: IMAGE })).toMatchObject({ id: 'job_1' });
  expect(waits).toEqual([10, 1000]);
});

test('without injected timing the waits are real, and end with the call', async () => {
  const server = await startScriptedServer(problemResponse(503, 'upstream-unavailable'));
  const client = createClient({ baseUrl: server.origin, retry: { baseMillis: 60_000 } });
  const stop = new AbortController();
  const call = failure(client.usage({ signal: stop.signal, timeoutMillis: 600_000 }));
  await expect.poll(() => server.requests.length).toBeGreaterThan(0);
  stop.abort(new Error('enough'));
  expect(await call).toEqual(new Error('enough'));
});
