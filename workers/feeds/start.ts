import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import { FeedFiles } from '../../src/intake/feeds/feed-files.ts';
import { expireRun, finishRun } from '../../src/intake/feeds/feed-retention.ts';
import { enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { carriedFrom } from '../../src/intake/review/carry-over.ts';
import type { CarriedDecisions } from '../../src/intake/review/review-files.ts';
import type { WorkerServices } from '../worker-services.ts';
import { failImport, importFeed } from './import-feed.ts';
import { startFeedRun } from './start-run.ts';

/** Jobs taken from the queue at once. Feeds are imported outside of these slots. */
const CONCURRENT_JOBS = 2;

type StageServices = Pick<
  WorkerServices,
  'blobs' | 'feeds' | 'batches' | 'reviews' | 'queues' | 'now'
>;

/** What a feed does at each stage of its runs, which are batches. */
export class FeedRunStages {
  readonly #services: StageServices;
  readonly #retention: Parameters<typeof finishRun>[0];

  constructor(services: StageServices, graceDays: number) {
    const { blobs, feeds, batches, now } = services;
    this.#services = services;
    this.#retention = { feeds, batches, files: new FeedFiles(blobs), now, graceDays };
  }

  /** Queues the import of an open run, unless it is queued or a later run has started. */
  async read(run: BatchRecord): Promise<void> {
    const feed = await this.#services.feeds.get(run.feedId ?? '');
    const isLast = feed?.lastRunId === run.id && !feed.erasure;
    if (isLast) await enqueueIngest(this.#services.queues.feed, run);
  }

  /** Called before a run becomes `completed`. */
  finish(run: BatchRecord) {
    return finishRun(this.#retention, run);
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
    return expireRun(this.#retention, run);
  }
}

export function startFeeds(worker: WorkerServices) {
  const consumer = worker.consume(
    'feed',
    { 'ingest-feed': importFeed(worker), 'start-feed-run': startFeedRun(worker) },
    {
      concurrency: CONCURRENT_JOBS,
      onFailed: (jobId) => failImport(worker, jobId),
      unrecorded: 'feed run failure not recorded',
    },
  );
  return { ...consumer, runs: new FeedRunStages(worker, worker.graceDays) };
}
