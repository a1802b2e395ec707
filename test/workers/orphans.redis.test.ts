import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { batchKeys, putJson, putLines } from '../../src/intake/batches/batch-files.ts';
import { Batches } from '../../src/intake/batches/batches.ts';
import { adoptInstallationId } from '../../src/intake/installation.ts';
import { writeJobManifest } from '../../src/intake/job-manifest.ts';
import { type JobRecord, JobRecords } from '../../src/intake/job-records.ts';
import { expiryOf } from '../../src/intake/job-retention.ts';
import { readIdentity, writeRecoveryState } from '../../src/intake/recovery-state.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { cutOutKey, garmentKey, garmentsPrefix, jobInputKey } from '../../src/storage/blob-keys.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { reconcileOrphans } from '../../workers/orphans.ts';
import { servicesOn } from '../support/recovery.ts';
import { testFolder } from '../support/use-folder.ts';
import { useRedis } from '../support/use-redis.ts';

const never = new AbortController().signal;
const HOUR = 3_600_000;
/** Of a photo in which nothing is worn; its files are what counts here. */
const OUTFIT = {
  width: 1,
  height: 1,
  model: 'm@1',
  classifier: 'c@1',
  person: false,
  severalPeople: false,
  confidence: 1,
  review: { needed: false, reasons: [] },
  garments: [],
};
const CUT_OUT = {
  width: 1,
  height: 1,
  bytes: 3,
  mediaType: 'image/png' as const,
  sha256: 'aa',
  model: 'm@1',
  confidence: 1,
};

const MANIFEST = {
  id: 'batch_lost',
  kind: 'batch',
  client: 'acme',
  requestId: 'r',
  operations: ['remove-background'],
  outputSeconds: 60,
  createdAt: '2026-11-20T12:00:00.000Z',
};
const ROW = { row: 0, line: 1, customId: 'a', source: { url: 'https://a.example/1.jpg' } };

const { redis } = await useRedis();
let blobs: Blobs;
let records: JobRecords;
let recover: ReturnType<typeof servicesOn>;
beforeEach(async () => {
  await redis.flushall();
  blobs = await createFsBlobs({ dir: await testFolder() });
  records = new JobRecords(redis, hostClock);
  await adoptInstallationId(redis, blobs);
  recover = servicesOn(redis, blobs);
});
afterEach(() => recover.close());

const reconcile = (
  hoursLater = 2,
  parts: Partial<Parameters<typeof reconcileOrphans>[0]> = {},
): Promise<number> =>
  reconcileOrphans({ ...recover, ...parts }, Date.now() + hoursLater * HOUR, never);

async function allBlobs(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('')) if (key !== 'epoch') keys.push(key);
  return keys.sort();
}

let created = 0;
const put = async (key: string): Promise<string> => {
  await blobs.put(key, Buffer.from('x'), { durable: false });
  return key;
};
const inputOf = (id: string): Promise<string> => put(jobInputKey('acme', id));
const outputOf = (id: string): Promise<string> =>
  put(cutOutKey({ client: 'acme', sha256: 'ab'.repeat(32), model: 'm@1', options: {} }, id));

