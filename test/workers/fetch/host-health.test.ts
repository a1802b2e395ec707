import { beforeEach, describe, expect, test } from 'vitest';
import { FetchError } from '../../../src/platform/links/fetch-error.ts';
import { PoolBusy } from '../../../workers/fetch/fetch-pool.ts';
import { HostHealth } from '../../../workers/fetch/host-health.ts';

const NEVER = new AbortController().signal;
const SHOP = 'https://shop.example';
const OTHER = 'https://other.example/a.jpg';

let now: number;
let health: HostHealth;
beforeEach(() => {
  now = 1_000_000;
  health = new HostHealth(() => now);
});

/** A request that takes so long and fails. */
const fail =
  (error: FetchError, millis = 0) =>
  async (): Promise<never> => {
    now += millis;
    throw error;
  };
const succeed = async (): Promise<string> => 'picture';
const status = (code: number, retryAfter?: string) =>
  new FetchError('status', { status: code, retryAfter });
const ask = (name: string, request: () => Promise<unknown>) =>
  health.ask(`${SHOP}/${name}.jpg`, request).catch((error) => error.reason ?? error.name);

/** Lets a host hang until it counts as down. */
async function bringDown(): Promise<void> {
  for (const name of ['a', 'b', 'c', 'd']) await ask(name, fail(new FetchError('timeout'), 20_000));
}

describe('a host', () => {
  test.each([
    ['hangs', new FetchError('timeout')],
    ['cannot be resolved', new FetchError('dns')],
    ['answers 503', status(503)],
  ])('that %s is not asked any more after four links, and others are', async (_, error) => {
    for (const name of ['a', 'b', 'c', 'd']) await ask(name, fail(error, 2000));
    let asked = 0;
    const count = async () => void asked++;
    expect(await ask('e', count)).toBe('host-down');
    await expect(health.turn(`${SHOP}/e.jpg`, NEVER)).rejects.toThrow('not answered');
    expect(asked).toBe(0);
    expect(await health.ask(OTHER, succeed)).toBe('picture');
  });

  test('that lacks four files is not down', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await ask(name, fail(status(404), 2000));
    expect(await ask('f', succeed)).toBe('picture');
  });

  test('of which one file fails again and again is not down', async () => {
    for (let i = 0; i < 9; i++) await ask('a', fail(status(503), 2000));
    expect(await ask('b', succeed)).toBe('picture');
  });

  test('that is down is asked once after a while, and again when that succeeds', async () => {
    await bringDown();
    now += 31_000;
    expect(await ask('e', fail(new FetchError('timeout')))).toBe('timeout');
    expect(await ask('f', succeed)).toBe('host-down');
    now += 31_000;
    expect(await ask('f', succeed)).toBe('host-down'); // twice as long
    now += 31_000;
    expect(await ask('f', succeed)).toBe('picture');
    expect(await ask('g', succeed)).toBe('picture');
  });

  test('that says when to come back is obeyed, in the queue', async () => {
    expect(await ask('a', fail(status(429, '30')))).toBe('PoolBusy');
    await expect(health.turn(`${SHOP}/b.jpg`, NEVER)).rejects.toThrow(PoolBusy);
    await health.turn(OTHER, NEVER);
    now += 30_000;
    await health.turn(`${SHOP}/b.jpg`, NEVER);
  });

  test('that limits requests is asked more slowly', async () => {
    expect(await ask('a', fail(status(429)))).toBe('PoolBusy');
    const startedAt = performance.now();
    await health.turn(`${SHOP}/a.jpg`, NEVER);
    await health.turn(`${SHOP}/b.jpg`, NEVER);
    expect(performance.now() - startedAt).toBeGreaterThan(100);
  });
});
