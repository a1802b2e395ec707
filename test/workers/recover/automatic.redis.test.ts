import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type KeyCopy, Keys } from '../../../src/auth/keys.ts';
import { batchKeys, putJson, putLines, putRows } from '../../../src/intake/batches/batch-files.ts';
import { Batches } from '../../../src/intake/batches/batches.ts';
import { restoreLostRows } from '../../../src/intake/batches/restore.ts';
import { batchRedisKeys } from '../../../src/intake/batches/scripts.ts';
import { putDeed } from '../../../src/intake/deeds.ts';
import { adoptInstallationId, sharedInstallationId } from '../../../src/intake/installation.ts';
import { writeJobManifest } from '../../../src/intake/job-manifest.ts';
import type { NewJob } from '../../../src/intake/job-records.ts';
import { readOngoingRecovery } from '../../../src/intake/recovery-state.ts';
import { WebhookReceivers } from '../../../src/intake/webhooks/receivers.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { jobInputKey, keyCopyKey } from '../../../src/storage/blob-keys.ts';
import type { Blobs } from '../../../src/storage/blobs.ts';
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts';
import { AutomaticRecovery } from '../../../workers/recover/automatic.ts';
import { rebuildAll } from '../../../workers/recover/rebuild.ts';
import { jobs, openRebuilders } from '../../../workers/recover/rebuilders.ts';
import { servicesOn } from '../../support/recovery.ts';
import { testFolder } from '../../support/use-folder.ts';
import { useRedis } from '../../support/use-redis.ts';

const never = new AbortController().signal;

const { server } = await useRedis();
const redis = new Redis(server.url, { maxRetriesPerRequest: null }); // waits while it is cut off
redis.on('error', () => {});
afterAll(() => redis.disconnect());
let blobs: Blobs;
let deps: ReturnType<typeof servicesOn>;
beforeEach(async () => {
  await redis.flushall();
  blobs = await createFsBlobs({ dir: await testFolder() });
  deps = servicesOn(redis, blobs);
  await adoptInstallationId(redis, blobs);
  await recovering();
});
afterEach(() => deps.close());

/** Every call is that of another worker. */
const recovering = (parts: { blobs?: Blobs } = {}): Promise<number> =>
  new AutomaticRecovery({ ...deps, ...parts }).run(never);

const walk = () => rebuildAll(openRebuilders(deps), deps, { concurrency: 8 }, never);

/** Stores what the gateway stores of a job before it answers. */
async function storeJob(id: string): Promise<void> {
  const inputKey = jobInputKey('acme', id);
  const times = { createdAt: new Date().toISOString(), expiresAt: new Date().toISOString() };
  const rest = { requestId: 'r', outputSeconds: 3600, ...times };
  const job = { id, client: 'acme', operations: ['classify' as const], inputKey, ...rest };
  const meta = { intent: writeJobManifest(job) };
  await blobs.put(inputKey, Buffer.from('x'), { meta, durable: false });
}

/** Stores what the gateway stores of a sealed batch with chunks of one row. */
async function storeBatch(id: string, chunks: number): Promise<void> {
  const keys = batchKeys({ client: 'acme', id });
  const createdAt = new Date().toISOString();
  const what = { kind: 'batch', client: 'acme', requestId: 'r', operations: ['classify'] };
  await putJson(blobs, keys.manifest, { id, ...what, outputSeconds: 60, createdAt });
  for (let row = 0; row < chunks; row++) {
    const source = { url: 'https://a.example/1.jpg' };
    await putLines(blobs, keys.rows(row), [{ row, line: row + 1, customId: `${row}`, source }]);
  }
  await putJson(blobs, keys.sealed, { sealedAt: createdAt });
}

const batchOf = (id: string) => redis.hgetall(batchRedisKeys(id).record);
const statusOf = async (id: string) => (await deps.jobs.get(id))?.status;

test('nothing is looked for while Redis is the same', async () => {
  await storeJob('job_new');
  expect(await recovering()).toBe(0);
  expect(await statusOf('job_new')).toBeUndefined();
});

