import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from 'bullmq';
import { afterAll } from 'vitest';
import { Keys } from '../../src/auth/keys.ts';
import {
  batchFiles,
  batchKeys,
  putLines,
  type RowLine,
} from '../../src/intake/batches/batch-files.ts';
import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import { Batches } from '../../src/intake/batches/batches.ts';
import { type RowOutcome, readRowOutcomes } from '../../src/intake/batches/row-reader.ts';
import { type FeedManifest, Feeds, newFeedId, newRunId } from '../../src/intake/feeds/feeds.ts';
import { FeedRuns } from '../../src/intake/feeds/runs.ts';
import { StoredBytes } from '../../src/intake/stored-bytes.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import type { AcceptedRow } from '../../src/queue/job-data.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import type { AttemptContext } from '../../workers/consume-jobs.ts';
import { importFeed } from '../../workers/feeds/import-feed.ts';
import { createFetchPools } from '../../workers/fetch/fetch-pool.ts';
import { SafeFetch } from '../../workers/fetch/safe-fetch.ts';
import { attemptOf } from './attempts.ts';
import { startRedis } from './redis-server.ts';

const log = createLog('test', 'silent');
const NEVER = new AbortController().signal;

/** The outcome of a row, as a worker would report it. */
export type FinishedRow = { picture: number; unchanged?: boolean } | { failed: string };

