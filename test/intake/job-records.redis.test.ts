import { afterAll, describe, expect, test } from 'vitest';
import { Completions } from '../../src/intake/completions.ts';
import { type JobRecord, JobRecords } from '../../src/intake/job-records.ts';
import {
  expiryOf,
  JobRetention,
  SETTLE_MILLIS,
  sweepDueJobs,
} from '../../src/intake/job-retention.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { openQueue, requeueJob } from '../../src/queue/queue.ts';
import { failJob } from '../../workers/images/run-job.ts';
import { useBlobs } from '../support/use-blobs.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const at = (seconds: number): number => NOW + seconds * 1000;
const DAY = 86_400;

const { server, redis } = await useRedis();
const blobs = await useBlobs();
const records = new JobRecords(redis, hostClock);
const retention = new JobRetention(records, blobs);
const queue = openQueue('async', redis, log);
const enqueue = (job: JobRecord) => requeueJob(queue, job);
afterAll(() => queue.close());

const QUOTA = '{selvage}:quota:test';
let made = 0;
/** An accepted job with its input in object storage. */
async function accepted(outputSeconds = 60, inputSeconds = 7 * DAY): Promise<JobRecord> {
  const id = `job_test${++made}`;
  const job = {
    id,
    client: 'tests',
    requestId: 'r',
    outputSeconds,
    inputKey: `in/tests/${id}`,
    operations: ['remove-background' as const],
    createdAt: new Date(NOW).toISOString(),
    expiresAt: expiryOf({ outputSeconds }, NOW).expiresAt,
    quota: { key: QUOTA, cost: 1 },
    classification: { title: 'A shirt for Anna' },
    inputSeconds,
  };
  await blobs.put(job.inputKey, Buffer.from('image'));
  await records.create(job);
  return known(id);
}

async function known(id: string): Promise<JobRecord> {
  const job = await records.get(id);
  if (!job) throw new Error(`no record of ${id}`);
  return job;
}

const CUT_OUT = {
  width: 1,
  height: 1,
  bytes: 3,
  mediaType: 'image/png' as const,
  sha256: 'aa',
  model: 'm@1',
  confidence: 1,
};

/** Does what a worker does until just before it ends the job. */
async function workOn(job: JobRecord, outputKey: string): Promise<number> {
  const attempt = (await records.begin(job.id, new Date(NOW).toISOString())) ?? 0;
  expect(await records.update(job.id, attempt, { outputKey })).toBe(true);
  await blobs.put(outputKey, Buffer.from('png'));
  return attempt;
}

const succeed = (job: JobRecord, attempt: number): Promise<boolean> =>
  records.end(job, {
    from: ['active'],
    to: 'succeeded',
    attempt,
    fields: { results: { cutout: CUT_OUT }, finishedAt: new Date(NOW).toISOString() },
    dueAtMillis: at(job.outputSeconds),
  });

const end = (job: JobRecord, to: 'failed' | 'canceled'): Promise<boolean> =>
  records.end(job, { from: ['queued', 'active'], to, fields: {}, dueAtMillis: at(60) });

const quotaUsed = async (): Promise<number> => Number(await redis.get(QUOTA));

async function allBlobs(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('')) keys.push(key);
  return keys.sort();
}

