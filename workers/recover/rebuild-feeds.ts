import { getJson } from '../../src/intake/batches/batch-files.ts';
import { type BatchRecord, createBatches } from '../../src/intake/batches/batches.ts';
import { feedManifests, runsOfFeeds } from '../../src/intake/feeds/feed-files.ts';
import { createFeeds, FeedManifest } from '../../src/intake/feeds/feeds.ts';
import { enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { putSchedule } from '../../src/intake/feeds/schedules.ts';
import { OUTBOX } from '../../src/intake/webhooks/outbox.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newTally, type Rebuilder, type RecoverDeps, type Tally } from './rebuild.ts';

interface FeedDeps extends RecoverDeps {
  feedQueue: RecoverDeps['queue'];
  /** Ids of runs, by feed. */
  runs: ReadonlyMap<string, readonly string[]>;
}

/** The runs of a feed that are there, the newest first. */
async function runsOf({ redis, runs }: FeedDeps, feedId: string): Promise<BatchRecord[]> {
  const batches = createBatches(redis, OUTBOX);
  const found = await Promise.all((runs.get(feedId) ?? []).map((id) => batches.get(id)));
  return found
    .filter((run) => run !== undefined)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** Enters one feed again where its record is gone, and says what came of it. */
async function rebuildFeed(
  deps: FeedDeps,
  intentKey: string,
  signal: AbortSignal,
): Promise<keyof Tally> {
  const { redis, blobs, feedQueue } = deps;
  const intent = FeedManifest.safeParse(await getJson(blobs, intentKey, signal)).data;
  if (!intent) return 'unknown';
  const feeds = createFeeds(redis);
  if (await feeds.get(intent.id)) return 'known';
  const runs = await runsOf(deps, intent.id);
  await feeds.create(intent);
  await feeds.change(intent.id, {
    runs: runs.map(({ id }) => id),
    lastRunId: runs[0]?.id,
    lastCompletedRunId: runs.find(({ status }) => status === 'completed')?.id,
  });
  await putSchedule(feedQueue, intent);
  for (const run of runs.filter(({ status }) => status === 'open')) {
    await enqueueIngest(feedQueue, run);
  }
  return 'rebuilt';
}

/** Feeds with their schedules; to be done after their runs. */
export const feeds: Rebuilder = {
  name: 'feeds',
  async rebuild(deps, eachOf, signal) {
    const tally = newTally();
    const feedQueue = openQueue('feed', deps.redis, deps.log);
    try {
      const runs = await runsOfFeeds(deps.blobs, signal);
      await eachOf(feedManifests(deps.blobs, signal), async ({ key }: BlobEntry) => {
        tally[await rebuildFeed({ ...deps, feedQueue, runs }, key, signal)]++;
      });
    } finally {
      await feedQueue.close();
    }
    return tally;
  },
};