test('what the last second of the append-only file held is restored', async () => {
  await storeJob('job_before');
  await storeBatch('batch_sealed', 2);
  await walk();
  await redis.hset(batchRedisKeys('batch_sealed').record, { status: 'open', chunks: 0 });
  await redis.hset(batchRedisKeys('batch_sealed').record, { accepted: 0 });
  await deps.queues.async.obliterate({ force: true });
  const mark = await server.mark();
  await storeJob('job_lost');
  await storeBatch('batch_lost', 3);
  await walk();
  expect(await statusOf('job_lost')).toBe('queued');
  await server.powerCut(mark);
  expect(await statusOf('job_lost')).toBeUndefined();
  expect(await statusOf('job_before')).toBe('queued');

  expect(await recovering()).toBe(3);
  expect(await statusOf('job_lost')).toBe('queued');
  // Its record was there, but neither its place in the queue nor that the batch was sealed.
  expect(await deps.queues.async.getPrioritizedCount()).toBe(2);
  expect(await batchOf('batch_sealed')).toMatchObject({ status: 'sealed', accepted: '2' });
  expect(await batchOf('batch_lost')).toMatchObject({ status: 'sealed', accepted: '3' });
  expect(await recovering()).toBe(0);
  expect(await readOngoingRecovery(redis)).toBeUndefined();
});

test('rows that a batch has lost are restored before it is sealed, and its upload goes on after them', async () => {
  await storeBatch('batch_open', 1);
  const keys = batchKeys({ client: 'acme', id: 'batch_open' });
  await blobs.delete(keys.sealed);
  await walk();
  const rowOf = (row: number) => ({ row, line: row + 1, customId: `${row}`, source: { url: 'u' } });
  const upload = { format: 'csv', offset: 77, line: 3, rows: 2, header: 'id,Größe' };
  await putRows(blobs, keys.rows(1), [rowOf(1)], upload);
  const batches = new Batches(redis, hostClock);
  expect(await batches.get('batch_open')).toMatchObject({ chunks: 1, accepted: 1 });
  const batch = { client: 'acme', id: 'batch_open', chunks: 1 };
  await restoreLostRows(batches, blobs, batch, Date.now());
  const expected = { ...{ status: 'open', chunks: 2, accepted: 2 }, upload };
  expect(await batches.get('batch_open')).toMatchObject(expected);
});

test('an emptied Redis is restored, and belongs to its storage again', async () => {
  await storeJob('job_lost');
  await redis.flushall();
  expect(await recovering()).toBe(1);
  expect(await statusOf('job_lost')).toBe('queued');
  expect(await sharedInstallationId(redis, blobs)).toBeDefined();
});

test('data that Redis loses while it is compared is restored by the next comparison', async () => {
  await storeJob('job_lost');
  await redis.hdel('{selvage}:recovery', 'identity');
  const flushing: Blobs = {
    ...blobs,
    async *list(prefix, signal) {
      yield* blobs.list(prefix, signal);
      await redis.flushall();
    },
  };
  await recovering({ blobs: flushing });
  expect(await statusOf('job_lost')).toBeUndefined();
  expect(await recovering()).toBe(1);
  expect(await statusOf('job_lost')).toBe('queued');
});

test('a key that was revoked or rotated in the lost second does not live again', async () => {
  const copy = async (copies: readonly KeyCopy[]) => {
    for (const each of copies) await putJson(blobs, keyCopyKey(each.hash), each);
  };
  const keys = new Keys(redis, 'pepper', hostClock, { copy });
  const grant = {
    client: 'acme',
    scopes: ['look-engine:read' as const],
    allowBase64: false,
    rate: { count: 1, periodSeconds: 1 },
    quotaPerDay: 1,
  };
  const revoked = await keys.create(grant);
  const rotated = await keys.create({ ...grant, client: 'other' });
  const mark = await server.mark();
  await keys.revoke(revoked.record.id);
  const successor = await keys.rotate(rotated.record.id, 0);
  const created = await keys.create(grant);
  const live = () =>
    Promise.all(
      [revoked, rotated, successor, created].map(
        async ({ key }) => (await keys.lookUp(key)) !== undefined,
      ),
    );
  const before = [false, false, true, true];
  expect(await live()).toEqual(before);
  await server.powerCut(mark);
  expect(await live()).toEqual([true, true, false, false]);
  expect(await recovering()).toBe(4);
  expect(await live()).toEqual(before);
  expect(await recovering()).toBe(0);
});

test('a deed is done again once, and one that is damaged or sealed by another Redis is kept', async () => {
  await storeJob('job_kept');
  await walk();
  const job = (await deps.jobs.get('job_kept'))!;
  await putDeed(blobs, 'job', job.id, { ...job, status: 'canceled' });
  const receivers = new WebhookReceivers(redis);
  const { secret } = await receivers.createSecret('acme', Date.now());
  const sealed = await receivers.seal('acme');
  expect(Buffer.from(sealed.sealed, 'base64').toString('latin1')).not.toContain(secret);
  await putDeed(blobs, 'receivers', 'acme', sealed);
  await putJson(blobs, 'deeds/job/damaged.json', { id: 1 });
  await blobs.put('deeds/job/cut.json', Buffer.from('{"id":'));
  await putJson(blobs, 'deeds/strange/newer.json', {});
  await redis.del('{selvage}:webhook-secrets:acme');
  expect((await walk()).deeds).toEqual({ rebuilt: 2, known: 0, unknown: 3 });
  expect(await statusOf('job_kept')).toBe('canceled');
  expect(await receivers.activeSecrets('acme', Date.now())).toMatchObject([{ secret }]);
  await redis.del('{selvage}:seal', '{selvage}:webhook-secrets:acme');
  expect((await walk()).deeds).toEqual({ rebuilt: 0, known: 1, unknown: 4 });
  expect(await receivers.activeSecrets('acme', Date.now())).toEqual([]);
  expect(await blobs.head('deeds/job/damaged.json')).toBeDefined();
});

