import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type StoreGate, startStoreGate } from './store-gate.ts';

const BODY = Buffer.alloc(1000, 'x');

/** What reached the server behind the gate. */
let arrived: { host: string | undefined; bytes: number; whole: boolean }[] = [];
const server = createServer(async (incoming, response) => {
  const seen = { host: incoming.headers.host, bytes: 0, whole: false };
  arrived.push(seen);
  try {
    for await (const piece of incoming) seen.bytes += piece.length;
    seen.whole = true;
    response.writeHead(200, { 'content-length': BODY.length }).end(BODY);
  } catch {
    // The gate broke it off.
  }
});
let gate: StoreGate;
const agent = new Agent();
const headers = { 'user-agent': 'sdk/3 app/worker-1', host: 'signed.example' };

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  gate = await startStoreGate(`http://127.0.0.1:${address.port}`);
});
beforeEach(async () => {
  arrived = [];
  gate.mend();
  await gate.open();
});
afterAll(async () => {
  await agent.destroy();
  await gate.close();
  server.closeAllConnections();
  server.close();
});

async function call(method: 'GET' | 'PUT'): Promise<[status: number, bytes: number]> {
  const body = method === 'PUT' ? BODY : null;
  const url = `${gate.endpoint}/bucket/in/a/job_1?x-id=1`;
  const answer = await request(url, { method, headers, body, dispatcher: agent, reset: true });
  return [answer.statusCode, (await answer.body.arrayBuffer()).byteLength];
}

test('a call goes through as its signer wrote it', async () => {
  expect(await call('PUT')).toEqual([200, 1000]);
  expect(arrived).toEqual([{ host: 'signed.example', bytes: 1000, whole: true }]);
});

test('calls are refused by who makes them, of what, and how', async () => {
  gate.spoil(({ who, method, key }) =>
    who === 'worker-1' && method === 'PUT' && key === 'in/a/job_1'
      ? { deed: 'refuse', status: 507, code: 'InsufficientStorage' }
      : undefined,
  );
  expect((await call('PUT'))[0]).toBe(507);
  expect((await call('GET'))[0]).toBe(200);
  expect(arrived).toHaveLength(1);
});

test('a body that is written breaks off in the middle, and one that is read', async () => {
  gate.spoil(() => ({ deed: 'break' }));
  await expect(call('PUT')).rejects.toThrow();
  await expect.poll(() => arrived.length).toBe(1);
  await expect(call('GET')).rejects.toThrow();
  expect(arrived[0]).toMatchObject({ bytes: 500, whole: false });
  expect(arrived[1]).toMatchObject({ whole: true });
});

test('an answer is late, or comes in drops', async () => {
  const timed = async (): Promise<number> => {
    const startedAt = performance.now();
    expect(await call('GET')).toEqual([200, 1000]);
    return performance.now() - startedAt;
  };
  gate.spoil(() => ({ deed: 'delay', millis: 200 }));
  expect(await timed()).toBeGreaterThanOrEqual(199);
  gate.spoil(() => ({ deed: 'drip', millis: 20 }));
  expect(await timed()).toBeGreaterThanOrEqual(15 * 19);
});

test('connections are refused until it opens again', async () => {
  await gate.shut();
  await expect(call('GET')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await gate.open();
  expect((await call('GET'))[0]).toBe(200);
});

test.each([
  ['request', 0],
  ['answer', 1],
] as const)('a moment is met once, at the %s, and the call is not answered', async (at, calls) => {
  const met: string[] = [];
  gate.meet({ at, isIt: ({ method }) => method === 'PUT' }, ({ key }) => met.push(key));
  expect((await call('GET'))[0]).toBe(200);
  await expect(call('PUT')).rejects.toThrow();
  expect(met).toEqual(['in/a/job_1']);
  expect(arrived).toHaveLength(1 + calls);
  expect((await call('PUT'))[0]).toBe(200);
});
