import { FeedError } from '../../src/feed/feed-error.ts';
import type { Batches, BatchRecord } from '../../src/jobs/batches/batches.ts';
import { batchEnded } from '../../src/jobs/batches/links.ts';
import type { JobData, JobResult } from '../../src/jobs/catalog.ts';
import type { FeedRecord, Feeds } from '../../src/jobs/feeds/feeds.ts';
import { expiryOf } from '../../src/jobs/keeping.ts';
import { Problem } from '../../src/problem.ts';
import { batchKeys, putFacts, putSealed } from '../../src/store/batch-files.ts';
import type { Blobs } from '../../src/store/blobs.ts';
import { feedStore } from '../../src/store/feed-store.ts';
import { isAway } from '../away.ts';
import { FetchRefused } from '../safe-fetch.ts';
import { type FetchFeedParts, fetchFeed } from './fetch-feed.ts';
import { takeRows } from './take-rows.ts';

interface FailParts {
  batches: Batches;
  blobs: Blobs;
}

export interface ImportFeedParts extends FetchFeedParts, FailParts {
  feeds: Feeds;
}

/** What ends a run for good, in words for a merchandiser; nothing where trying again may help. */
function finalProblem(error: unknown, isLastTry: boolean): Problem | undefined {
  if (isAway(error)) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FeedError) {
    return new Problem('invalid-request', `The feed cannot be read: ${error.detail}`);
  }
  if (error instanceof FetchRefused && (isLastTry || !error.retryable)) {
    const type = error.retryable ? 'upstream-failed' : 'invalid-request';
    return new Problem(type, `The feed was not fetched: ${error.message}`);
  }
  if (!isLastTry) return undefined;
  const detail = 'Reading the feed failed several times; start the run again';
  return new Problem('upstream-failed', detail, { cause: error });
}

/** Ends a run that was never read through. */
async function fail(
  { batches, blobs }: FailParts,
  run: BatchRecord,
  { type, detail }: Problem,
): Promise<void> {
  const now = Date.now();
  const { dueAtMillis, expiresAt } = expiryOf(run, now);
  const finishedAt = new Date(now).toISOString();
  const fields = { problem: { type, detail }, finishedAt, expiresAt };
  const { ended } = batchKeys(run.client, run.id);
  await putFacts(blobs, ended, { status: 'failed', ...fields });
  await batches.move(run.id, {
    ...{ from: ['open'], to: 'failed', fields, dueAtMillis },
    outboxEntry: batchEnded(run, 'failed', now),
  });
}

async function ingest(
  parts: ImportFeedParts,
  feed: FeedRecord,
  run: BatchRecord,
  signal: AbortSignal,
) {
  const { feeds, batches, blobs } = parts;
  const startedAt = performance.now();
  const facts = await fetchFeed(parts, feed, run.id, signal);
  const fetchedAt = performance.now();
  const sha256 = await takeRows(parts, feed, run, facts, signal);
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
  await feedStore(blobs).deleteRun(feed.client, feed.id, run.id); // erased while it was read
  return {};
}

/**
 * Reads the feed of a run and takes its rows in. A run that is tried again goes on where the try before
 * came to: the document is the same, so its rows are the same, chunk by chunk.
 */
export const importFeed =
  (parts: ImportFeedParts) =>
  async (
    { feedId, runId }: JobData<'ingest-feed'>,
    signal: AbortSignal,
    isLastTry: boolean,
  ): Promise<JobResult<'ingest-feed'>> => {
    const [feed, run] = await Promise.all([parts.feeds.get(feedId), parts.batches.get(runId)]);
    if (!feed || feed.erasure || run?.status !== 'open') return { millis: {} };
    try {
      return { millis: await ingest(parts, feed, run, signal) };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, isLastTry);
      if (!final) throw error;
      await fail(parts, run, final);
      throw final;
    }
  };

/** Ends a run whose workers died under it too often. */
export async function giveUpImport(parts: FailParts, runId: string): Promise<void> {
  const run = await parts.batches.get(runId);
  if (run?.kind !== 'feed-run') return;
  const detail = 'Reading the feed was interrupted too often; start the run again';
  await fail(parts, run, new Problem('upstream-failed', detail));
}
