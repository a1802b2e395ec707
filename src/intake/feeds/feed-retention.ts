import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Clock } from '../../platform/clock.ts';
import { garmentKeys } from '../../storage/blob-keys.ts';
import { type Blobs, deleteBlob } from '../../storage/blobs.ts';
import { batchPrefix } from '../batches/batch-files.ts';
import { BATCH_STATUSES, type BatchRecord } from '../batches/batch-record.ts';
import type { Batches } from '../batches/batches.ts';
import { readRowOutcomes } from '../batches/row-reader.ts';
import { Erasure, erasureOf } from '../retention.ts';
import { carriedRefined, getCarried } from '../review/review-files.ts';
import { feedGarmentsPrefix, feedKeys, feedPhotoKey, feedPrefix } from './feed-keys.ts';
import type { FeedRecord, Feeds } from './feeds.ts';
import { KeptRow, photoKey, previousRow, readLines, UnusedImage, writeLines } from './kept-rows.ts';
import { deleteSchedule } from './schedules.ts';

/*
 * Owns the deletion of feeds: their images and documents, runs beyond the last ten, and whole feeds on
 * request. A single run expires in the workers' sweep, which calls `expire` of `batches/batch-retention.ts`
 * and then `expireRun` here.
 */

/** How many runs a feed retains; the last completed one is retained in any case. */
const MAX_RUNS = 10;

interface Retained {
  feeds: Feeds;
  batches: Batches;
  blobs: Blobs;
}

/** How long a published picture outlasts its row. */
interface Grace {
  /** Redis's time. */
  now: Clock;
  graceDays: number;
}

const DAY_MILLIS = 86_400_000;

/** A set of keys by 48 bits of their hash, about 40 bytes each. A collision only retains an unused image. */
class KeySet {
  readonly #hashes = new Set<number>();

  #hash(key: string): number {
    return createHash('sha256').update(key).digest().readUIntBE(0, 6);
  }

  add(key: string | undefined): void {
    if (key !== undefined) this.#hashes.add(this.#hash(key));
  }

  has(key: string): boolean {
    return this.#hashes.has(this.#hash(key));
  }
}

/** Returns what a run uses: the keys of its images, and `sha256:` with the hash of each cut-out. */
async function collectUsed(services: Retained, feed: FeedRecord, run: BatchRecord) {
  const used = new KeySet();
  for await (const { result } of readRowOutcomes(services, run)) {
    if (result?.status !== 'succeeded') continue;
    const { results, picture, input, photo } = result;
    if (photo) used.add(feedPhotoKey(feed.client, feed.id, photo));
    used.add(photoKey(result));
    used.add(picture?.key);
    used.add(results.cutout && `sha256:${results.cutout.sha256}`);
    const prefix = feedGarmentsPrefix(feed.client, feed.id, input.sha256);
    for (const key of garmentKeys(prefix, results.outfit)) used.add(key);
  }
  for (const { original, versions } of carriedRefined(
    await getCarried(services.blobs, run),
  ).values()) {
    if (!used.has(`sha256:${original}`)) continue;
    for (const { key, picture } of versions) for (const each of [key, picture?.key]) used.add(each);
  }
  return used;
}

/** What is still there because a run uses it, and for how long it is there without use. */
interface UnusedRule {
  used: KeySet;
  nowMillis: number;
  graceMillis: number;
}

/** Yields the rows whose photos a run does not show and that are still in their time of grace, the newest last. */
async function* rowsLeft(
  { batches, blobs }: Retained,
  feed: FeedRecord,
  run: BatchRecord,
  { used, nowMillis, graceMillis }: UnusedRule,
): AsyncGenerator<KeptRow> {
  for await (const row of readLines(blobs, feedKeys(feed.client, feed.id).kept, KeptRow)) {
    const isOver = Date.parse(row.since) + graceMillis <= nowMillis;
    if (!isOver && !used.has(photoKey(row.photo))) yield row;
  }
  const { lastCompletedRunId: last } = feed;
  const before = last === undefined || last === run.id ? undefined : await batches.get(last);
  if (!before || before.status === 'expired') return;
  const since = new Date(nowMillis).toISOString();
  for await (const outcome of readRowOutcomes({ batches, blobs }, before)) {
    const row = previousRow(outcome);
    if (row && !used.has(photoKey(row.photo))) yield { ...row, since };
  }
}