test('a Redis of another installation gets nothing', async () => {
  await storeJob('job_lost');
  await redis.flushall();
  await redis.set('{selvage}:epoch', 'another');
  expect(await recovering()).toBe(0);
  expect(await statusOf('job_lost')).toBeUndefined();
});

test('a walk that fails midway is done again, by whichever worker comes next', async () => {
  for (let i = 0; i < 600; i++) await storeJob(`job_${i}`);
  await redis.flushall();
  const failing: Blobs = {
    ...blobs,
    async *list(prefix, signal) {
      let listed = 0;
      for await (const entry of blobs.list(prefix, signal)) {
        if (listed++ === 550) throw new Error('the second page does not come');
        yield entry;
      }
    },
  };
  await expect(recovering({ blobs: failing })).rejects.toThrow('second page');
  expect(await readOngoingRecovery(redis)).toMatchObject({ phase: 'whole', restored: 500 });
  expect(await recovering()).toBe(100);
  expect(await deps.queues.async.getPrioritizedCount()).toBe(600);
});

test('two leaders at once restore nothing twice', async () => {
  for (let i = 0; i < 40; i++) await storeJob(`job_${i}`);
  for (let i = 0; i < 10; i++) await storeBatch(`batch_${i}`, 3);
  const [a, b] = await Promise.all([walk(), walk()]);
  expect(Number(a.jobs?.rebuilt) + Number(b.jobs?.rebuilt)).toBe(40);
  expect(Number(a.batches?.rebuilt) + Number(b.batches?.rebuilt)).toBe(10);
  expect(await deps.queues.async.getPrioritizedCount()).toBe(40);
  for (let i = 0; i < 10; i++)
    expect(await redis.lrange(batchRedisKeys(`batch_${i}`).chunkStarts, 0, -1)).toHaveLength(3);
});

const jobOf = (number: number): NewJob => {
  const id = `job_${number}`;
  return {
    id,
    client: 'acmé',
    requestId: `r${number}`,
    operations: ['classify'],
    inputKey: jobInputKey('acmé', id),
    outputSeconds: 60,
    createdAt: '2026-11-20T12:00:00.000Z',
    expiresAt: '2026-11-20T12:01:00.000Z',
    quota: { key: '{selvage}:quota:k:2026-11-20', cost: 1 },
    webhook: { url: `https://receiver.example/${'x'.repeat(600)}` },
  };
};

test('rebuilding restores accepted jobs unchanged, and skips known and unknown ones', async () => {
  const { jobs: records, queues } = deps;
  const accepted = Array.from({ length: 500 }, (_, number) => jobOf(number));
  const put = (key: string, meta = {}) =>
    blobs.put(key, Buffer.from('x'), { meta, durable: false });
  for (const job of accepted) await put(job.inputKey, { intent: writeJobManifest(job) });
  await put('in/c/job_strange', { intent: '{"client":1}' });
  await put('in/c/strange');
  const active = { ...jobOf(0), requestId: 'another' };
  await records.create(active);
  await records.begin(active.id, active.createdAt);

  const counts = await rebuildAll([jobs(deps)], deps, { concurrency: 8 }, never);
  expect(counts).toEqual({ jobs: { rebuilt: 499, known: 1, unknown: 2 } });
  expect(await queues.async.getPrioritizedCount()).toBe(499);
  expect(await records.get('job_7')).toEqual({ ...jobOf(7), status: 'queued', attempt: 0 });
  expect(await records.get('job_0')).toMatchObject({ status: 'active', requestId: 'another' });
  expect(await records.due(Date.parse('2026-11-20T12:05:00.000Z'))).toContain('job_7');
  expect(await records.create(jobOf(7))).toBe(false);
});

test('a manifest omits a webhook that is too long for blob metadata, and keeps the rest', () => {
  const job = { ...jobOf(1), webhook: { url: `https://a.example/${'x'.repeat(2000)}` } };
  expect(writeJobManifest(job).length).toBeLessThan(1400);
  expect(JSON.parse(writeJobManifest(job))).not.toHaveProperty('webhook');
});
