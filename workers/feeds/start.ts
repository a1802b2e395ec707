import type { Redis } from 'ioredis';
import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';
import { feedFiles, runManifests } from '../../src/intake/feeds/feed-files.ts';
import { expireRun, finishRun } from '../../src/intake/feeds/feed-retention.ts';
import type { Feeds } from '../../src/intake/feeds/feeds.ts';
import { createFeedRuns, enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { createScheduledRuns } from '../../src/intake/feeds/scheduled-runs.ts';
import { carriedFrom } from '../../src/intake/review/carry-over.ts';
import { createReviewDecisions } from '../../src/intake/review/decisions.ts';
import type { StoredBytes } from '../../src/intake/stored-bytes.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { Consume } from '../consume-jobs.ts';
import type { FetchPools } from '../fetch/fetch-pools.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import { failImport, importFeed } from './import-feed.ts';
import { startFeedRun } from './start-run.ts';

/** Jobs taken from the queue at once. Feeds are imported outside of these slots. */
const CONCURRENT_JOBS = 2;

interface StartFeedsDeps {
  consume: Consume;
  redis: Redis;
  blobs: Blobs;
  feeds: Feeds;
  batches: Batches;
  safeFetch: SafeFetch;
  storedBytes: StoredBytes;
  pools: FetchPools;
  log: Logger;
  /** Redis's time. */
  now: Clock;
  /** How long a published picture outlasts its row. */
  graceDays: number;
  /** A run that would lose a larger share of rows or pictures is held. */
  maxLossPercent: number;
}

/** Starts consuming the jobs that start feed runs and import feeds. */
export function startFeeds(deps: StartFeedsDeps) {
  const { consume, redis, blobs, feeds, batches, safeFetch, storedBytes, pools, log, now } = deps;
  const queue = openQueue('feed', redis, log);
  const runs = createFeedRuns({ feeds, batches, queue, now, ...runManifests(blobs) });
  const scheduledRuns = createScheduledRuns({ redis, feeds, runs, storedBytes, now });
  const consumer = consume(
    'feed',
    {
      'ingest-feed': importFeed({
        feeds,
        batches,
        blobs,
        safeFetch,
        storedBytes,
        pools,
        now,
        maxLossPercent: deps.maxLossPercent,
      }),
      'start-feed-run': startFeedRun({ feeds, scheduledRuns }),
    },
    {
      concurrency: CONCURRENT_JOBS,
      onFailed(jobId) {
        failImport({ batches, blobs, now }, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'feed run failure not recorded'),
        );
      },
    },
  );
  const carryOver = { blobs, decisions: createReviewDecisions(redis) };
  const retention = { feeds, batches, files: feedFiles(blobs), now, graceDays: deps.graceDays };
  return {
    cancel: consumer.cancel,
    /** What a feed does at each stage of its runs. */
    runs: {
      /** Queues the import of an open run, unless it is queued or a later run has started. */
      async read(run: BatchRecord): Promise<void> {
        const feed = await feeds.get(run.feedId ?? '');
        if (feed?.lastRunId === run.id && !feed.erasure) await enqueueIngest(queue, run);
      },
      finish: (run: BatchRecord): Promise<void> => finishRun(retention, run),
      async carriedInto({ id, feedId = '' }: BatchRecord) {
        const before = (await feeds.get(feedId))?.lastCompletedRunId;
        const isOther = before !== undefined && before !== id;
        return carriedFrom(carryOver, isOther ? await batches.get(before) : undefined);
      },
      expire: (run: BatchRecord): Promise<void> => expireRun(retention, run),
    },
    async close(): Promise<void> {
      await consumer.close();
      await queue.close();
    },
  };
}
