import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { BATCH_STATUSES, type Batches, type BatchRecord } from '../batches/batches.ts';
import { type BatchFiles, batchRows } from '../batches/row-reader.ts';
import type { FeedRecord, Feeds } from './feeds.ts';
import { deleteSchedule } from './schedules.ts';

/** So many runs are kept, and the last completed one in any case. */
const KEPT_RUNS = 10;

/** What of a store is needed to keep a feed no longer than it may be kept. */
export interface FeedStore {
  files(client: string, runId: string): BatchFiles;
  deleteDocument(client: string, feedId: string, runId: string): Promise<number>;
  /** Rows, results and document of a run; answers how many blobs. */
  deleteRun(client: string, feedId: string, runId: string): Promise<number>;
  /** Cut-outs and pictures of which `isUsed` says no. */
  deleteImages(client: string, feedId: string, isUsed: (key: string) => boolean): Promise<number>;
  /** All that is left of a feed. */
  deleteFeed(client: string, feedId: string): Promise<number>;
}

export interface FeedRetentionDeps {
  feeds: Feeds;
  batches: Batches;
  store: FeedStore;
}

/** Keys as 48 bits of their hash, 40 bytes each; two that are taken for one keep an image too long. */
function keySet() {
  const hashes = new Set<number>();
  const hashOf = (key: string): number =>
    createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return {
    add: (key: string | undefined) => void (key !== undefined && hashes.add(hashOf(key))),
    has: (key: string): boolean => hashes.has(hashOf(key)),
  };
}

/** Deletes images that the run has no use for. */
async function pruneImages(
  { batches, store }: FeedRetentionDeps,
  feed: FeedRecord,
  run: BatchRecord,
): Promise<number> {
  const used = keySet();
  for await (const { result } of batchRows(batches, store.files(run.client, run.id), run)) {
    if (result?.status !== 'succeeded') continue;
    used.add(result.results.cutout?.key);
    used.add(result.picture?.key);
  }
  return store.deleteImages(feed.client, feed.id, used.has);
}

/** Forgets a run with its rows, results and document; answers how many blobs went. */
async function forgetRun(
  { batches, store }: FeedRetentionDeps,
  feed: FeedRecord,
  runId: string,
): Promise<number> {
  const run = await batches.get(runId);
  const deleted = await store.deleteRun(feed.client, feed.id, runId);
  for (let chunk = 0; chunk < (run?.chunks ?? 0); chunk++) await batches.dropResults(runId, chunk);
  await batches.remove(runId);
  return deleted;
}

/**
 * Makes a run the one that a feed shows, and deletes what only older ones needed. To be done before the
 * run ends, so that no other writes images meanwhile; again does the same.
 */
export async function finishRun(deps: FeedRetentionDeps, run: BatchRecord): Promise<void> {
  const { feeds } = deps;
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed || feed.erasure) return;
  const kept = feed.runs.slice(0, KEPT_RUNS);
  if (!(await feeds.change(feed.id, { lastCompletedRunId: run.id }))) return;
  await pruneImages(deps, feed, run);
  for (const old of feed.runs.slice(KEPT_RUNS)) await forgetRun(deps, feed, old);
  await feeds.change(feed.id, { runs: kept });
}

/**
 * Deletes what a feed keeps of a run whose time has passed, and all images with the last run that could
 * show them. Whatever is under way sees to its images itself.
 */
export async function expireRun(deps: FeedRetentionDeps, run: BatchRecord): Promise<void> {
  const { feeds, batches, store } = deps;
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed) return;
  await store.deleteDocument(feed.client, feed.id, run.id);
  const { lastRunId, lastCompletedRunId } = feed;
  if (lastRunId !== run.id) return;
  const shown =
    lastCompletedRunId === undefined ? undefined : await batches.get(lastCompletedRunId);
  if (shown && shown.id !== run.id && shown.status !== 'expired') return;
  await store.deleteImages(feed.client, feed.id, () => false);
}

/**
 * Erases a feed with its runs and images, whatever is under way. Doing it again goes on where it was
 * cut off, and in the end answers the same.
 */
export async function eraseFeed(
  deps: FeedRetentionDeps & { queue: Queue },
  feed: FeedRecord,
  nowMillis: number,
): Promise<{ erasedAt: string; blobs: number }> {
  const { feeds, batches, store, queue } = deps;
  const { erasedAt = new Date(nowMillis).toISOString(), blobs: before } = feed.erasure ?? {};
  if (before !== undefined) return { erasedAt, blobs: before };
  await feeds.bury(feed, { erasedAt });
  await deleteSchedule(queue, feed.id);
  let blobs = 0;
  for (const id of feed.runs) {
    // Nobody who still works on it has any use for what comes of it.
    const fields = { buriedAt: erasedAt };
    await batches.move(id, { from: BATCH_STATUSES, to: 'expired', fields, dueAtMillis: nowMillis });
    blobs += await forgetRun(deps, feed, id);
  }
  blobs += await store.deleteFeed(feed.client, feed.id);
  await feeds.bury(feed, { erasedAt, blobs });
  return { erasedAt, blobs };
}
