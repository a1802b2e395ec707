import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type PermitRequest, Permits } from '../../../workers/inference/permits.ts';

/** Permits, and the names of those who acquired one so far, in order. */
function withPermits(names: readonly string[]) {
  const permits = new Permits<string>();
  for (const name of names) permits.release(name);
  const acquired: string[] = [];
  const acquire = (name: string, request?: PermitRequest) =>
    permits.acquire(request).then(() => acquired.push(name));
  return { permits, acquired, acquire };
}

test('permits are granted in the order of the requests, as many as there are', async () => {
  const { permits, acquired, acquire } = withPermits(['one', 'two']);
  const all = ['a', 'b', 'c', 'd'].map((name) => acquire(name));
  await setImmediate();
  expect(acquired).toEqual(['a', 'b']);
  permits.release('one');
  permits.release('two');
  await Promise.all(all);
  expect(acquired).toEqual(['a', 'b', 'c', 'd']);
});

test('requests with priority now come before later ones, each in order', async () => {
  const { permits, acquired, acquire } = withPermits([]);
  const all = [
    acquire('later 1', { priority: 'later' }),
    acquire('now 1', { priority: 'now' }),
    acquire('default'),
    acquire('now 2', { priority: 'now' }),
  ];
  for (const permit of ['one', 'two', 'three', 'four']) {
    permits.release(permit);
    await setImmediate();
  }
  await Promise.all(all);
  expect(acquired).toEqual(['now 1', 'now 2', 'later 1', 'default']);
});

test('an aborted request leaves the queue, and the next one gets the permit', async () => {
  const { permits, acquired, acquire } = withPermits(['one']);
  await acquire('a');
  const abort = new AbortController();
  const aborted = acquire('b', { signal: abort.signal });
  const next = acquire('c');
  abort.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  permits.release('one');
  await next;
  expect(acquired).toEqual(['a', 'c']);
});

test('a request whose signal has already aborted takes no permit', async () => {
  const { acquired, acquire } = withPermits(['one']);
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(acquire('a', { signal })).rejects.toThrow('gone');
  await acquire('b');
  expect(acquired).toEqual(['b']);
});

test('an abort after the grant has no effect', async () => {
  const { permits, acquired, acquire } = withPermits(['one']);
  const late = new AbortController();
  await acquire('a', { signal: late.signal });
  late.abort();
  const next = acquire('b');
  permits.release('one');
  await next;
  expect(acquired).toEqual(['a', 'b']);
});

test('a removed permit is granted to nobody', async () => {
  const { permits } = withPermits(['one', 'two', 'one']);
  permits.remove('one');
  expect(await permits.acquire()).toBe('two');
  const next = permits.acquire();
  permits.release('three');
  expect(await next).toBe('three');
});

test('closing rejects waiting and new requests', async () => {
  const { permits, acquire } = withPermits(['one']);
  await acquire('a');
  const waiting = [acquire('b', { priority: 'now' }), acquire('c')];
  permits.close(new Error('closed'));
  const requests = [...waiting, acquire('d')];
  expect(requests).toHaveLength(3);
  for (const request of requests) await expect(request).rejects.toThrow('closed');
});

/** Requests of clients that wait, and who is served as permits are released one by one. */
async function serveAll(requests: readonly PermitRequest[]): Promise<string> {
  const { permits, acquired, acquire } = withPermits([]);
  const all = requests.map((request) =>
    acquire(`${request.priority === 'now' ? '!' : ''}${request.owner?.client}`, request),
  );
  for (const _ of requests) {
    permits.release('one');
    await setImmediate();
  }
  await Promise.all(all);
  return acquired.join(' ');
}

const requestsOf = (client: string, count: number, weight = 1): PermitRequest[] =>
  Array.from({ length: count }, () => ({ owner: { client, weight } }));

test('thirty waiting requests of a client do not stand before the one of another', async () => {
  const served = await serveAll([...requestsOf('a', 30), ...requestsOf('b', 1)]);
  expect(served).toMatch(/^a b (a ?){29}$/);
});

test('waiting clients are served by their weights', async () => {
  const served = await serveAll([...requestsOf('a', 20), ...requestsOf('b', 20, 4)]);
  expect(
    served
      .split(' ')
      .slice(0, 20)
      .filter((client) => client === 'b'),
  ).toHaveLength(16);
});

test('a client that comes again has no turns saved up', async () => {
  const { permits, acquired, acquire } = withPermits([]);
  const all = requestsOf('a', 10).map((request) => acquire('a', request));
  for (let n = 0; n < 6; n++) {
    permits.release('one');
    await setImmediate();
  }
  all.push(...requestsOf('b', 4).map((request) => acquire('b', request)));
  await setImmediate();
  for (let n = 0; n < 8; n++) permits.release('one');
  await Promise.all(all);
  expect(acquired.slice(6).join(' ')).toBe('a b a b a b a b');
});

test('a flood of requests with priority now does not stop later ones', async () => {
  const flood = requestsOf('a', 40).map((request) => ({ ...request, priority: 'now' as const }));
  const served = (await serveAll([...requestsOf('b', 4), ...flood])).split(' ');
  expect(served.slice(0, 7)).toEqual(Array(7).fill('!a'));
  expect(served.slice(0, 32).filter((name) => name === 'b')).toHaveLength(4);
});
