import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { retriesOf } from '../../queue/catalog.ts';
import { ensureQueued, type JobQueue } from '../../queue/queue.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { batchKeys, putJson } from '../batches/batch-files.ts';
import type { BatchRecord } from '../batches/batch-record.ts';
import { BATCH_TERMINAL_STATUSES, BatchManifest } from '../batches/batch-record.ts';
import { type Batches, endBatch } from '../batches/batches.ts';
import type { FeedRecord, Feeds } from './feeds.ts';

/** A run whose feed is not ingested in this time expires. */
const INGEST_MILLIS = 86_400_000;

interface FeedRunDeps {
  feeds: Feeds;
  batches: Batches;
  /** A run is restored from its manifest if Redis loses its data. */
  blobs: Pick<Blobs, 'put' | 'delete'>;
  queue: JobQueue;
  now: Clock;
}

/** Queues the ingestion of a run's feed. One that is queued already stays as it is; one that failed is retried. */
export async function enqueueIngest(
  queue: JobQueue,
  run: Pick<BatchManifest, 'id' | 'feedId' | 'requestId' | 'client' | 'weight'>,
): Promise<void> {
  const { id: runId, feedId = '', requestId, client, weight = 1 } = run;
  const opts = { jobId: runId, ...retriesOf('ingest-feed') };
  const data = { feedId, runId, requestId, client, weight };
  await ensureQueued(queue, { name: 'ingest-feed', data, opts });
}

/** The id of the run that a scheduled job starts: the same for every attempt of the job. */
export const scheduledRunId = (jobId: string): string =>
  `run_${createHash('sha256').update(jobId).digest('hex').slice(0, 32)}`;

/** Returns the run of a feed: what it has from the feed, as it is now. @param isDry only counts what it would do */
function toRunManifest(
  feed: FeedRecord,
  run: Pick<BatchManifest, 'id' | 'requestId'>,
  nowMillis: number,
  isDry: boolean,
): BatchManifest {
  return BatchManifest.parse({
    ...feed,
    ...run,
    kind: 'feed-run',
    feedId: feed.id,
    createdAt: new Date(nowMillis).toISOString(),
    background: feed.export.background || undefined,
    reading: feed,
    ...(isDry && { dryRun: true, webhook: undefined }),
  });
}

/** Starts runs of feeds. Each feed has at most one run under way. */
export class FeedRuns {
  readonly #services;

  constructor(services: FeedRunDeps) {
    this.#services = services;
  }

  /** Returns the run of a feed that has not ended, and makes sure that its ingestion is queued. */
  async underWay({ lastRunId }: FeedRecord): Promise<BatchRecord | undefined> {
    const run = lastRunId === undefined ? undefined : await this.#services.batches.get(lastRunId);
    if (!run || ['held', ...BATCH_TERMINAL_STATUSES].includes(run.status)) return undefined;
    if (run.status === 'open') await enqueueIngest(this.#services.queue, run);
    return run;
  }

  /** Ends a held run in whose place another has started. */
  async #supersede(runId: string): Promise<void> {
    const held = await this.#services.batches.get(runId);
    if (held?.status !== 'held') return;
    const problem = {
      type: 'conflict',
      detail: 'A later run took its place before it was confirmed',
    };
    const canceled = { from: ['held'], to: 'canceled', fields: { problem } } as const;
    await endBatch({ batches: this.#services.batches }, held, canceled, this.#services.now());
  }

  /** Creates the run before the feed refers to it: a run that a feed lists can be read. */
  async #create(feed: FeedRecord, runId: string, requestId: string, isDry: boolean) {
    if (!(await this.#services.batches.get(runId))) {
      const nowMillis = this.#services.now();
      const run = toRunManifest(feed, { id: runId, requestId }, nowMillis, isDry);
      const expiresAt = new Date(nowMillis + INGEST_MILLIS).toISOString();
      await putJson(this.#services.blobs, batchKeys(run).manifest, run);
      await this.#services.batches.create({ ...run, expiresAt });
    }
    if (await this.#services.feeds.claimRun(feed, runId)) {
      if (feed.lastRunId !== undefined) await this.#supersede(feed.lastRunId);
      return true;
    }
    await this.#services.batches.remove(runId);
    await this.#services.blobs.delete(batchKeys({ client: feed.client, id: runId }).manifest);
    return false;
  }

  /**
   * Starts a run, or makes sure that the ingestion of a started one is queued. Returns false if another
   * run is under way.
   * @param isDry only counts what it would do
   */
  async start(feed: FeedRecord, runId: string, requestId: string, isDry = false): Promise<boolean> {
    if (!feed.runs.includes(runId)) {
      if (await this.underWay(feed)) return false;
      if (!(await this.#create(feed, runId, requestId, isDry))) return false;
    }
    const run = await this.#services.batches.get(runId);
    if (run?.status === 'open') await enqueueIngest(this.#services.queue, run);
    return true;
  }
}