describe('a record', () => {
  test('has the accepted job and its state', async () => {
    const job = await accepted();
    expect(job).toMatchObject({ status: 'queued', attempt: 0, client: 'tests' });
    expect(await records.begin(job.id, job.createdAt)).toBe(1);
    const expected = { status: 'active', attempt: 1, startedAt: job.createdAt };
    expect(await known(job.id)).toMatchObject(expected);
    expect(await records.get('job_unknown')).toBeUndefined();
  });

  test('ends once, however many try at the same time', async () => {
    const job = await accepted();
    const attempt = (await records.begin(job.id, job.createdAt)) ?? 0;
    const won = await Promise.all([
      succeed(job, attempt),
      end(job, 'canceled'),
      end(job, 'failed'),
      succeed(job, attempt),
    ]);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await records.begin(job.id, job.createdAt)).toBeUndefined();
  });

  test('is not ended or updated by an attempt that is no longer the latest', async () => {
    const job = await accepted();
    const stale = (await records.begin(job.id, job.createdAt)) ?? 0;
    const latest = (await records.begin(job.id, job.createdAt)) ?? 0;
    expect(latest).toBe(stale + 1);
    expect(await records.update(job.id, stale, { outputKey: 'out/x' })).toBe(false);
    expect(await succeed(job, stale)).toBe(false);
    expect(await succeed(job, latest)).toBe(true);
  });

  test.each([
    ['failed', 1],
    ['canceled', 1],
    ['succeeded', 0],
  ] as const)('that %s refunds %i unit, once', async (to, refund) => {
    await redis.set(QUOTA, 5);
    const job = await accepted();
    const attempt = (await records.begin(job.id, job.createdAt)) ?? 0;
    const finish = () => (to === 'succeeded' ? succeed(job, attempt) : end(job, to));
    expect(await finish()).toBe(true);
    expect(await finish()).toBe(false);
    await retention.erase(await known(job.id), at(1));
    expect(await quotaUsed()).toBe(5 - refund);
  });

  test('never refunds more than was used', async () => {
    await redis.set(QUOTA, 0);
    expect(await end(await accepted(), 'canceled')).toBe(true);
    expect(await quotaUsed()).toBe(0);
  });

  test('notifies a request that waits for its end', async () => {
    const completions = await Completions.subscribe(blockingConnection(server.url, log));
    const job = await accepted();
    const ended = completions.next(job.id, AbortSignal.timeout(30_000));
    await end(job, 'failed');
    await ended;
    expect((await known(job.id)).status).toBe('failed');
    completions.close();
  });
});

describe('a pending job', () => {
  test('that is missing in its queue is added to it, once', async () => {
    const job = await accepted();
    expect(await queue.getJob(job.id)).toBeUndefined();
    for (const seconds of [300, 600, 900]) {
      await sweepDueJobs({ records, retention, enqueue }, at(seconds));
      expect(await queue.getJobState(job.id)).toBe('prioritized');
    }
    const waiting = await queue.getJobs('prioritized');
    expect(waiting.filter(({ id }) => id === job.id)).toHaveLength(1);
    expect((await known(job.id)).status).toBe('queued');
    expect(await blobs.head(job.inputKey)).toBeDefined();
  });

  test('whose input waited longer than its retention fails, and the input is deleted', async () => {
    await redis.set(QUOTA, 5);
    const job = await accepted(60, 30);
    const begun = await accepted(60, 30);
    await records.begin(begun.id, begun.createdAt);
    await sweepDueJobs({ records, retention, enqueue }, at(30) - 1);
    expect((await known(job.id)).status).toBe('queued');
    await sweepDueJobs({ records, retention, enqueue }, at(30));
    expect(await known(job.id)).toMatchObject({
      status: 'failed',
      problem: { type: 'upstream-unavailable', detail: expect.stringContaining('send it again') },
    });
    expect(await blobs.head(job.inputKey)).toBeUndefined();
    expect(await quotaUsed()).toBe(4);
    expect((await known(begun.id)).status).toBe('active');
    expect(await blobs.head(begun.inputKey)).toBeDefined();
  });

  test('that a worker aborts fails, is refunded and leaves no blobs', async () => {
    await redis.set(QUOTA, 5);
    const job = await accepted();
    const outputKey = 'out/tests/aborted.png';
    await workOn(job, outputKey);
    await failJob({ jobs: records, jobRetention: retention, now: hostClock }, job.id);
    expect(await known(job.id)).toMatchObject({
      status: 'failed',
      problem: { type: 'upstream-failed', detail: expect.any(String) },
    });
    expect(await quotaUsed()).toBe(4);
    // Until the end has settled the job could end again.
    for (const key of [job.inputKey, outputKey]) expect(await blobs.head(key)).toBeDefined();
    await sweepDueJobs({ records, retention, enqueue }, hostClock() + SETTLE_MILLIS);
    for (const key of [job.inputKey, outputKey]) expect(await blobs.head(key)).toBeUndefined();
    await failJob({ jobs: records, jobRetention: retention, now: hostClock }, 'job_unknown');
  });

  test('that ends while it is swept expires at its own time', async () => {
    const job = await accepted();
    const dueAtMillis = at(310);
    const endsMeanwhile = async ({ id }: JobRecord) => {
      if (id !== job.id) return;
      await records.end(job, { from: ['queued'], to: 'failed', fields: {}, dueAtMillis });
    };
    await sweepDueJobs({ records, retention, enqueue: endsMeanwhile }, at(300));
    expect((await known(job.id)).status).toBe('failed');
    expect(await records.due(dueAtMillis - 1)).not.toContain(job.id);
    expect(await records.due(dueAtMillis)).toContain(job.id);
  });
});

