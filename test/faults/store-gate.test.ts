import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listen } from '../support/free-port.ts';
import { type StoreGate, startStoreGate } from './store-gate.ts';

const BODY = Buffer.alloc(1000, 'x');

/** The requests that reached the server behind the gate. */
let arrived: { host: string | undefined; bytes: number; whole: boolean }[] = [];
const server = createServer(async (incoming, response) => {
  const seen = { host: incoming.headers.host, bytes: 0, whole: false };
  arrived.push(seen);
  try {
    for await (const chunk of incoming) seen.bytes += chunk.length;
    seen.whole = true;
    response.writeHead(200, { 'content-length': BODY.length }).end(BODY);
  } catch {
    // The gate broke the connection.
  }
});
let gate: StoreGate;
const agent = new Agent();
const headers = { 'user-agent': 'sdk/3 app/worker-1', host: 'signed.example' };

beforeAll(async () => {
  gate = await startStoreGate(`http://127.0.0.1:${await listen(server)}`);
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

test('a call passes as it was signed', async () => {
  expect(await call('PUT')).toEqual([200, 1000]);
  expect(arrived).toEqual([{ host: 'signed.example', bytes: 1000, whole: true }]);
});

test('calls are rejected by process, key and method', async () => {
  gate.spoil(({ who, method, key }) =>
    who === 'worker-1' && method === 'PUT' && key === 'in/a/job_1'
      ? { action: 'refuse', status: 507, code: 'InsufficientStorage' }
      : undefined,
  );
  expect((await call('PUT'))[0]).toBe(507);
  expect((await call('GET'))[0]).toBe(200);
  expect(arrived).toHaveLength(1);
});

test('a body breaks off in the middle, written or read', async () => {
  gate.spoil(() => ({ action: 'break' }));
  await expect(call('PUT')).rejects.toThrow();
  await expect.poll(() => arrived.length).toBe(1);
  await expect(call('GET')).rejects.toThrow();
  expect(arrived[0]).toMatchObject({ bytes: 500, whole: false });
  expect(arrived[1]).toMatchObject({ whole: true });
});

test('a response is late, or arrives slowly', async () => {
  const timed = async (): Promise<number> => {
    const startedAt = performance.now();
    expect(await call('GET')).toEqual([200, 1000]);
    return performance.now() - startedAt;
  };
  gate.spoil(() => ({ action: 'delay', millis: 200 }));
  expect(await timed()).toBeGreaterThanOrEqual(199);
  gate.spoil(() => ({ action: 'drip', millis: 20 }));
  expect(await timed()).toBeGreaterThanOrEqual(15 * 19);
});

test('connections are refused until the gate opens again', async () => {
  await gate.shut();
  await expect(call('GET')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await gate.open();
  expect((await call('GET'))[0]).toBe(200);
});

test.each([
  ['request', 0],
  ['answer', 1],
] as const)(
  'a moment matches once, at the %s, and the call gets no response',
  async (at, calls) => {
    const met: string[] = [];
    gate.meet({ at, isIt: ({ method }) => method === 'PUT' }, ({ key }) => met.push(key));
    expect((await call('GET'))[0]).toBe(200);
    await expect(call('PUT')).rejects.toThrow();
    expect(met).toEqual(['in/a/job_1']);
    expect(arrived).toHaveLength(1 + calls);
    expect((await call('PUT'))[0]).toBe(200);
  },
);
