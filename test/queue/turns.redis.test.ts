import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection, PREFIX } from '../../src/platform/redis.ts';
import {
  cancelJob,
  enqueueJob,
  type JobQueue,
  openQueue,
  requeueJob,
} from '../../src/queue/queue.ts';
import { consumeJobs, RetryLater } from '../../workers/consume-jobs.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const TURNS = `${PREFIX}:turns:async`;
const MAX_TAG = 2 ** 21 - 1;
/** A turn of weight 1, in tags, which are whole numbers. */
const TURN = 16;
const { server, redis } = await useRedis();
let queue: JobQueue;
beforeEach(async () => {
  await redis.flushall();
  queue = openQueue('async', redis, log);
});
afterAll(async () => {
  await queue.close();
});

const byClient = (id: string): string => id.split('-')[0] ?? '';

async function enqueue(client: string, count: number, weight = 1): Promise<void> {
  for (let n = 0; n < count; n++) {
    await enqueueJob(queue, { id: `${client}-${n}`, requestId: 'r', client, weight });
  }
}

/** The clients of the waiting jobs, in the order in which workers take them. */
const order = async (): Promise<string> =>
  (await queue.getJobs(['prioritized'], 0, -1, true)).map(({ id = '' }) => byClient(id)).join('');

interface Consumption {
  /** Ends the consumer when so many attempts have started. */
  attempts: number;
  work?(id: string): void;
}

/** Runs a consumer with one job at a time; returns the ids of the jobs as it started them. */
async function consume({ attempts, work }: Consumption): Promise<string[]> {
  const connection = blockingConnection(server.url, log);
  const started: string[] = [];
  let consumer: ReturnType<typeof consumeJobs> | undefined;
  await new Promise<void>((resolve) => {
    const runJob = async ({ id }: { id: string }) => {
      started.push(id);
      if (started.length >= attempts) resolve();
      work?.(id);
      return { millis: {} };
    };
    const deps = { connection, concurrency: 1, log, report: () => {}, now: hostClock };
    consumer = consumeJobs('async', { 'run-job': runJob }, deps);
  });
  await consumer?.close();
  connection.disconnect();
  return started;
}

describe('the jobs of a queue', () => {
  test('of a client with sixty do not stand before the one of another', async () => {
    await enqueue('a', 60);
    await enqueue('b', 1);
    const started = await consume({ attempts: 61 });
    expect(started.indexOf('b-0')).toBeLessThanOrEqual(2);
    expect(started.filter((id) => id.startsWith('a'))).toEqual(
      Array.from({ length: 60 }, (_, n) => `a-${n}`),
    );
  });

  test('with much work do not stand before those with little', async () => {
    const input = { width: 8660, height: 5773 };
    for (const client of ['a', 'b', 'c', 'd'])
      for (const n of [0, 1])
        await enqueueJob(queue, { id: `${client}-${n}`, requestId: 'r', client, input });
    await enqueue('e', 8);
    // While one large picture is worked on, so are five typical ones, and then it is another's turn.
    expect(await order()).toBe('eeeeeabcdeeeabcd');
  });

  test('start by the weights of their clients', async () => {
    await enqueue('a', 40, 1);
    await enqueue('b', 40, 4);
    const first = (await order()).slice(0, 40);
    expect(first.replaceAll('a', '').length).toBeGreaterThanOrEqual(30);
    expect(first.replaceAll('b', '').length).toBeGreaterThanOrEqual(7);
  });

  test('that are retried stand behind those of others too', async () => {
    await enqueue('a', 20);
    const attempts = new Map<string, number>();
    const work = (id: string) => {
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      if (attempt === 1) throw new RetryLater('not now', 0);
    };
    await consume({ attempts: 20, work });
    await enqueue('b', 1);
    for (const job of await queue.getDelayed()) await job.promote();
    expect((await order()).replace(/^a{0,2}/, '')).toMatch(/^ba+$/);
  });

  test('that an older release queued without a turn start first, and are consumed', async () => {
    await enqueue('a', 2);
    await queue.add('run-job', { id: 'old-0', requestId: 'r' }, { jobId: 'old-0' });
    expect(await consume({ attempts: 3 })).toEqual(['old-0', 'a-0', 'a-1']);
  });

  test('are counted by the clients that wait, and turns start afresh when nobody waits', async () => {
    expect(await queue.turns.waitingClients()).toBe(0);
    await enqueue('a', 5);
    await enqueue('b', 1);
    expect(await queue.turns.waitingClients()).toBe(2);
    await consume({ attempts: 6 });
    expect(await queue.turns.waitingClients()).toBe(0);
    expect(await queue.turns.next({ client: 'c', weight: 1 }, 1)).toEqual([16]);
    expect(await redis.hkeys(TURNS)).not.toContain('client:a');
  });
});

test('a job that is canceled after its end had started', async () => {
  await enqueue('a', 1);
  await consume({ attempts: 1 });
  await enqueue('b', 1);
  expect(await cancelJob(queue, redis, 'a-0')).toBe(true);
  expect(await cancelJob(queue, redis, 'b-0')).toBe(false);
  expect(await order()).toBe('');
});