/** Starts everything feeds need except inference: Redis, storage and fetching from this machine. */
export async function startFeedBench(allow: readonly string[] = ['127.0.0.0/8']) {
  const redisServer = await startRedis();
  const redis = commandConnection(redisServer.url, log);
  await untilReady(redis, AbortSignal.timeout(5000));
  const folder = await mkdtemp(join(tmpdir(), 'selvage-feeds-'));
  const blobs = await createFsBlobs({ dir: folder });
  const feeds = new Feeds(redis);
  const batches = new Batches(redis, hostClock);
  const queue = openQueue('feed', redis, log);
  const limits = { headersMillis: 2000, idleMillis: 2000 };
  const safeFetch = new SafeFetch({ allow, userAgent: 'Selvage/test', limits });
  const runs = new FeedRuns({ feeds, batches, blobs, queue, now: hostClock });
  const storedBytes = new StoredBytes(redis, hostClock);
  const keys = new Keys(redis, 'a pepper for these tests', hostClock);
  const { record: key } = await keys.create({
    client: 'shop',
    scopes: ['background-removal:process'],
    allowBase64: false,
    rate: { count: 60, periodSeconds: 60 },
    quotaPerDay: 1000,
  });
  const pools = createFetchPools(1);
  const deps = {
    redis,
    blobs,
    feeds,
    batches,
    queue,
    safeFetch,
    storedBytes,
    pools,
    runs,
    now: hostClock,
    graceDays: 14,
    maxLossPercent: 100,
  };

  async function feed(more: Partial<FeedManifest>) {
    const manifest: FeedManifest = {
      id: newFeedId(),
      client: 'shop',
      requestId: 'req-1',
      source: { uploaded: true },
      format: 'auto',
      operations: ['remove-background'],
      export: {},
      outputSeconds: 86_400,
      meter: { meter: key.meter, quotaPerDay: key.quotaPerDay },
      createdAt: new Date().toISOString(),
      ...more,
    };
    await feeds.create(manifest, 1000);
    return known(manifest.id);
  }

  async function known(id: string) {
    const found = await feeds.get(id);
    if (!found) throw new Error('no such feed');
    return found;
  }

  async function run(id: string): Promise<BatchRecord> {
    const found = await batches.get(id);
    if (!found) throw new Error('no such run');
    return found;
  }

  /** Starts a run without importing it. */
  async function start(feedId: string, runId = newRunId()): Promise<string> {
    if (!(await runs.start(await known(feedId), runId, 'req-2'))) throw new Error('under way');
    return runId;
  }

  /** Imports a run's feed as a worker does; an error is recorded in the run. */
  async function read(
    feedId: string,
    runId: string,
    attempt: Partial<AttemptContext> = {},
  ): Promise<BatchRecord> {
    const data = { feedId, runId, requestId: 'req-2' };
    await importFeed(deps)(data, NEVER, attemptOf(attempt)).catch(() => {});
    return run(runId);
  }

  async function outcomes(runId: string): Promise<RowOutcome[]> {
    const record = await run(runId);
    const all: RowOutcome[] = [];
    for await (const each of readRowOutcomes({ batches, blobs }, record)) {
      all.push(each);
    }
    return all;
  }

  return {
    ...deps,
    keys,
    /** The key that pays for the feeds. */
    key,
    feed,
    known,
    run,
    start,
    read,
    outcomes,
    rows: async (runId: string): Promise<RowLine[]> =>
      (await outcomes(runId)).map(({ row }) => row),
    /** Starts a run and imports its feed. */
    startAndRead: async (feedId: string): Promise<BatchRecord> => read(feedId, await start(feedId)),
    /** Finishes every row of a run with the outcomes of `outcomeOf`, and so the run. */
    async work(
      runId: string,
      outcomeOf: (row: AcceptedRow) => FinishedRow,
      key: (picture: number) => string,
    ) {
      await finishRows(deps, await run(runId), outcomeOf, key);
      return run(runId);
    },
    jobs: (): Promise<Job[]> => queue.getJobs(),
    unfinishedFiles: (): Promise<string[]> => readdir(join(folder, 'unfinished')),
    async stop() {
      await queue.close();
      await safeFetch.close();
      redis.disconnect();
      await redisServer.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type FeedBench = Awaited<ReturnType<typeof startFeedBench>>;

/** Starts it for the tests of a file, and stops it after the last test. */
export async function useFeedBench(): Promise<FeedBench> {
  const bench = await startFeedBench();
  afterAll(() => bench.stop());
  return bench;
}

const resultOf = (row: AcceptedRow, outcome: FinishedRow, keyOf: (picture: number) => string) => {
  if ('failed' in outcome) {
    const problem = { type: 'invalid-request', detail: outcome.failed };
    return { row: row.row, status: 'failed' as const, problem };
  }
  const size = { width: 600, height: 800 };
  const sha256 = String(outcome.picture).padStart(64, '0');
  const mediaType = 'image/png' as const;
  const cutout = { ...size, bytes: 9, mediaType, sha256, model: 'm@1', confidence: 0.9 };
  return {
    row: row.row,
    status: 'succeeded' as const,
    unchanged: outcome.unchanged ?? false,
    etag: `"${outcome.picture}"`,
    input: { ...size, bytes: 7, sha256 },
    results: { cutout: { ...cutout, key: keyOf(outcome.picture) } },
  };
};

async function finishRows(
  { batches, blobs }: Pick<FeedBench, 'batches' | 'blobs'>,
  run: BatchRecord,
  outcomeOf: (row: AcceptedRow) => FinishedRow,
  keyOf: (picture: number) => string,
): Promise<void> {
  const { id, client } = run;
  for (let chunk = 0; chunk < run.chunks; chunk++) {
    const lines = await batchFiles(blobs, run).rows(chunk);
    const rows = lines.filter((line): line is AcceptedRow => 'source' in line);
    for (const row of rows) {
      const each = outcomeOf(row);
      const result = resultOf(row, each, keyOf);
      if ('picture' in each) {
        await blobs.put(keyOf(each.picture), Buffer.from('a cut-out'), { mediaType: 'image/png' });
      }
      const chunkRows = rows.length;
      await batches.finishRow(id, { row: row.row, chunk, chunkRows, result, quota: 'free' });
    }
    await putLines(
      blobs,
      batchKeys({ client, id }).results(chunk),
      await batches.results(id, chunk),
    );
    await batches.markWritten(id, chunk);
  }
}