describe('expiry', () => {
  test('spares a job that ends while it is swept as a pending one', async () => {
    const job = await accepted(DAY);
    const outputKey = 'out/tests/ends-meanwhile.png';
    const attempt = await workOn(job, outputKey);
    class Ending extends JobRecords {
      override async get(id: string) {
        await succeed(job, attempt);
        return super.get(id);
      }
    }
    const ending = new Ending(redis, hostClock);
    const { dueAtMillis } = expiryOf(job, NOW);
    await sweepDueJobs({ records: ending, retention, enqueue }, at(300));
    expect((await known(job.id)).status).toBe('succeeded');
    expect(await blobs.head(outputKey)).toBeDefined();
    expect(await records.due(dueAtMillis - 1)).not.toContain(job.id);
    expect(await records.due(dueAtMillis)).toContain(job.id);
  });

  test('deletes the result at its second, and the tombstone a day later', async () => {
    const job = await accepted(60);
    const outputKey = 'out/tests/expiry.png';
    expect(await succeed(job, await workOn(job, outputKey))).toBe(true);
    await retention.cleanUp(job);
    expect(await blobs.head(job.inputKey)).toBeUndefined();

    await sweepDueJobs({ records, retention, enqueue }, at(60) - 1);
    expect((await known(job.id)).status).toBe('succeeded');
    expect(await blobs.head(outputKey)).toBeDefined();

    await sweepDueJobs({ records, retention, enqueue }, at(60));
    const tombstone = await known(job.id);
    expect(tombstone.status).toBe('expired');
    expect(tombstone.classification).toBeUndefined();
    expect(tombstone.results).toBeUndefined();
    expect(await blobs.head(outputKey)).toBeUndefined();

    await sweepDueJobs({ records, retention, enqueue }, at(60 + DAY) - 1);
    expect((await known(job.id)).status).toBe('expired');
    await sweepDueJobs({ records, retention, enqueue }, at(60 + DAY));
    expect(await records.get(job.id)).toBeUndefined();
    expect(await records.due(at(100 * DAY))).not.toContain(job.id);
  });

  test('interrupted after the tombstone is finished by the next sweep', async () => {
    const job = await accepted(60);
    const outputKey = 'out/tests/interrupted.png';
    await succeed(job, await workOn(job, outputKey));
    const { head, deleteAll, kept } = blobs;
    const broken = new JobRetention(records, {
      head,
      deleteAll,
      kept,
      delete: () => Promise.reject(new Error('storage is unavailable')),
    });
    await expect(sweepDueJobs({ records, retention: broken, enqueue }, at(61))).rejects.toThrow(
      'storage is unavailable',
    );
    expect((await known(job.id)).status).toBe('expired');
    expect(await blobs.head(outputKey)).toBeDefined();
    await sweepDueJobs({ records, retention, enqueue }, at(75));
    expect(await blobs.head(outputKey)).toBeUndefined();
  });
});

describe('erasure', () => {
  test('deletes what a late worker writes', async () => {
    const job = await accepted();
    const outputKey = 'out/tests/late.png';
    const attempt = (await records.begin(job.id, job.createdAt)) ?? 0;
    await records.update(job.id, attempt, { outputKey });
    const receipt = await retention.erase(job, at(1));
    expect(receipt).toEqual({ erasedAt: new Date(at(1)).toISOString(), blobs: 1 });

    // The worker had begun before, and finishes without knowing.
    await blobs.put(outputKey, Buffer.from('png'));
    expect(await succeed(job, attempt)).toBe(false);
    await retention.cleanUp(job);
    expect(await allBlobs()).not.toContain(outputKey);
    expect((await known(job.id)).status).toBe('expired');
    expect(await retention.erase(await known(job.id), at(5))).toEqual(receipt);
  });

  test('does not bring back the record of a job that was removed meanwhile', async () => {
    const job = await accepted();
    await records.remove(job.id);
    await records.updateTombstone(job.id, { erasure: { erasedAt: job.createdAt, blobs: 1 } });
    expect(await redis.keys(`*${job.id}*`)).toEqual([]);
    expect(await redis.zscore(`{selvage}:jobs-of:${job.client}`, job.id)).toBeNull();
  });

  test('spares the input of a job whose record Redis has lost', async () => {
    const job = await accepted();
    const attempt = (await records.begin(job.id, job.createdAt)) ?? 0;
    await redis.flushall();
    expect(await succeed(job, attempt)).toBe(false);
    await retention.cleanUp(job);
    expect(await blobs.head(job.inputKey)).toBeDefined();
  });
});