test('jobs that a sweep finds in their queue take no further turn; lost ones take one', async () => {
  await enqueue('a', 3);
  const before = await redis.hgetall(TURNS);
  for (let sweep = 0; sweep < 5; sweep++) {
    for (const id of ['a-0', 'a-1', 'a-2']) {
      await requeueJob(queue, { id, requestId: 'r', client: 'a' });
    }
  }
  expect(await redis.hgetall(TURNS)).toEqual(before);
  await requeueJob(queue, { id: 'a-3', requestId: 'r', client: 'a' });
  expect(await redis.hget(TURNS, 'client:a')).toBe('64');
  expect(await order()).toBe('aaaa');
});

test('a job that ended in its queue though its record is pending is done again', async () => {
  await enqueue('a', 1);
  await consume({ attempts: 1 });
  expect(await queue.getJobState('a-0')).toBe('completed');
  await requeueJob(queue, { id: 'a-0', requestId: 'r', client: 'a' });
  expect(await order()).toBe('a');
});

describe('tags', () => {
  const next = (client: string, weight: number, count = 1) =>
    queue.turns.next({ client, weight }, count);

  test('of a client rise, by its share', async () => {
    expect(await next('a', 1, 3)).toEqual([16, 32, 48]);
    expect(await next('b', 16, 3)).toEqual([1, 2, 3]);
    expect(await next('c', 3, 3)).toEqual([6, 11, 16]);
  });

  test('end at the highest priority there is', async () => {
    await enqueue('a', 1); // else turns start afresh
    await redis.hset(TURNS, 'client:a', MAX_TAG - 20);
    expect(await next('a', 1, 3)).toEqual([MAX_TAG - 4, MAX_TAG, MAX_TAG]);
  });

  test('are lowered together when they have become high, delayed jobs included', async () => {
    await enqueue('a', 1);
    const high = 2 ** 20 + 1000;
    await redis.hset(TURNS, 'client:a', high);
    await (await queue.getJob('a-0'))?.changePriority({ priority: high });
    const later = { jobId: 'late-0', delay: 3_600_000, priority: high + 32 };
    await queue.add('run-job', { id: 'late-0', requestId: 'r', client: 'a', weight: 1 }, later);
    await enqueue('b', 1);
    await enqueue('a', 3); // a-0 is queued already
    const jobs = await queue.getJobs(['prioritized', 'delayed'], 0, -1, true);
    const tags = Object.fromEntries(jobs.map(({ id, priority }) => [id, priority]));
    expect(tags['late-0']).toBeLessThan(100);
    expect(tags['b-0']).toBeLessThan(100);
    expect((await order()).slice(0, 2)).toBe('ab');
    expect(Number(await redis.hget(TURNS, 'client:a'))).toBeLessThan(100);
  });

  const Clients = fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 2, maxLength: 5 });
  const Steps = fc.array(fc.oneof(fc.constant('take' as const), fc.nat({ max: 4 })), {
    minLength: 20,
    maxLength: 120,
  });

  test('let no job wait for more than its turn, and keep the order of a client', async () => {
    await fc.assert(
      fc.asyncProperty(Clients, Steps, async (weights, steps) => {
        await redis.flushall();
        const line = simulateQueue(weights);
        for (const step of steps) {
          if (step === 'take') await line.take();
          else await line.add(step % weights.length);
        }
        while (line.waiting() > 0) await line.take();
      }),
      { numRuns: 40 },
    );
  });

  /** Adds and takes jobs as BullMQ does, and checks each one that is taken. */
  function simulateQueue(weights: readonly number[]) {
    const key = `${PREFIX}:async:prioritized`;
    /** Jobs that wait, with how many of each client were taken since they were added. */
    const jobs = new Map<string, { client: number; taken: number[] }>();
    let tags = weights.map(() => 0);
    let added = 0;
    const weightOf = (client: number) => weights[client] ?? 1;

    return {
      waiting: () => jobs.size,
      async add(client: number): Promise<void> {
        if (jobs.size === 0) tags = weights.map(() => 0);
        const [tag = 0] = await next(`${client}`, weightOf(client));
        expect(tag).toBeGreaterThanOrEqual(tags[client] ?? 0);
        tags[client] = tag;
        const id = `${++added}`;
        const data = JSON.stringify({ client: `${client}`, weight: weightOf(client) });
        await redis.hset(`${PREFIX}:async:${id}`, 'data', data);
        await redis.zadd(key, tag * 2 ** 32 + added, id);
        jobs.set(id, { client, taken: weights.map(() => 0) });
      },
      async take(): Promise<void> {
        const [id = ''] = await redis.zpopmin(key);
        const job = jobs.get(id);
        if (!job) return;
        jobs.delete(id);
        const own = job.taken[job.client] ?? 0;
        for (const [client, count] of job.taken.entries()) {
          // For each of its own turns the others have theirs, by weight, one begun before, and what its start and its tag are rounded by.
          const share = weightOf(client) / weightOf(job.client);
          const most = (own + 1) * share + 2 + (2 * weightOf(client)) / TURN;
          if (client !== job.client) expect(count).toBeLessThanOrEqual(most);
        }
        for (const [other, { client, taken }] of jobs) {
          if (client === job.client) expect(Number(other)).toBeGreaterThan(Number(id));
          taken[job.client] = (taken[job.client] ?? 0) + 1;
        }
      },
    };
  }
});
