import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { putSealed } from '../../src/intake/batches/batch-files.ts';
import {
  type BatchRecord,
  runCounts,
  runHeldEntry,
} from '../../src/intake/batches/batch-record.ts';
import { endBatch } from '../../src/intake/batches/end.ts';
import type { SourceMetadata } from '../../src/intake/feeds/feed-keys.ts';
import { deleteRunFiles } from '../../src/intake/feeds/feed-retention.ts';
import type { FeedRecord } from '../../src/intake/feeds/feeds.ts';
import { type FeedLoss, isLarge } from '../../src/intake/feeds/plan.ts';
import { expiryOf } from '../../src/intake/job-retention.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { JobData, JobResult } from '../../src/queue/catalog.ts';
import { type AttemptContext, isUnavailable } from '../consume-jobs.ts';
import { PoolBusy } from '../fetch/fetch-pool.ts';
import { FetchError } from '../fetch/safe-fetch.ts';
import { isFinal, withFetchPermit } from '../images/read-input.ts';
import type { WorkerServices } from '../worker-services.ts';
import { fetchFeed } from './fetch-feed.ts';
import { ingestRows, planRun } from './ingest-rows.ts';

type EndServices = Pick<WorkerServices, 'batches' | 'blobs' | 'now'>;
type ImportServices = EndServices &
  Pick<WorkerServices, 'feeds' | 'safeFetch' | 'storedBytes' | 'pools' | 'maxLossPercent'>;

/** The commonest reason for which rows are rejected. */
const commonest = (reasons: Readonly<Record<string, number>>): string =>
  Object.entries(reasons).sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'unknown';

/** Returns the problem that ends a run for good, worded for a merchandiser; undefined if a retry may help. */
function finalProblem(error: unknown, attempt: AttemptContext): Problem | undefined {
  if (isUnavailable(error) || error instanceof PoolBusy) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FeedError) {
    return new Problem('invalid-request', `The feed cannot be read: ${error.detail}`);
  }
  if (error instanceof FetchError && isFinal(error, attempt)) {
    const type = error.retryable ? 'upstream-failed' : 'invalid-request';
    return new Problem(type, `The feed was not fetched: ${error.message}`);
  }
  if (!attempt.isLast) return undefined;
  const detail = 'Reading the feed failed several times; start the run again';
  return new Problem('upstream-failed', detail, { cause: error });
}

/** Fails a run whose feed was not read completely. */
async function failRun(
  { batches, blobs, now }: EndServices,
  { id }: BatchRecord,
  { type, detail }: Problem,
): Promise<void> {
  const run = await batches.get(id);
  if (!run) return;
  const failed = { from: ['open'], to: 'failed', fields: { problem: { type, detail } } } as const;
  await endBatch({ batches, blobs }, run, failed, now());
}

/** Reads the rows of a feed when it is its client's turn, and ends or seals the run. */
async function readInTurn(
  services: ImportServices,
  feed: FeedRecord,
  run: BatchRecord,
  metadata: SourceMetadata,
  signal: AbortSignal,
): Promise<void> {
  const request = { client: feed.client, host: '' };
  const release = await services.pools.parsing.acquire(request, signal);
  try {
    if (run.dryRun) {
      const plan = await planRun(services, feed, run, metadata, signal);
      const planned = { from: ['open'], to: 'completed', fields: { plan } } as const;
      await endBatch(services, run, planned, services.now());
      return;
    }
    const read = await ingestRows(services, feed, run, metadata, signal);
    if (!read) return;
    const { etag, lastModified } = metadata;
    const { sha256, loss } = read;
    await services.feeds.update(feed.id, {
      document: { runId: run.id, etag, lastModified, sha256 },
    });
    await closeRun(services, run, loss);
  } finally {
    release();
  }
}

/** Seals a run whose feed was read, or holds it if it would lose too much. @throws Problem if all rows are rejected */
async function closeRun(
  { batches, blobs, now, maxLossPercent }: ImportServices,
  { id }: BatchRecord,
  loss: FeedLoss,
): Promise<void> {
  const run = await batches.get(id);
  if (run?.status !== 'open') return;
  if (run.accepted === 0 && run.rejected > 0) {
    const detail = `All ${run.rejected} rows are rejected, most of them for ${commonest(run.reasons)}: see the report`;
    throw new Problem('invalid-request', detail);
  }
  const nowMillis = now();
  if (!isLarge(loss, maxLossPercent)) {
    await putSealed(blobs, run, nowMillis);
    await batches.seal(id, nowMillis);
    return;
  }
  const { dueAtMillis, expiresAt } = expiryOf(run, nowMillis);
  const facts = { counts: runCounts(run), reasons: run.reasons, held: loss };
  await batches.move(id, {
    from: ['open'],
    to: 'held',
    fields: { held: loss, expiresAt },
    dueAtMillis,
    outboxEntry: runHeldEntry(run, nowMillis, facts),
  });
}

/** Fetches the feed, ingests its rows and seals the run. Returns milliseconds by step. */
async function ingest(
  services: ImportServices,
  feed: FeedRecord,
  run: BatchRecord,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const { feeds, blobs } = services;
  const startedAt = performance.now();
  const metadata = await fetchFeed(services, feed, run.id, signal);
  const fetchedAt = performance.now();
  await readInTurn(services, feed, run, metadata, signal);
  if (!(await feeds.get(feed.id))?.erasure) {
    return { fetch: fetchedAt - startedAt, rows: performance.now() - fetchedAt };
  }
  await deleteRunFiles(blobs, feed, run.id); // erased during the import
  return {};
}

/**
 * Reads the feed of a run and ingests its rows. A retry continues after the last chunk of the previous
 * attempt: the document is stored, so its chunks are the same.
 */
export const importFeed =
  (services: ImportServices) =>
  async (
    { feedId, runId }: Pick<JobData<'ingest-feed'>, 'feedId' | 'runId'>,
    signal: AbortSignal,
    attempt: AttemptContext,
  ): Promise<JobResult<'ingest-feed'>> => {
    const [feed, run] = await Promise.all([
      services.feeds.get(feedId),
      services.batches.get(runId),
    ]);
    if (!feed || feed.erasure || run?.status !== 'open') return { millis: {} };
    // An upload, too, waits for its client's turn outside of the consumer's slots.
    const link = 'url' in feed.source ? feed.source.url : '';
    const turn = { client: feed.client, attempt };
    try {
      const millis = await withFetchPermit(services.pools.feeds, turn, link, signal, () =>
        ingest(services, feed, run, signal),
      );
      return { millis };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, attempt);
      if (!final) throw error;
      await failRun(services, run, final);
      throw final;
    }
  };

/** Fails a run whose workers died too often. */
export async function failImport(services: EndServices, runId: string): Promise<void> {
  const run = await services.batches.get(runId);
  if (run?.kind !== 'feed-run') return;
  const detail = 'Reading the feed was interrupted too often; start the run again';
  await failRun(services, run, new Problem('upstream-failed', detail));
}
