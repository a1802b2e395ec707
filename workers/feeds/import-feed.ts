import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { batchKeys, putJson, putSealed } from '../../src/intake/batches/batch-files.ts';
import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';
import { batchEnded } from '../../src/intake/batches/links.ts';
import { feedFiles } from '../../src/intake/feeds/feed-files.ts';
import type { FeedRecord, Feeds } from '../../src/intake/feeds/feeds.ts';
import { expiryOf } from '../../src/intake/job-retention.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { JobData, JobResult } from '../../src/queue/catalog.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { FetchError } from '../fetch/safe-fetch.ts';
import { isUnavailable } from '../unavailable.ts';
import { type FetchFeedDeps, fetchFeed } from './fetch-feed.ts';
import { takeRows } from './take-rows.ts';

interface FailDeps {
  batches: Batches;
  blobs: Blobs;
}

export interface ImportFeedDeps extends FetchFeedDeps, FailDeps {
  feeds: Feeds;
}

/** What ends a run for good, in words for a merchandiser; nothing where trying again may help. */
function finalProblem(error: unknown, isLastTry: boolean): Problem | undefined {
  if (isUnavailable(error)) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FeedError) {
    return new Problem('invalid-request', `The feed cannot be read: ${error.detail}`);
  }
  if (error instanceof FetchError && (isLastTry || !error.retryable)) {
    const type = error.retryable ? 'upstream-failed' : 'invalid-request';
    return new Problem(type, `The feed was not fetched: ${error.message}`);
  }
  if (!isLastTry) return undefined;
  const detail = 'Reading the feed failed several times; start the run again';
  return new Problem('upstream-failed', detail, { cause: error });
}

/** Ends a run that was never read through. */
async function fail(
  { batches, blobs }: FailDeps,
  run: BatchRecord,
  { type, detail }: Problem,
): Promise<void> {
  const now = Date.now();
  const { dueAtMillis, expiresAt } = expiryOf(run, now);
  const finishedAt = new Date(now).toISOString();
  const fields = { problem: { type, detail }, finishedAt, expiresAt };
  const { ended } = batchKeys(run.client, run.id);
  await putJson(blobs, ended, { status: 'failed', ...fields });
  await batches.move(run.id, {
    ...{ from: ['open'], to: 'failed', fields, dueAtMillis },
    outboxEntry: batchEnded(run, 'failed', now),
  });
}

async function ingest(
  deps: ImportFeedDeps,
  feed: FeedRecord,
  run: BatchRecord,
  signal: AbortSignal,
) {
  const { feeds, batches, blobs } = deps;
  const startedAt = performance.now();
  const facts = await fetchFeed(deps, feed, run.id, signal);
  const fetchedAt = performance.now();
  const sha256 = await takeRows(deps, feed, run, facts, signal);
  if (sha256 !== undefined) {
    const { etag, lastModified } = facts;
    await feeds.change(feed.id, { document: { runId: run.id, etag, lastModified, sha256 } });
    const now = Date.now();
    await putSealed(blobs, run, now);
    await batches.seal(run.id, now);
  }
  if (!(await feeds.get(feed.id))?.erasure) {
    return { fetch: fetchedAt - startedAt, rows: performance.now() - fetchedAt };
  }
  await feedFiles(blobs).deleteRun(feed.client, feed.id, run.id); // erased while it was read
  return {};
}

/**
 * Reads the feed of a run and takes its rows in. A run that is tried again goes on where the try before
 * came to: the document is the same, so its rows are the same, chunk by chunk.
 */
export const importFeed =
  (deps: ImportFeedDeps) =>
  async (
    { feedId, runId }: JobData<'ingest-feed'>,
    signal: AbortSignal,
    isLastTry: boolean,
  ): Promise<JobResult<'ingest-feed'>> => {
    const [feed, run] = await Promise.all([deps.feeds.get(feedId), deps.batches.get(runId)]);
    if (!feed || feed.erasure || run?.status !== 'open') return { millis: {} };
    try {
      return { millis: await ingest(deps, feed, run, signal) };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, isLastTry);
      if (!final) throw error;
      await fail(deps, run, final);
      throw final;
    }
  };

/** Ends a run whose workers died under it too often. */
export async function failImport(deps: FailDeps, runId: string): Promise<void> {
  const run = await deps.batches.get(runId);
  if (run?.kind !== 'feed-run') return;
  const detail = 'Reading the feed was interrupted too often; start the run again';
  await fail(deps, run, new Problem('upstream-failed', detail));
}
