import { describe, expect, test } from 'vitest';
import { batchKeys, batchPrefix, putLines } from '../../../src/intake/batches/batch-files.ts';
import type { BatchManifest, BatchRecord } from '../../../src/intake/batches/batch-record.ts';
import { BatchRetention } from '../../../src/intake/batches/batch-retention.ts';
import { Batches } from '../../../src/intake/batches/batches.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { type Blobs, deleteListed } from '../../../src/storage/blobs.ts';
import { cutOutLine } from '../../support/ended-batch.ts';
import { useBlobs } from '../../support/use-blobs.ts';
import { useRedis } from '../../support/use-redis.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const DAY_MILLIS = 86_400_000;
const CLIENT = 'tests';

const { redis } = await useRedis();
const blobs = await useBlobs();
const batches = new Batches(redis, hostClock);
const retention = new BatchRetention(batches, blobs);

async function record(id: string): Promise<BatchRecord> {
  const batch = await batches.get(id);
  if (!batch) throw new Error(`no batch ${id}`);
  return batch;
}

let made = 0;
/**
 * A batch under way with three rows in two chunks, two of them ended: the result of the first chunk is in
 * object storage, that of the second still in Redis.
 */
async function batchUnderWay(kind: BatchManifest['kind'] = 'batch') {
  const id = `batch_test${++made}`;
  const keys = batchKeys({ client: CLIENT, id });
  const cutOuts = [0, 1].map((row) => `out/tests/${id}/${row}.png`);
  await batches.create({
    id,
    kind,
    client: CLIENT,
    requestId: 'r',
    operations: ['remove-background'],
    outputSeconds: 60,
    createdAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + DAY_MILLIS).toISOString(),
  });
  await blobs.put(keys.manifest, Buffer.from('{}'));
  await blobs.put(keys.input(0, 'first'), Buffer.from('image'));
  for (const [chunk, first, accepted] of [
    [0, 0, 1],
    [1, 1, 2],
  ] as const) {
    await putLines(blobs, keys.rows(chunk), [{ row: first }]);
    const upload = { format: 'ndjson' as const, offset: 1, line: 1, rows: 1 };
    await batches.append(id, { chunk, first, accepted, rejected: 0, upload }, undefined);
  }
  await batches.seal(id, NOW);
  for (const [row, key] of cutOuts.entries()) {
    await blobs.put(key, Buffer.from('png'));
    const end = { row, chunk: row, chunkRows: row + 1, result: cutOutLine(row, { key }) };
    await batches.finishRow(id, { ...end, quota: 'free' });
  }
  await putLines(blobs, keys.results(0), await batches.results(id, 0));
  await batches.markWritten(id, 0);
  return { id, cutOuts };
}

async function countBlobs(id: string, cutOuts: readonly string[]): Promise<number> {
  const own: string[] = [];
  for await (const { key } of blobs.list(batchPrefix({ client: CLIENT, id }))) own.push(key);
  const heads = await Promise.all(cutOuts.map((key) => blobs.head(key)));
  return own.length + heads.filter((head) => head !== undefined).length;
}

const EVERYTHING = 7; // manifest, input, two chunks of rows, one of results, two cut-outs

describe('erasing', () => {
  test('deletes everything, in object storage and in Redis, and counts the blobs', async () => {
    const { id, cutOuts } = await batchUnderWay();
    expect(await countBlobs(id, cutOuts)).toBe(EVERYTHING);
    const erasure = await retention.erase(await record(id), NOW);
    expect(erasure).toEqual({ erasedAt: new Date(NOW).toISOString(), blobs: EVERYTHING });
    expect(await countBlobs(id, cutOuts)).toBe(0);
    expect(await batches.results(id, 1)).toEqual([]);
    const after = await record(id);
    expect(after).toMatchObject({ status: 'expired', erasure, buriedAt: erasure.erasedAt });
    expect(await retention.erase(after, NOW + 1)).toEqual(erasure);
    expect(await batches.underWay()).not.toContain(id);
  });

  test('rejects the results of late workers', async () => {
    const { id } = await batchUnderWay();
    await retention.erase(await record(id), NOW);
    const result = cutOutLine(2, { key: 'out/tests/late.png' });
    const end = { row: 2, chunk: 1, chunkRows: 2, result };
    expect(await batches.finishRow(id, { ...end, quota: 'free' })).toBe(false);
  });

  test('may be interrupted anywhere and repeated', async () => {
    for (let deletions = 0; deletions < EVERYTHING; deletions++) {
      const { id, cutOuts } = await batchUnderWay();
      let left = deletions;
      const brittle: Blobs = {
        ...blobs,
        async delete(key) {
          if (left-- <= 0) throw new Error('power failure');
          return blobs.delete(key);
        },
        deleteAll: (prefix) => deleteListed(brittle, prefix),
      };
      const broken = new BatchRetention(batches, brittle);
      await expect(broken.erase(await record(id), NOW)).rejects.toThrow('power failure');
      const { status, erasure } = await record(id);
      expect([status, erasure]).toEqual(['expired', undefined]);
      await retention.erase(await record(id), NOW);
      expect([deletions, await countBlobs(id, cutOuts)]).toEqual([deletions, 0]);
    }
  });

  test('spares the pictures of a feed', async () => {
    const { id, cutOuts } = await batchUnderWay('feed-run');
    await retention.erase(await record(id), NOW);
    expect(await countBlobs(id, cutOuts)).toBe(2);
  });
});

describe('expiring', () => {
  test('leaves a tombstone for a day, then nothing', async () => {
    const { id, cutOuts } = await batchUnderWay();
    await batches.move(id, { from: ['sealed'], to: 'canceled', fields: {}, dueAtMillis: NOW });
    await retention.expire(await record(id), NOW);
    expect(await countBlobs(id, cutOuts)).toBe(0);
    expect(await record(id)).toMatchObject({ status: 'expired' });
    expect(await batches.due(NOW + DAY_MILLIS - 1)).not.toContain(id);
    expect(await batches.due(NOW + DAY_MILLIS)).toContain(id);
    await retention.expire(await record(id), NOW + DAY_MILLIS);
    expect(await batches.get(id)).toBeUndefined();
    expect(await redis.keys(`*${id}*`)).toEqual([]);
  });

  test('spares a batch that was sealed meanwhile', async () => {
    const { id, cutOuts } = await batchUnderWay();
    const before = await record(id);
    await retention.expire({ ...before, status: 'open' }, NOW);
    expect(await record(id)).toEqual(before);
    expect(await countBlobs(id, cutOuts)).toBe(EVERYTHING);
  });
});
