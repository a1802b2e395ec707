import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import { expireRun, finishRun } from '../../src/intake/feeds/feed-retention.ts';
import { enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { startScheduledRun } from '../../src/intake/feeds/schedules.ts';
import { carriedFrom } from '../../src/intake/review/carry-over.ts';
import type { CarriedDecisions } from '../../src/intake/review/review-files.ts';
import type { Services } from '../../src/services.ts';
import type { Processor } from '../consume-jobs.ts';
import type { WorkerServices } from '../worker-services.ts';

/**
 * Starts a scheduled run of a feed, unless the previous one is still running or its key does not allow
 * it. The job id contains the scheduled time, so a retry does not start a second run.
 */
export const startFeedRun =
  (
    services: Pick<Services, 'redis' | 'feeds' | 'runs' | 'storedBytes' | 'now'>,
  ): Processor<'start-feed-run'> =>
  async ({ feedId, requestId }, _signal, { jobId }) => {
    const feed = await services.feeds.get(feedId);
    if (feed && !feed.erasure) {
      await startScheduledRun(services.runs, services, feed, jobId, requestId);
    }
    return { millis: {} };
  };

type StageServices = Pick<
  WorkerServices,
  'blobs' | 'feeds' | 'batches' | 'reviews' | 'queues' | 'now' | 'graceDays'
>;

/** What a feed does at each stage of its runs, which are batches. */
export class FeedRunStages {
  readonly #services: StageServices;

  constructor(services: StageServices) {
    this.#services = services;
  }

  /** Queues the import of an open run, unless it is queued or a later run has started. */
  async read(run: BatchRecord): Promise<void> {
    const feed = await this.#services.feeds.get(run.feedId ?? '');
    const isLast = feed?.lastRunId === run.id && !feed.erasure;
    if (isLast) await enqueueIngest(this.#services.queues.feed, run);
  }

  /** Called before a run becomes `completed`. */
  finish(run: BatchRecord) {
    return finishRun(this.#services, run);
  }

  /** Returns what people decided in the run before. */
  async carriedInto({ id, feedId = '' }: BatchRecord): Promise<CarriedDecisions> {
    const { feeds, batches } = this.#services;
    const before = (await feeds.get(feedId))?.lastCompletedRunId;
    const isOther = before !== undefined && before !== id;
    return carriedFrom(this.#services, isOther ? await batches.get(before) : undefined);
  }

  /** Deletes what a feed retains for an expired run. */
  expire(run: BatchRecord) {
    return expireRun(this.#services, run);
  }
}
