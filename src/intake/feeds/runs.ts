import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { JOBS } from '../../queue/catalog.ts';
import { retryFailed } from '../../queue/queue.ts';
import {
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchManifest,
  type BatchRecord,
} from '../batches/batches.ts';
import type { FeedRecord, Feeds } from './feeds.ts';

/** A run that nobody reads in for so long is given up. */
const READING_MILLIS = 86_400_000;

export interface FeedRunDeps {
  feeds: Feeds;
  batches: Batches;
  /** The queue `feed`. */
  queue: Queue;
  /** Keeps what a run is in the store. */
  keepIntent(run: BatchManifest): Promise<void>;
  /** Undoes it. */
  dropIntent(run: Pick<BatchManifest, 'client' | 'id'>): Promise<void>;
}

/** Has a run's feed read; a run whose reading waits in the queue already stays as it is, and one that failed there is tried again. */
export async function enqueueIngest(
  queue: Queue,
  { id: runId, feedId = '', requestId }: Pick<BatchManifest, 'id' | 'feedId' | 'requestId'>,
): Promise<void> {
  const { attempts, backoffMillis: delay } = JOBS['ingest-feed'];
  const options = { jobId: runId, attempts, backoff: { type: 'exponential', delay } };
  await retryFailed(await queue.add('ingest-feed', { feedId, runId, requestId }, options));
}

/** The run that a scheduled job starts: the same one however often the job is tried. */
export const scheduledRunId = (jobId: string): string =>
  `run_${createHash('sha256').update(jobId).digest('hex').slice(0, 32)}`;

function runIntent(feed: FeedRecord, runId: string, requestId: string, now: Date): BatchManifest {
  const { client, operations, outputSeconds, inputSeconds, recordSeconds, webhook, meter } = feed;
  const { background } = feed.export;
  const { options } = feed;
  return {
    ...{ id: runId, kind: 'feed-run', client, requestId, operations, outputSeconds, meter },
    createdAt: now.toISOString(),
    ...(inputSeconds !== undefined && { inputSeconds }),
    ...(recordSeconds !== undefined && { recordSeconds }),
    ...(webhook && { webhook }),
    ...(background && { background }),
    ...(options && { options }),
    feedId: feed.id,
  };
}

/** Starts runs of feeds, one of a feed at a time. */
export function createFeedRuns({ feeds, batches, queue, keepIntent, dropIntent }: FeedRunDeps) {
  /** The run of a feed that has not ended; its reading is seen to on the way. */
  async function underWay({ lastRunId }: FeedRecord): Promise<BatchRecord | undefined> {
    const run = lastRunId === undefined ? undefined : await batches.get(lastRunId);
    if (!run || BATCH_TERMINAL_STATUSES.includes(run.status)) return undefined;
    if (run.status === 'open') await enqueueIngest(queue, run);
    return run;
  }

  /** The run is there before the feed names it: what a feed names can be asked about. */
  async function make(feed: FeedRecord, runId: string, requestId: string): Promise<boolean> {
    if (!(await batches.get(runId))) {
      const now = new Date();
      const run = runIntent(feed, runId, requestId, now);
      const expiresAt = new Date(now.getTime() + READING_MILLIS).toISOString();
      await keepIntent(run);
      await batches.create({ ...run, expiresAt });
    }
    if (await feeds.claimRun(feed, runId)) return true;
    await batches.remove(runId);
    await dropIntent({ client: feed.client, id: runId });
    return false;
  }

  return {
    underWay,

    /**
     * Starts a run, or sees to it that one which was started before is read. Answers false where another
     * run is under way.
     */
    async start(feed: FeedRecord, runId: string, requestId: string): Promise<boolean> {
      if (!feed.runs.includes(runId)) {
        if (await underWay(feed)) return false;
        if (!(await make(feed, runId, requestId))) return false;
      }
      const run = await batches.get(runId);
      if (run?.status === 'open') await enqueueIngest(queue, run);
      return true;
    },
  };
}

export type FeedRuns = ReturnType<typeof createFeedRuns>;
