import { expect, test } from 'vitest';
import { createHostSlots } from '../../../workers/fetch/host-slots.ts';

/** Acquires slots and records the order. */
function createRecorder(maxPerHost: number) {
  const slots = createHostSlots(maxPerHost);
  const acquired: string[] = [];
  const acquire = async (name: string, host = 'shop', signal?: AbortSignal) => {
    const release = await slots.acquire(host, signal);
    acquired.push(name);
    return release;
  };
  return { acquire, acquired };
}

test('each host has its own slots', async () => {
  const { acquire, acquired } = createRecorder(2);
  await Promise.all([acquire('a'), acquire('b')]);
  const third = acquire('c');
  expect(acquired).toEqual(['a', 'b']);
  (await acquire('elsewhere', 'other'))();
  expect(acquired).toEqual(['a', 'b', 'elsewhere']);
  void third;
});

test('further requests follow first come, first served', async () => {
  const { acquire, acquired } = createRecorder(1);
  const release = await acquire('a');
  const rest = ['b', 'c', 'd'].map((name) => acquire(name).then((releaseOne) => releaseOne()));
  release();
  await Promise.all(rest);
  expect(acquired).toEqual(['a', 'b', 'c', 'd']);
});

test('releasing twice frees one slot', async () => {
  const { acquire, acquired } = createRecorder(1);
  const release = await acquire('a');
  const second = acquire('b');
  void acquire('c');
  release();
  release();
  await second;
  expect(acquired).toEqual(['a', 'b']);
});

test('an aborted request leaves the queue', async () => {
  const { acquire, acquired } = createRecorder(1);
  const release = await acquire('a');
  const abort = new AbortController();
  const aborted = acquire('b', 'shop', abort.signal);
  const next = acquire('c');
  abort.abort(new Error('no longer needed'));
  await expect(aborted).rejects.toThrow('no longer needed');
  release();
  await next;
  expect(acquired).toEqual(['a', 'c']);
});

test('a request whose signal has already aborted takes no slot', async () => {
  const { acquire, acquired } = createRecorder(1);
  await expect(acquire('a', 'shop', AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  await acquire('b');
  expect(acquired).toEqual(['b']);
});

test('an abort after the grant has no effect', async () => {
  const { acquire, acquired } = createRecorder(1);
  const abort = new AbortController();
  const release = await acquire('a', 'shop', abort.signal);
  abort.abort();
  const next = acquire('b');
  release();
  await next;
  expect(acquired).toEqual(['a', 'b']);
});
