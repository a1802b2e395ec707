import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { Redis } from 'ioredis';
import { writeJobManifest } from '../src/intake/job-manifest.ts';
import { jobInputKey } from '../src/storage/blob-keys.ts';
import type { Blobs } from '../src/storage/blobs.ts';
import { createFsBlobs } from '../src/storage/fs-blobs.ts';
import { createS3Blobs } from '../src/storage/s3-blobs.ts';
import { servicesOn } from '../test/support/recovery.ts';
import { startRedis } from '../test/support/redis-server.ts';
import { removeBucket } from '../test/support/s3-stack.ts';
import { testS3 } from '../test/support/services.ts';
import { CONCURRENCY, rebuildAll } from '../workers/recover/rebuild.ts';
import { openRebuilders } from '../workers/recover/rebuilders.ts';
import { printFigures } from './print-figures.ts';

const INPUT_BYTES = 1000;
const never = new AbortController().signal;

/** Stores what the gateway stores of jobs before it answers. */
async function storeJobs(blobs: Blobs, count: number): Promise<void> {
  const bytes = Buffer.alloc(INPUT_BYTES);
  const at = new Date();
  const times = { createdAt: at.toISOString(), expiresAt: new Date(+at + 3_600_000).toISOString() };
  const store = async (i: number): Promise<void> => {
    const id = `job_${String(i).padStart(32, '0')}`;
    const inputKey = jobInputKey('acme', id);
    const rest = { requestId: 'r', outputSeconds: 3600, ...times };
    const job = { id, client: 'acme', operations: ['classify' as const], inputKey, ...rest };
    await blobs.put(inputKey, bytes, { meta: { intent: writeJobManifest(job) }, durable: false });
  };
  for (let i = 0; i < count; i += CONCURRENCY) {
    const some = Array.from({ length: Math.min(CONCURRENCY, count - i) }, (_, j) => store(i + j));
    await Promise.all(some);
  }
}

async function openStore(name: string): Promise<{ blobs: Blobs; remove(): Promise<void> }> {
  if (name !== 's3') {
    const dir = await mkdtemp(join(tmpdir(), 'selvage-recovery-'));
    return { blobs: await createFsBlobs({ dir }), remove: () => rm(dir, { recursive: true }) };
  }
  const s3 = await testS3();
  if (typeof s3 === 'string') throw new Error(s3);
  const bucket = `selvage-recovery-${process.pid}`;
  return {
    blobs: await createS3Blobs({ ...s3, bucket }),
    remove: () => removeBucket(s3, bucket),
  };
}

/** Prints how long jobs that Redis has lost take until they are restored, and to be compared when none is missing. */
export async function run(argv: string[]): Promise<void> {
  const { jobs, store, json } = new Command('bench recovery')
    .option('--jobs <n>', 'jobs that Redis has lost', Number, 10_000)
    .option('--store <fs|s3>', 'files, or the S3 server of AWS_ENDPOINT_URL_S3', 'fs')
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<{ jobs: number; store: string; json: boolean }>();
  const server = await startRedis();
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  const { blobs, remove } = await openStore(store);
  try {
    await storeJobs(blobs, jobs);
    const services = servicesOn(redis, blobs);
    const seconds: number[] = [];
    for (const _ of ['lost', 'known']) {
      const startedAt = performance.now();
      const pass = { concurrency: CONCURRENCY };
      const counts = await rebuildAll(openRebuilders(services), services, pass, never);
      seconds.push((performance.now() - startedAt) / 1000);
      const { rebuilt = 0, known = 0 } = counts.jobs ?? {};
      if (rebuilt + known !== jobs) throw new Error(`${rebuilt} rebuilt and ${known} known`);
    }
    await services.close();
    const [lost = 0, known = 0] = seconds;
    printFigures(
      {
        [`${jobs} jobs lost: restored after s`]: Number(lost.toFixed(1)),
        'nothing lost: compared after s': Number(known.toFixed(1)),
      },
      json,
    );
  } finally {
    redis.disconnect();
    await server.stop();
    await remove();
  }
}
