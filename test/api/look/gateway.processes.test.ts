import { afterAll, expect, test } from 'vitest';
import { createRandom, drawDay, drawWardrobe } from '../../look/wardrobes.ts';
import { runProgram } from '../../support/processes.ts';
import { openRegister } from '../../support/stack.ts';
import { useFolder } from '../../support/use-folder.ts';
import { useRedis } from '../../support/use-redis.ts';

const random = createRandom(5);
const { weather, met } = drawDay(random);
const items = drawWardrobe(random, 1000);
/** Takes seconds. */
const DAY = { items, hours: Array.from({ length: 48 }, () => ({ weather, met })) };

/** A gateway with one thread and no worker, and a key for each of two clients. */
const home = await useFolder();
const { server: redis } = await useRedis();
const register = await openRegister(redis.url, home);
const keyOf: Record<string, string> = {};
for (const client of ['a', 'b']) keyOf[client] = (await register.key({ client })).key;
register.close();
const gateway = runProgram('src/main.ts', [], {
  SELVAGE_HOME: home,
  REDIS_URL: redis.url,
  PORT: '0',
  SELVAGE_DEV_KEY: '',
  LOOK_THREADS: '1',
  SYNC_TIMEOUT_SECONDS: '600',
});
afterAll(async () => void (await gateway.end()));
const url: string = JSON.parse(await gateway.line((line) => line.includes('gateway ready'))).url;

const post = (client: string, path: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}/look/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf[client]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** Requests that run, and that wait. */
const load = () => Promise.all([metric('selvage_look_running'), metric('selvage_look_waiting')]);

/** Starts long requests of client a: one runs and the others wait. */
async function occupyThread() {
  const controller = new AbortController();
  let pending = 4;
  const onEnd = () => {
    pending -= 1;
  };
  const long = Array.from({ length: pending }, () =>
    post('a', 'day', DAY, controller.signal).then(onEnd, onEnd),
  );
  await expect.poll(() => metric('selvage_look_waiting')).toBeGreaterThan(0);
  return {
    isBusy: () => pending > 0,
    /** Resolves when the gateway has noticed it. */
    async hangUp() {
      controller.abort();
      await Promise.all(long);
      await expect.poll(load).toEqual([0, 0]);
    },
  };
}

test('while the threads are busy, everything else is answered', async () => {
  const { isBusy, hangUp } = await occupyThread();
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await post('b', 'targets', { weather, met })).status).toBe(200);
  expect((await post('b', 'targets', { weather: 'rain' })).status).toBe(400);
  expect(isBusy()).toBe(true);
  await hangUp();
});

test('a client that hangs up frees its thread', async () => {
  const canceled = 'selvage_look_requests_total{outcome="canceled"}';
  const before = await metric(canceled);
  const { hangUp } = await occupyThread();
  await hangUp();
  expect(await metric(canceled)).toBeGreaterThan(before);
  expect((await post('b', 'outfits', { weather, met, items })).status).toBe(200);
});

test('too many requests of one client: 503 with Retry-After, and another is served', async () => {
  const { hangUp } = await occupyThread();
  const large = { ...DAY, note: 'x'.repeat(1_700_000) };
  const floods = Array.from({ length: 12 }, () => post('a', 'day', large));
  const refused = await Promise.any(
    floods.map(async (flood) => {
      const response = await flood;
      expect(response.status).toBe(503);
      return response;
    }),
  );
  expect(refused.headers.get('retry-after')).toBe('2');
  const other = post('b', 'outfits', { weather, met, items });
  await hangUp();
  expect((await other).status).toBe(200);
  const statuses = (await Promise.all(floods)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([400, 503])); // `note` is not known
});