/** Deletes images that have been without use for too long; yields the others without use, and since when. */
async function* unusedLeft(
  blobs: Blobs,
  { client, id }: FeedRecord,
  { used, nowMillis, graceMillis }: UnusedRule,
): AsyncGenerator<UnusedImage> {
  const { images, unused } = feedKeys(client, id);
  const known = new Map<string, string>();
  for await (const { key, since } of readLines(blobs, unused, UnusedImage)) known.set(key, since);
  for await (const { key } of blobs.list(images)) {
    if (used.has(key)) continue;
    const since = known.get(key) ?? new Date(nowMillis).toISOString();
    if (Date.parse(since) + graceMillis > nowMillis) yield { key, since };
    else await blobs.delete(key);
  }
}

/** Deletes the rows, results and document of a run. Returns how many blobs. */
export async function deleteRunFiles(
  blobs: Blobs,
  { client, id }: Pick<FeedRecord, 'client' | 'id'>,
  runId: string,
): Promise<number> {
  const lines = await blobs.deleteAll(batchPrefix({ client, id: runId }));
  return lines + (await deleteBlob(blobs, feedKeys(client, id).source(runId)));
}

/** Removes a run with its files; returns how many blobs were deleted. */
async function removeRun({ batches, blobs }: Retained, feed: FeedRecord, runId: string) {
  const run = await batches.get(runId);
  const deleted = await deleteRunFiles(blobs, feed, runId);
  for (let chunk = 0; chunk < (run?.chunks ?? 0); chunk++) await batches.dropResults(runId, chunk);
  await batches.remove(runId);
  return deleted;
}

/**
 * Makes a run the one that its feed shows, and deletes what only older runs needed: images after their time of
 * grace. Called before the run ends, so that no other run writes images meanwhile; may be repeated.
 */
export async function finishRun(services: Retained & Grace, run: BatchRecord): Promise<void> {
  const { feeds, blobs, now, graceDays } = services;
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed || feed.erasure) return;
  const { kept, unused } = feedKeys(feed.client, feed.id);
  const used = await collectUsed(services, feed, run);
  const graceMillis = Math.min(graceDays * DAY_MILLIS, feed.outputSeconds * 1000);
  const rule = { used, nowMillis: now(), graceMillis };
  await writeLines(blobs, kept, rowsLeft(services, feed, run, rule));
  if (!(await feeds.update(feed.id, { lastCompletedRunId: run.id }))) return;
  await writeLines(blobs, unused, unusedLeft(blobs, feed, rule));
  for (const old of feed.runs.slice(MAX_RUNS)) await removeRun(services, feed, old);
  await feeds.update(feed.id, { runs: feed.runs.slice(0, MAX_RUNS) });
}

/**
 * Deletes the feed document of an expired run, and with the last run that could show them all images of
 * the feed. A run under way deletes its own.
 */
export async function expireRun(
  { feeds, batches, blobs }: Retained,
  run: BatchRecord,
): Promise<void> {
  const feed = run.feedId === undefined ? undefined : await feeds.get(run.feedId);
  if (!feed) return;
  const { source, images, kept, unused } = feedKeys(feed.client, feed.id);
  await deleteBlob(blobs, source(run.id));
  const { lastRunId, lastCompletedRunId: last } = feed;
  if (lastRunId !== run.id) return;
  const shown = last === undefined ? undefined : await batches.get(last);
  if (shown && shown.id !== run.id && shown.status !== 'expired') return;
  await blobs.deleteAll(images);
  // What is known of rows that have left the feed, and of images without use.
  await Promise.all([blobs.delete(kept), blobs.delete(unused)]);
}

/**
 * Erases a feed with its runs and images, in any state. Repeated, it resumes where it was interrupted,
 * and then returns the same receipt.
 */
export async function eraseFeed(
  services: Retained,
  queue: Queue,
  feed: FeedRecord,
  nowMillis: number,
): Promise<Erasure> {
  const { feeds, batches, blobs } = services;
  const receipt = Erasure.safeParse(feed.erasure).data;
  if (receipt) return receipt;
  const { erasedAt = new Date(nowMillis).toISOString() } = feed.erasure ?? {};
  await feeds.markErased(feed, { erasedAt });
  await deleteSchedule(queue, feed.id);
  let deleted = 0;
  for (const id of feed.runs) {
    // Stops workers: results of an expired run are rejected.
    const fields = { buriedAt: erasedAt };
    await batches.move(id, { from: BATCH_STATUSES, to: 'expired', fields, dueAtMillis: nowMillis });
    deleted += await removeRun(services, feed, id);
  }
  deleted += await blobs.deleteAll(feedPrefix(feed.client, feed.id));
  const erasure = erasureOf(blobs, erasedAt, deleted);
  await feeds.markErased(feed, erasure);
  return erasure;
}
