import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Clock } from '../../platform/clock.ts';
import { BATCH_STATUSES, type BatchRecord } from '../batches/batch-record.ts';
import type { Batches } from '../batches/batches.ts';
import { readRowOutcomes } from '../batches/row-reader.ts';
import { Erasure, erasureOf } from '../erasure.ts';
import { garmentKeys } from '../garment-files.ts';
import type { FeedFiles, UnusedRule } from './feed-files.ts';
import { feedGarmentsPrefix, feedPhotoKey } from './feed-keys.ts';
import type { FeedRecord, Feeds } from './feeds.ts';
import { type KeptRow, photoKey, previousRow } from './kept-rows.ts';
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

/** How long a published picture outlasts its row. */
interface Grace {
  /** Redis's time. */
  now: Clock;
  graceDays: number;
}

const DAY_MILLIS = 86_400_000;

/** A set of keys by 48 bits of their hash, about 40 bytes each. A collision only retains an unused image. */
function createKeySet() {
  const hashes = new Set<number>();
  const hash = (key: string): number => createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return {
    add: (key: string | undefined) => void (key !== undefined && hashes.add(hash(key))),
    has: (key: string): boolean => hashes.has(hash(key)),
  };
}

/** Returns what a run uses: the keys of its images, and `sha256:` with the hash of each cut-out. */
async function collectUsed(
  { batches, files }: FeedRetentionDeps,
  feed: FeedRecord,
  run: BatchRecord,
) {
  const used = createKeySet();
  const { client, id } = run;
  for await (const { result } of readRowOutcomes(batches, files.runFiles(client, id), run)) {
    if (result?.status !== 'succeeded') continue;
    const { results, picture, input, photo } = result;
    if (photo) used.add(feedPhotoKey(feed.client, feed.id, photo));
    used.add(photoKey(result));
    used.add(picture?.key);
    used.add(results.cutout && `sha256:${results.cutout.sha256}`);
    const prefix = feedGarmentsPrefix(feed.client, feed.id, input.sha256);
    for (const key of garmentKeys(prefix, results.outfit)) used.add(key);
  }
  for (const { original, versions } of await files.mended(client, id)) {
    if (!used.has(`sha256:${original}`)) continue;
    for (const { key, picture } of versions) for (const each of [key, picture?.key]) used.add(each);
  }
  return used;
}

type KeySet = ReturnType<typeof createKeySet>;

/** Yields the rows whose photos a run does not show and that are still in their time of grace, the newest last. */
async function* rowsLeft(
  { batches, files }: FeedRetentionDeps,
  feed: FeedRecord,
  run: BatchRecord,
  used: KeySet,
  { nowMillis, graceMillis }: Omit<UnusedRule, 'isUsed'>,
): AsyncGenerator<KeptRow> {
  for await (const row of files.keptRows(feed.client, feed.id)) {
    const isOver = Date.parse(row.since) + graceMillis <= nowMillis;
    if (!isOver && !used.has(photoKey(row.photo))) yield row;
  }
  const { lastCompletedRunId: last } = feed;
  const before = last === undefined || last === run.id ? undefined : await batches.get(last);
  if (!before || before.status === 'expired') return;
  const since = new Date(nowMillis).toISOString();
  const outcomes = readRowOutcomes(batches, files.runFiles(feed.client, before.id), before);
  for await (const outcome of outcomes) {
    const row = previousRow(outcome);
    if (row && !used.has(photoKey(row.photo))) yield { ...row, since };
  }
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
 * Makes a run the one that its feed shows, and deletes what only older runs needed: images after their time of
 * grace. Called before the run ends, so that no other run writes images meanwhile; may be repeated.
 */
export async function finishRun(deps: FeedRetentionDeps & Grace, run: BatchRecord): Promise<void> {
  const { feeds } = deps;
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed || feed.erasure) return;
  const runs = feed.runs.slice(0, MAX_RUNS);
  const used = await collectUsed(deps, feed, run);
  const graceMillis = Math.min(deps.graceDays * DAY_MILLIS, feed.outputSeconds * 1000);
  const rule = { isUsed: used.has, nowMillis: deps.now(), graceMillis };
  await deps.files.putKept(feed.client, feed.id, rowsLeft(deps, feed, run, used, rule));
  if (!(await feeds.update(feed.id, { lastCompletedRunId: run.id }))) return;
  await deps.files.deleteUnused(feed.client, feed.id, rule);
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
  await files.deleteImages(feed.client, feed.id);
}

/**
 * Erases a feed with its runs and images, in any state. Repeated, it resumes where it was interrupted,
 * and then returns the same receipt.
 */
export async function eraseFeed(
  { feeds, batches, files }: FeedRetentionDeps,
  queue: Queue,
  feed: FeedRecord,
  nowMillis: number,
): Promise<Erasure> {
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
    blobs += await removeRun({ feeds, batches, files }, feed, id);
  }
  blobs += await files.deleteFeed(feed.client, feed.id);
  const erasure = erasureOf(files, erasedAt, blobs);
  await feeds.markErased(feed, erasure);
  return erasure;
}
