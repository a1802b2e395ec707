import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts';
import { uploadedRow } from '../../support/batches.ts';
import { drawnShirt } from '../../support/images.ts';
import { readJob } from '../../support/intake.ts';
import { useStack } from '../../support/use-stack.ts';

const { stack, intake: client, batches } = await useStack();
const redis = new Redis(stack.redis.url, { maxRetriesPerRequest: null });
redis.on('error', () => {}); // it is cut off
afterAll(() => redis.disconnect());

const JOBS = 6;

/** Waits until the recovery has seen this Redis, so that another start of it differs. */
const untilSeen = () =>
  expect.poll(() => redis.hget('{selvage}:recovery', 'seenAtMillis')).not.toBeNull();

/** Posts a job with a photo of its own. */
const post = async (width: number) =>
  readJob(await client.post(await drawnShirt({ width, height: 200, format: 'jpeg' })));

/** Keys in object storage. */
async function stored(prefix: string): Promise<string[]> {
  const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys;
}

test('jobs that were accepted in the lost second end, those that had ended too', async () => {
  await untilSeen();
  const mark = await stack.redis.mark();
  const first = await post(201);
  const ended = await client.until(first.id, 'succeeded');
  const digest = async () => {
    const bytes = Buffer.from(await (await client.result(first.id)).arrayBuffer());
    return createHash('sha256').update(bytes).digest('hex');
  };
  const before = await digest();
  const others = await Promise.all(Array.from({ length: JOBS - 1 }, (_, i) => post(202 + i)));
  await stack.redis.powerCut(mark);

  for (const { id } of [first, ...others]) await client.until(id, 'succeeded');
  expect(await digest()).toBe(before);
  expect(await client.get(first.id)).toMatchObject({ createdAt: ended.createdAt });
  expect(stack.worker.output()).toContain('looking for what it has lost');

  // Inputs are deleted once an end has settled.
  await expect.poll(() => stored('in/')).toEqual([]);
});

test('a job of the lost second is not unknown until it was looked for', async () => {
  const never = `job_${'0'.repeat(32)}`;
  const statusOf = async (id: string) => (await client.ask('GET', `/jobs/${id}`)).status;
  await expect.poll(() => statusOf(never)).toBe(404);
  const mark = await stack.redis.mark();
  const { id } = await post(401);
  stack.worker.child.kill('SIGSTOP');
  await stack.redis.powerCut(mark);
  await expect.poll(() => redis.ping().catch(String)).toBe('PONG');
  const response = await client.ask('GET', `/jobs/${id}`);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await statusOf(never)).toBe(503);
  stack.worker.child.kill('SIGCONT');
  await client.until(id, 'succeeded');
  await expect.poll(() => statusOf(never)).toBe(404);
});

test.each([1, JOBS])(
  'rows whose images were uploaded succeed when the ends of %i are lost',
  async (ended) => {
    await untilSeen();
    const id = await batches.open();
    for (let i = 0; i < JOBS; i++) {
      const image = await drawnShirt({ width: 301 + i, height: 200 + ended, format: 'jpeg' });
      await batches.send(id, uploadedRow(`${i}`, image));
    }
    const mark = await stack.redis.mark();
    await batches.seal(id);
    const succeeded = async () => (await batches.get(id)).counts.succeeded;
    await expect.poll(succeeded, { interval: 20 }).toBeGreaterThanOrEqual(ended);
    await stack.redis.powerCut(mark);

    const batch = await batches.until(id, 'completed');
    expect(batch.counts).toMatchObject({ succeeded: JOBS, failed: 0 });
    const keys = await stored('batches/');
    expect(keys.filter((key) => key.includes(`${id}/in/`))).toEqual([]);
  },
);
