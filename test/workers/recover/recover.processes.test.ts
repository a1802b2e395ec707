import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sharedInstallationId } from '../../../src/intake/installation.ts';
import { writeJobManifest } from '../../../src/intake/job-manifest.ts';
import type { NewJob } from '../../../src/intake/job-records.ts';
import { jobInputKey } from '../../../src/storage/blob-keys.ts';
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts';
import { rebuildAll } from '../../../workers/recover/rebuild.ts';
import { jobs } from '../../../workers/recover/rebuilders.ts';
import { drawnShirt } from '../../support/images.ts';
import { intakeClient, type Job, readJob } from '../../support/intake.ts';
import { runProgram } from '../../support/processes.ts';
import { servicesOn } from '../../support/recovery.ts';
import { startRedis } from '../../support/redis-server.ts';
import { plantServer, serve } from '../../support/servers.ts';
import { type Stack, startStack } from '../../support/stack.ts';

describe('an installation whose Redis lost its data', () => {
  let stack: Stack;
  let redis: Redis;
  beforeAll(async () => {
    stack = await startStack({ FETCH_ALLOW: '127.0.0.0/8' });
    redis = new Redis(stack.redis.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await stack.stop();
  });

  const recover = async (...args: string[]): Promise<string> => {
    const env = { SELVAGE_HOME: stack.home, REDIS_URL: stack.redis.url };
    const running = runProgram('workers/recover/main.ts', args, env);
    expect(await running.exited).toBe(0);
    return running.output();
  };
  const client = async () => intakeClient(stack, (await stack.key()).key);
  const endsOf = (id: string): string[] =>
    stack
      .logs()
      .split('\n')
      .filter((line) => line.includes('"msg":"job"') && line.includes(id));

  /** Posts jobs of every kind while no worker runs. */
  async function acceptedJobs(): Promise<Job[]> {
    const intake = await client();
    const photo = (width: number) => drawnShirt({ width, height: 200, format: 'jpeg' });
    const server = await plantServer(serve(await photo(203)));
    const answers = [
      await intake.post(await photo(201)),
      await intake.post(await photo(202), { operations: 'remove-background,classify' }),
      await intake.post(await photo(201)),
      await intake.postJson({ imageUrl: `${server.origin}/a.jpg` }),
    ];
    return Promise.all(answers.map(readJob));
  }

  test('completes every accepted job once after the recovery', async () => {
    await stack.worker.end();
    const accepted = await acceptedJobs();
    await redis.flushall();
    const before = await (await client()).ask('GET', `/jobs/${accepted[0]?.id}`);
    expect(before.status).toBe(404);

    const counted = { rebuilt: 4, known: 0, unknown: 0 };
    const answer = JSON.parse(await recover('--json'));
    expect(answer).toMatchObject({ jobs: counted, seconds: expect.any(Number) });
    const again = await recover();
    expect(again).toMatch(/^jobs: 0 rebuilt, 4 known, 0 skipped$/m);
    expect(again).toMatch(/^Redis and the object storage belong together again/m);

    const intake = await client();
    for (const { id, operations, createdAt } of accepted)
      expect(await intake.get(id)).toMatchObject({ status: 'queued', operations, createdAt });
    await stack.startWorker();
    for (const { id } of accepted) {
      await intake.until(id, 'succeeded');
      expect((await intake.result(id)).status).toBe(200);
      await expect.poll(() => endsOf(id)).toHaveLength(1);
    }
    const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
    expect(await sharedInstallationId(redis, blobs)).toBeDefined();
    expect(stack.worker.output()).not.toContain('do not belong together');
  });

  test('warns at every start before the recovery', async () => {
    await redis.flushall();
    await stack.worker.end();
    await stack.startWorker();
    expect(stack.worker.output()).toContain('npm run recover');
  });

  test('has help for the command', async () => {
    expect(await recover('--help')).toMatch(/Usage: recover.*--json/s);
  });
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
  const server = await startRedis();
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  const dir = await mkdtemp(join(tmpdir(), 'selvage-rebuild-'));
  const blobs = await createFsBlobs({ dir });
  const deps = servicesOn(redis, blobs);
  const { jobs: records, queues } = deps;
  const queue = queues.async;
  onTestFinished(async () => {
    await deps.close();
    redis.disconnect();
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const accepted = Array.from({ length: 500 }, (_, number) => jobOf(number));
  const put = (key: string, meta = {}) =>
    blobs.put(key, Buffer.from('x'), { meta, durable: false });
  for (const job of accepted) await put(job.inputKey, { intent: writeJobManifest(job) });
  await put('in/c/job_strange', { intent: '{"client":1}' });
  await put('in/c/strange');
  const active = { ...jobOf(0), requestId: 'another' };
  await records.create(active);
  await records.begin(active.id, active.createdAt);

  const never = new AbortController().signal;
  const counts = await rebuildAll([jobs(deps)], deps, { concurrency: 8 }, never);
  expect(counts).toEqual({ jobs: { rebuilt: 499, known: 1, unknown: 2 } });
  expect(await queue.getPrioritizedCount()).toBe(499);
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
