import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { BATCH_STATUSES, type Batches, type BatchRecord } from '../batches/batches.ts';
import { readRowOutcomes } from '../batches/row-reader.ts';
import { Erasure, erasureOf } from '../erasure.ts';
import { garmentKeys } from '../garment-files.ts';
import type { FeedFiles } from './feed-files.ts';
import { feedGarmentsPrefix } from './feed-keys.ts';
import type { FeedRecord, Feeds } from './feeds.ts';
import { deleteSchedule } from './schedules.ts';

/*
 * Owns the deletion of feeds: their images and documents, runs beyond the last ten, and whole feeds on
 * request. A single run expires in the workers' sweep, which calls `expire` of `batches/batch-retention.ts`
 * and then `expireRun` here.
 */

/** How many runs a feed retains; the last completed one is retained in any case. */
const MAX_RUNS = 10;

interface FeedRetentionDeps {
  feeds: Feeds;
  batches: Batches;
  files: FeedFiles;
}

/**
 * A set of keys by 48 bits of their hash, about 40 bytes each. A collision only retains an unused image.
 */
function createKeySet() {
  const hashes = new Set<number>();
  const hash = (key: string): number => createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return {
    add: (key: string | undefined) => void (key !== undefined && hashes.add(hash(key))),
    has: (key: string): boolean => hashes.has(hash(key)),
  };
}

/** Deletes the images that a run does not use; returns how many. */
async function deleteUnusedImages(
  { batches, files }: FeedRetentionDeps,
  feed: FeedRecord,
  run: BatchRecord,
): Promise<number> {
  const used = createKeySet();
  for (const key of await files.mendedImages(run.client, run.id)) used.add(key);
  for await (const { result } of readRowOutcomes(
    batches,
    files.runFiles(run.client, run.id),
    run,
  )) {
    if (result?.status !== 'succeeded') continue;
    used.add(result.results.cutout?.key);
    used.add(result.picture?.key);
    const prefix = feedGarmentsPrefix(feed.client, feed.id, result.input.sha256);
    for (const key of garmentKeys(prefix, result.results.outfit)) used.add(key);
  }
  return files.deleteImages(feed.client, feed.id, used.has);
}

/** Removes a run with its rows, results and document; returns how many blobs were deleted. */
async function removeRun(
  { batches, files }: FeedRetentionDeps,
  feed: FeedRecord,
  runId: string,
): Promise<number> {
  const run = await batches.get(runId);
  const deleted = await files.deleteRun(feed.client, feed.id, runId);
  for (let chunk = 0; chunk < (run?.chunks ?? 0); chunk++) await batches.dropResults(runId, chunk);
  await batches.remove(runId);
  return deleted;
}

/**
 * Makes a run the one that its feed shows, and deletes what only older runs needed. Called before the run
 * ends, so that no other run writes images meanwhile; may be repeated.
 */
export async function finishRun(deps: FeedRetentionDeps, run: BatchRecord): Promise<void> {
  const { feeds } = deps;
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed || feed.erasure) return;
  const runs = feed.runs.slice(0, MAX_RUNS);
  if (!(await feeds.update(feed.id, { lastCompletedRunId: run.id }))) return;
  await deleteUnusedImages(deps, feed, run);
  for (const old of feed.runs.slice(MAX_RUNS)) await removeRun(deps, feed, old);
  await feeds.update(feed.id, { runs });
}

/**
 * Deletes the feed document of an expired run, and with the last run that could show them all images of
 * the feed. A run under way deletes its own.
 */
export async function expireRun(deps: FeedRetentionDeps, run: BatchRecord): Promise<void> {
  const { feeds, batches, files } = deps;
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed) return;
  await files.deleteDocument(feed.client, feed.id, run.id);
  const { lastRunId, lastCompletedRunId } = feed;
  if (lastRunId !== run.id) return;
  const shown =
    lastCompletedRunId === undefined ? undefined : await batches.get(lastCompletedRunId);
  if (shown && shown.id !== run.id && shown.status !== 'expired') return;
  await files.deleteImages(feed.client, feed.id, () => false);
}

/**
 * Erases a feed with its runs and images, in any state. Repeated, it resumes where it was interrupted,
 * and then returns the same receipt.
 */
export async function eraseFeed(
  deps: FeedRetentionDeps & { queue: Queue },
  feed: FeedRecord,
  nowMillis: number,
): Promise<Erasure> {
  const { feeds, batches, files, queue } = deps;
  const receipt = Erasure.safeParse(feed.erasure).data;
  if (receipt) return receipt;
  const { erasedAt = new Date(nowMillis).toISOString() } = feed.erasure ?? {};
  await feeds.markErased(feed, { erasedAt });
  await deleteSchedule(queue, feed.id);
  let blobs = 0;
  for (const id of feed.runs) {
    // Stops workers: results of an expired run are rejected.
    const fields = { buriedAt: erasedAt };
    await batches.move(id, { from: BATCH_STATUSES, to: 'expired', fields, dueAtMillis: nowMillis });
    blobs += await removeRun(deps, feed, id);
  }
  blobs += await files.deleteFeed(feed.client, feed.id);
  const erasure = erasureOf(files, erasedAt, blobs);
  await feeds.markErased(feed, erasure);
  return erasure;
}