/** A job with its input, or once it has succeeded with its output. */
async function job(status: 'queued' | 'succeeded'): Promise<JobRecord & { outputKey: string }> {
  const id = `job_${++created}`;
  const [inputKey, outputKey] = [await inputOf(id), await outputOf(id)];
  await records.create({
    id,
    client: 'acme',
    requestId: 'r',
    operations: ['remove-background'],
    inputKey,
    outputKey,
    outputSeconds: 86_400,
    createdAt: new Date().toISOString(),
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
  test('without a record are deleted, others are not', async () => {
    const { inputKey, outputKey } = await job('queued');
    for (const name of ['batch:batch_1', 'batch:run_1', 'feed-record:feed_1']) {
      await redis.hset(`{selvage}:${name}`, 'status', 'open');
    }
    const owned = ['batches/c/batch_1/in/0', 'batches/c/run_1/batch.json', 'feeds/c/feed_1/x'];
    const kept = [inputKey, outputKey, await outputOf('batch_1'), ...owned];
    const garments = (id: string) => garmentKey(garmentsPrefix('acme', 'ab'.repeat(32), id), 'cd');
    kept.push(await put(garments('batch_1')));
    const orphaned = ['batches/c/batch_9/in/0', 'batches/c/run_9/x', 'feeds/c/feed_9/x'];
    await Promise.all([...owned, ...orphaned].map(put));
    await Promise.all([inputOf('job_gone'), outputOf('job_gone'), outputOf('batch_gone')]);
    await Promise.all([put(garments('job_gone')), put(garments('batch_gone'))]);
    expect(await reconcile()).toBe(8);
    expect(await allBlobs()).toEqual(kept.sort());
    expect(await reconcile()).toBe(0);
  });

  test('younger than an hour are kept', async () => {
    await outputOf('job_gone');
    expect(await reconcile(0.9)).toBe(0);
    expect(await reconcile(1.1)).toBe(1);
  });

  test('with unknown names are kept', async () => {
    const others = ['out/c/0123/m-1.png', 'out/c/0123/m-1/run_1.png', 'in/c/picture'];
    for (const key of others) await put(key);
    expect(await reconcile()).toBe(0);
    expect(await allBlobs()).toEqual(others.sort());
  });

  test('are deleted page by page', async () => {
    const ids = Array.from({ length: 1203 }, (_, i) => `job_gone${i}`);
    await Promise.all(ids.map(inputOf));
    const { inputKey } = await job('queued');
    expect(await reconcile()).toBe(1203);
    expect(await allBlobs()).toContain(inputKey);
  });
});

describe('a record that Redis lost', () => {
  const intent = (id: string) =>
    writeJobManifest({
      id,
      client: 'acme',
      requestId: 'r',
      operations: ['remove-background'],
      inputKey: jobInputKey('acme', id),
      outputSeconds: 86_400,
      createdAt: new Date().toISOString(),
      expiresAt: new Date().toISOString(),
    });

  test('is put back if it has a manifest, and none of its blobs is deleted', async () => {
    const inputKey = jobInputKey('acme', 'job_lost');
    await blobs.put(inputKey, Buffer.from('x'), { meta: { intent: intent('job_lost') } });
    await outputOf('job_lost');
    const { keys, manifest } = {
      keys: batchKeys({ client: 'acme', id: 'batch_lost' }),
      manifest: MANIFEST,
    };
    await putJson(blobs, keys.manifest, manifest);
    await putLines(blobs, keys.rows(0), [ROW]);
    await putJson(blobs, keys.sealed, { sealedAt: new Date().toISOString() });
    await put(keys.input(0, 'u1'));
    const before = await allBlobs();
    expect(await reconcile()).toBe(2);
    expect(await allBlobs()).toEqual(before);
    expect(await get('job_lost')).toMatchObject({ status: 'queued', client: 'acme' });
    expect(await recover.queues.async.getPrioritizedCount()).toBe(1);
    const expected = { status: 'sealed', accepted: 1, chunks: 1 };
    expect(await new Batches(redis, hostClock).get('batch_lost')).toMatchObject(expected);
    expect(await reconcile()).toBe(0);
  });

  test('stays in storage if its manifest is damaged; others are put back', async () => {
    const lines: string[] = [];
    const logged = pino({}, { write: (line: string) => void lines.push(line) });
    const own = servicesOn(redis, blobs, logged);
    onTestFinished(() => own.close());
    const meta = (text: string) => ({ meta: { intent: text } });
    await blobs.put(jobInputKey('acme', 'job_bad'), Buffer.from('x'), meta('{"client":'));
    await blobs.put(jobInputKey('acme', 'job_good'), Buffer.from('x'), meta(intent('job_good')));
    await put('batches/c/batch_bad/batch.json');
    await put('batches/c/batch_bad/in/0');
    await putJson(blobs, 'feeds/c/feed_bad/feed.json', { id: 'feed_bad' });
    const before = await allBlobs();
    expect(await reconcile(2, own)).toBe(1);
    expect(await allBlobs()).toEqual(before);
    expect((await get('job_good')).status).toBe('queued');
    const said = lines.filter((line) => line.includes('a manifest is damaged'));
    for (const id of ['job_bad', 'batch_bad', 'feed_bad']) {
      expect(said.filter((line) => line.includes(id))).toHaveLength(1);
    }
  });
});

describe('a Redis that lost its data', () => {
  test('does not cause a deletion', async () => {
    await job('queued');
    const before = await allBlobs();
    await redis.flushall();
    expect(await reconcile()).toBe(0);
    expect(await allBlobs()).toEqual(before);
  });

  test('does not cause a deletion if that happens during the sweep', async () => {
    await job('queued');
    const before = await allBlobs();
    const losing: Blobs = {
      ...blobs,
      async *list(prefix, signal) {
        await redis.flushall();
        yield* blobs.list(prefix, signal);
      },
    };
    await expect(reconcile(2, { blobs: losing })).rejects.toThrow('Redis lost its data');
    expect(await allBlobs()).toEqual(before);
  });
});

describe('a job that succeeded', () => {
  test('expires if its cut-out is lost; others do not', async () => {
    const [whole, lost] = [await job('succeeded'), await job('succeeded')];
    await job('queued');
    await blobs.delete(lost.outputKey);
    expect(await reconcile()).toBe(1);
    expect((await get(lost.id)).status).toBe('expired');
    expect((await get(whole.id)).status).toBe('succeeded');
    expect(await reconcile()).toBe(0);
  });

  test('expires if the cut-out of one of its garments is lost', async () => {
    const { id } = await job('succeeded');
    const input = { sha256: 'ab'.repeat(32), bytes: 1, width: 1, height: 1 };
    const files = ['cd', 'ef'].map((sha256) => ({ bytes: 1, sha256 }));
    const keys = files.map(({ sha256 }) =>
      garmentKey(garmentsPrefix('acme', input.sha256, id), sha256),
    );
    await Promise.all(keys.map(put));
    const outfit = { ...OUTFIT, files };
    const fields = { operations: JSON.stringify(['separate']), input: JSON.stringify(input) };
    await redis.hset(`{selvage}:job:${id}`, {
      ...fields,
      results: JSON.stringify({ outfit }),
    });
    expect(await reconcile()).toBe(0);
    await blobs.delete(keys[1]!);
    expect(await reconcile()).toBe(1);
    expect((await get(id)).status).toBe('expired');
    expect(await blobs.head(keys[0]!)).toBeUndefined();
  });

  test('keeps its record if all of storage is lost, before or during the sweep', async () => {
    const { id, outputKey } = await job('succeeded');
    await blobs.delete(outputKey);
    let looks = 0;
    const going: Blobs = {
      ...blobs,
      // The installation id exists when the sweep begins.
      head: async (key) => (key === 'epoch' && ++looks === 1 ? blobs.head(key) : undefined),
    };
    await expect(reconcile(2, { blobs: going })).rejects.toThrow('storage lost its data');
    expect((await get(id)).status).toBe('succeeded');
    await blobs.delete('epoch');
    expect(await reconcile()).toBe(0);
    expect((await get(id)).status).toBe('succeeded');
  });
});

test('a sweep can be aborted', async () => {
  await outputOf('job_gone');
  const stopped = AbortSignal.abort(new Error('the worker stops'));
  await expect(reconcileOrphans(recover, Date.now() + 2 * HOUR, stopped)).rejects.toThrow(
    'worker stops',
  );
  expect(await allBlobs()).toHaveLength(1);
});

test('deeds are forgotten after an hour, and never before this Redis was compared with them', async () => {
  await put('deeds/job/a.json');
  expect(await reconcile(2)).toBe(0);
  const identity = await readIdentity(redis);
  await writeRecoveryState(redis, { identity, phase: 'recent' });
  expect(await reconcile(2)).toBe(0);
  await writeRecoveryState(redis, { phase: 'idle' });
  expect(await reconcile(0)).toBe(0);
  expect(await reconcile(2)).toBe(1);
  expect(await allBlobs()).toEqual([]);
});
