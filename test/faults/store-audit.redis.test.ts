import { expect, test } from 'vitest';
import { useBlobs } from '../support/use-blobs.ts';
import { useRedis } from '../support/use-redis.ts';
import { inRedis } from './fault.ts';
import { blobsWithoutRecord, recordsWithoutBlob } from './store-audit.ts';

const { server: redis } = await useRedis();
const blobs = await useBlobs();

const HELD = [
  'in/a/job_1',
  'out/a/sha/pipeline/job_1.png',
  'batches/a/batch_1/rows/000000.ndjson',
  'batches/a/run_1/batch.json',
  'feeds/a/feed_1/runs/run_1/source',
];
const ORPHAN = [
  'in/a/job_9',
  'out/a/sha/pipeline/job_2.png',
  'batches/a/batch_9/batch.json',
  'feeds/a/feed_2/feed.json',
  'sync/a/request/in',
];

test('orphan blobs are found, and records whose blob is missing', async () => {
  const made = { status: 'succeeded', results: '{"cutout":{}}' };
  await inRedis({ redis }, async (connection) => {
    const write = (name: string, facts: object) => connection.hset(`{selvage}:${name}`, facts);
    await write('job:job_1', { ...made, outputKey: '"out/a/sha/pipeline/job_1.png"' });
    await write('job:job_2', { status: 'expired', client: '"a"' });
    await write('job:job_3', { ...made, outputKey: '"out/a/sha/pipeline/job_3.png"' });
    await write('batch:batch_1', { status: 'completed', client: '"a"' });
    await write('batch:run_1', { status: 'completed', client: '"a"' });
    await write('feed-record:feed_1', { client: '"a"' });
    await write('feed-record:feed_2', { client: '"a"', erasure: '{}' });
  });
  for (const key of [...HELD, ...ORPHAN, 'epoch']) await blobs.put(key, Buffer.from('x'));
  const deps = { redis, store: { blobs } };
  expect((await blobsWithoutRecord(deps)).sort()).toEqual([...ORPHAN].sort());
  expect(await recordsWithoutBlob(deps)).toEqual(['{selvage}:job:job_3']);
});
