import { getJson } from '../../src/intake/batches/batch-files.ts';
import { type BatchRecord, createBatches } from '../../src/intake/batches/batches.ts';
import { feedManifests, listRunsByFeed } from '../../src/intake/feeds/feed-files.ts';
import { createFeeds, FeedManifest } from '../../src/intake/feeds/feeds.ts';
import { enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { putSchedule } from '../../src/intake/feeds/schedules.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newCounts, type Outcome, type Rebuilder, type RecoverDeps } from './rebuild.ts';

interface RebuildFeedDeps extends Pick<RecoverDeps, 'redis' | 'blobs' | 'now'> {
  feedQueue: RecoverDeps['queue'];
  /** Ids of runs, by feed. */
  runs: ReadonlyMap<string, readonly string[]>;
}

/** Returns the existing runs of a feed, newest first. */
async function runsOf(
  { redis, runs, now }: RebuildFeedDeps,
  feedId: string,
): Promise<BatchRecord[]> {
  const batches = createBatches(redis, now);
  const records = await Promise.all((runs.get(feedId) ?? []).map((id) => batches.get(id)));
  return records
    .filter((run) => run !== undefined)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** Restores one feed if its record is missing. */
async function rebuildFeed(
  deps: RebuildFeedDeps,
  manifestKey: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { redis, blobs, feedQueue } = deps;
  const manifest = FeedManifest.safeParse(await getJson(blobs, manifestKey, signal)).data;
  if (!manifest) return 'unknown';
  const feeds = createFeeds(redis);
  if (await feeds.get(manifest.id)) return 'known';
  const runs = await runsOf(deps, manifest.id);
  await feeds.create(manifest, Number.MAX_SAFE_INTEGER); // it was accepted before
  await feeds.update(manifest.id, {
    runs: runs.map(({ id }) => id),
    lastRunId: runs[0]?.id,
    lastCompletedRunId: runs.find(({ status }) => status === 'completed')?.id,
  });
  await putSchedule(feedQueue, manifest);
  for (const run of runs.filter(({ status }) => status === 'open')) {
    await enqueueIngest(feedQueue, run);
  }
  return 'rebuilt';
}

/** Restores feeds with their schedules. Their runs must have been restored before. */
export const feeds: Rebuilder = {
  name: 'feeds',
  async rebuild({ redis, blobs, log, now }, forEach, signal) {
    const counts = newCounts();
    const feedQueue = openQueue('feed', redis, log);
    try {
      const runs = await listRunsByFeed(blobs, signal);
      const deps = { redis, blobs, now, feedQueue, runs };
      await forEach(feedManifests(blobs, signal), async ({ key }: BlobEntry) => {
        counts[await rebuildFeed(deps, key, signal)]++;
      });
    } finally {
      await feedQueue.close();
    }
    return counts;
  },
};
