import type { Redis } from 'ioredis';
import type { BatchRecord } from '../../src/intake/batches/batches.ts';
import { runManifests } from '../../src/intake/feeds/feed-files.ts';
import { createFeedRuns, enqueueIngest } from '../../src/intake/feeds/runs.ts';
import type { Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { JobFact } from '../attempt.ts';
import { takeJobs } from '../take-jobs.ts';
import { failImport, type ImportFeedDeps, importFeed } from './import-feed.ts';
import { startFeedRun } from './start-run.ts';

/** Feeds read at once; one takes a core while its rows are parsed, and waits most of the time. */
const FEEDS_AT_ONCE = 2;

export interface FeedJobDeps extends ImportFeedDeps {
  redis: Redis;
  /** For taking jobs; used for nothing else from now on. */
  blocking: Redis;
  log: Logger;
  done(fact: JobFact): void;
  /** Epoch milliseconds, as Redis has it. */
  now(): number;
}

/** Everything a worker does for feeds before their rows are worked on. */
export function startFeeds(deps: FeedJobDeps) {
  const { redis, feeds, batches, blobs, log } = deps;
  const queue = openQueue('feed', redis, log);
  const runs = createFeedRuns({ feeds, batches, queue, ...runManifests(blobs) });
  const taker = takeJobs(
    'feed',
    { 'ingest-feed': importFeed(deps), 'start-feed-run': startFeedRun({ feeds, runs }) },
    {
      ...{ connection: deps.blocking, concurrency: FEEDS_AT_ONCE, log },
      ...{ done: deps.done, now: deps.now },
      givenUp(jobId) {
        failImport(deps, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'end of a feed run not written'),
        );
      },
    },
  );
  return {
    cancel: taker.cancel,
    /** Sees to it that the feed of an open run is read, where the feed knows of the run. */
    async readRun(run: BatchRecord): Promise<void> {
      const feed = await feeds.get(run.feedId ?? '');
      if (feed?.lastRunId === run.id && !feed.erasure) await enqueueIngest(queue, run);
    },
    async close(): Promise<void> {
      await taker.close();
      await queue.close();
    },
  };
}
