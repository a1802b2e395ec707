import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adoptInstallationId } from '../../src/intake/installation-id.ts';
import { createJobRecords, type JobRecord, type JobRecords } from '../../src/intake/job-records.ts';
import { createJobRetention, expiryOf, type JobRetention } from '../../src/intake/job-retention.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { cutOutKey, jobInputKey } from '../../src/storage/blob-keys.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { settleOrphans } from '../../workers/orphans.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const log = createLog('test', 'silent');
const never = new AbortController().signal;
const HOUR = 3_600_000;
const CUT_OUT = {
  ...{ width: 1, height: 1, bytes: 3, mediaType: 'image/png' as const },
  ...{ sha256: 'aa', model: 'm@1', confidence: 1 },
};

let server: RedisServer;
let redis: Redis;
let dir: string;
let blobs: Blobs;
let records: JobRecords;
let keeping: JobRetention;
beforeAll(async () => {
  server = await startRedis();
  redis = commandConnection(server.url, log);
  await untilReady(redis, AbortSignal.timeout(5000));
  dir = await mkdtemp(join(tmpdir(), 'selvage-orphans-'));
});
beforeEach(async () => {
  await redis.flushall();
  blobs = await createFsBlobs({ dir: await mkdtemp(join(dir, 'store-')) });
  records = createJobRecords(redis);
  keeping = createJobRetention(records, blobs);
  await adoptInstallationId(redis, blobs);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(dir, { recursive: true, force: true });
});

const settle = (hoursLater = 2, parts: { blobs?: Blobs } = {}): Promise<number> =>
  settleOrphans(
    { redis, blobs, records, keeping, log, ...parts },
    Date.now() + hoursLater * HOUR,
    never,
  );

async function allBlobs(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('')) if (key !== 'epoch') keys.push(key);
  return keys.sort();
}

let made = 0;
const put = async (key: string): Promise<string> => {
  await blobs.put(key, Buffer.from('x'), { durable: false });
  return key;
};
const inputOf = (id: string): Promise<string> => put(jobInputKey('acme', id));
const outputOf = (id: string): Promise<string> =>
  put(cutOutKey({ client: 'acme', sha256: 'ab'.repeat(32), model: 'm@1', options: {} }, id));

/** A job with its input, or once it has succeeded with its output. */
async function job(status: 'queued' | 'succeeded'): Promise<JobRecord & { outputKey: string }> {
  const id = `job_${++made}`;
  const [inputKey, outputKey] = [await inputOf(id), await outputOf(id)];
  await records.create({
    ...{ id, client: 'acme', requestId: 'r', operations: ['remove-background'], inputKey },
    ...{ outputKey, outputSeconds: 86_400, createdAt: new Date().toISOString() },
    expiresAt: expiryOf({ outputSeconds: 86_400 }, Date.now()).expiresAt,
  });
  const { dueAtMillis, expiresAt } = expiryOf({ outputSeconds: 86_400 }, Date.now());
  if (status === 'succeeded') {
    await records.begin(id, expiresAt);
    const fields = { results: { cutout: CUT_OUT }, expiresAt };
    const known = await get(id);
    await records.end(known, { from: ['active'], to: status, fields, dueAtMillis });
  }
  return { ...(await get(id)), outputKey };
}

async function get(id: string): Promise<JobRecord> {
  const record = await records.get(id);
  if (!record) throw new Error(`no record of ${id}`);
  return record;
}

describe('blobs', () => {
  test('that nobody has any more are deleted, those of others not', async () => {
    const { inputKey, outputKey } = await job('queued');
    for (const name of ['batch:batch_1', 'batch:run_1', 'feed-record:feed_1']) {
      await redis.hset(`{selvage}:${name}`, 'status', 'open');
    }
    const ofOthers = ['batches/c/batch_1/in/0', 'batches/c/run_1/batch.json', 'feeds/c/feed_1/x'];
    const kept = [inputKey, outputKey, await outputOf('batch_1'), ...ofOthers];
    const ofNobody = ['batches/c/batch_9/in/0', 'batches/c/run_9/x', 'feeds/c/feed_9/feed.json'];
    await Promise.all([...ofOthers, ...ofNobody].map(put));
    await Promise.all([inputOf('job_gone'), outputOf('job_gone'), outputOf('batch_gone')]);
    expect(await settle()).toBe(6);
    expect(await allBlobs()).toEqual(kept.sort());
    expect(await settle()).toBe(0);
  });

  test('younger than an hour stay', async () => {
    await outputOf('job_gone');
    expect(await settle(0.9)).toBe(0);
    expect(await settle(1.1)).toBe(1);
  });

  test('under names that nobody here knows stay', async () => {
    const others = ['out/c/0123/m-1.png', 'out/c/0123/m-1/run_1.png', 'in/c/picture'];
    for (const key of others) await put(key);
    expect(await settle()).toBe(0);
    expect(await allBlobs()).toEqual(others.sort());
  });

  test('are deleted page by page', async () => {
    const ids = Array.from({ length: 1203 }, (_, i) => `job_gone${i}`);
    await Promise.all(ids.map(inputOf));
    const { inputKey } = await job('queued');
    expect(await settle()).toBe(1203);
    expect(await allBlobs()).toContain(inputKey);
  });
});

describe('a Redis that lost its data', () => {
  test('costs no blob', async () => {
    await job('queued');
    const before = await allBlobs();
    await redis.flushall();
    expect(await settle()).toBe(0);
    expect(await allBlobs()).toEqual(before);
  });

  test('costs no blob where it happens while orphans are looked for', async () => {
    await job('queued');
    const before = await allBlobs();
    const losing: Blobs = {
      ...blobs,
      async *list(prefix, signal) {
        await redis.flushall();
        yield* blobs.list(prefix, signal);
      },
    };
    await expect(settle(2, { blobs: losing })).rejects.toThrow('Redis lost its data');
    expect(await allBlobs()).toEqual(before);
  });
});

describe('a job that has succeeded', () => {
  test('and has lost its cut-out expires; others do not', async () => {
    const [whole, lost] = [await job('succeeded'), await job('succeeded')];
    await job('queued');
    await blobs.delete(lost.outputKey);
    expect(await settle()).toBe(1);
    expect((await get(lost.id)).status).toBe('expired');
    expect((await get(whole.id)).status).toBe('succeeded');
    expect(await settle()).toBe(0);
  });

  test('keeps its record where the whole store is gone, or goes meanwhile', async () => {
    const { id, outputKey } = await job('succeeded');
    await blobs.delete(outputKey);
    let looks = 0;
    const going: Blobs = {
      ...blobs,
      // The mark is there when the search begins.
      head: async (key) => (key === 'epoch' && ++looks === 1 ? blobs.head(key) : undefined),
    };
    await expect(settle(2, { blobs: going })).rejects.toThrow('store lost its data');
    expect((await get(id)).status).toBe('succeeded');
    await blobs.delete('epoch');
    expect(await settle()).toBe(0);
    expect((await get(id)).status).toBe('succeeded');
  });
});

test('a search is given up with its signal', async () => {
  await outputOf('job_gone');
  const stopped = AbortSignal.abort(new Error('the worker stops'));
  const parts = { redis, blobs, records, keeping, log };
  await expect(settleOrphans(parts, Date.now() + 2 * HOUR, stopped)).rejects.toThrow(
    'worker stops',
  );
  expect(await allBlobs()).toHaveLength(1);
});
