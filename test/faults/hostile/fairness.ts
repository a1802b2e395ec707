import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freshPicture } from '../world.ts';
import { ask, filesForm, jsonOf } from './ask.ts';
import type { Attack } from './attack.ts';

/** A key whose rate is no obstacle: turns alone protect the others. */
const FAST = { rate: { count: 10_000, periodSeconds: 1 }, quotaPerDay: 100_000 };
const AT_ONCE = 16;
/** Longer than a call of the honest client may take. */
const FLOOD_MILLIS = 40_000;
/** Between a rejection and the next request of the same thread; 24 threads still send over 200 a second. */
const IMPATIENCE_MILLIS = { full: 20, short: 100 } as const;

/** Runs an action for each item, a few at once. */
async function forEach<T>(items: readonly T[], action: (item: T) => Promise<unknown>) {
  const left = items.values();
  const work = async () => {
    for (const item of left) await action(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/**
 * The attacker has a key of 10,000 requests a second. Its jobs stand before the honest client's one, which must not
 * take more than three times as long as alone.
 */
export const manyJobs: Attack = {
  name: 'many-jobs',
  does: '300 jobs before one of the honest client',
  async play({ gateway, honest, attackerKey, scale, thrice }) {
    const { key } = await attackerKey(FAST);
    const jobs = `${gateway.url}/intake/v1/jobs`;
    const maxMillis = scale(60_000, 20_000);
    await honest.job(maxMillis);
    // The slower of two: other work on the machine comes and goes.
    const alone = [await honest.job(maxMillis), await honest.job(maxMillis)];
    const ids: unknown[] = [];
    const count = scale(300, 80);
    await forEach(Array(count).fill(0), async () => {
      const form = await filesForm([['image', await freshPicture(ids.length % 12)]]);
      ids.push(jsonOf(await ask(jobs, { ...form, key })).id);
    });
    const found = await honest.job(maxMillis);
    await forEach(ids, (id) => ask(`${jobs}/${id}/cancel`, { method: 'POST', key }));
    const promise = `the honest client's job behind ${count} others`;
    return [{ promise, found, max: thrice(Math.max(...alone)), unit: 'ms' }];
  },
};

/**
 * The attacker has a key of 10,000 requests a second and ignores `Retry-After`. The honest client obeys it, and its
 * calls must all be served.
 */
export const flood: Attack = {
  name: 'flood',
  does: '40 threads at the synchronous endpoint that ignore Retry-After',
  async play({ gateway, honest, attackerKey, scale }) {
    const { key } = await attackerKey(FAST);
    const form = await filesForm([['image', await freshPicture(0)]]);
    const threads = scale(40, 24);
    const impatienceMillis = scale(IMPATIENCE_MILLIS.full, IMPATIENCE_MILLIS.short);
    const over = new AbortController();
    const request = { ...form, key, signal: over.signal };
    setMaxListeners(0, over.signal);
    const thread = async () => {
      while (!over.signal.aborted) {
        const { status } = await ask(`${gateway.url}/bg/v1/background-removals`, request);
        if (status !== 200) await pause(impatienceMillis);
      }
    };
    const threading = Promise.all(Array.from({ length: threads }, thread));
    await honest.untilServed(scale(100, 5), FLOOD_MILLIS);
    over.abort();
    await threading;
    return [];
  },
};
