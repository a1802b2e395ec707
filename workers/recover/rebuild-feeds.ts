import { type BatchRecord, createBatches } from '../../src/jobs/batches/batches.ts';
import { createFeeds, FeedIntent } from '../../src/jobs/feeds/feeds.ts';
import { enqueueIngest } from '../../src/jobs/feeds/runs.ts';
import { keepSchedule } from '../../src/jobs/feeds/schedules.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import { OUTBOX } from '../../src/jobs/webhooks/webhooks.ts';
import { getFacts } from '../../src/store/batch-files.ts';
import type { BlobEntry } from '../../src/store/blobs.ts';
import { feedIntents, runsOfFeeds } from '../../src/store/feed-store.ts';
import { newTally, type Rebuilder, type RecoverParts, type Tally } from './rebuild.ts';

interface FeedParts extends RecoverParts {
  feedQueue: RecoverParts['queue'];
  /** Ids of runs, by feed. */
  runs: ReadonlyMap<string, readonly string[]>;
}

/** The runs of a feed that are there, the newest first. */
async function runsOf({ redis, runs }: FeedParts, feedId: string): Promise<BatchRecord[]> {
  const batches = createBatches(redis, OUTBOX);
  const found = await Promise.all((runs.get(feedId) ?? []).map((id) => batches.get(id)));
  return found
    .filter((run) => run !== undefined)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** Enters one feed again where its record is gone, and says what came of it. */
async function rebuildFeed(
  parts: FeedParts,
  intentKey: string,
  signal: AbortSignal,
): Promise<keyof Tally> {
  const { redis, blobs, feedQueue } = parts;
  const intent = FeedIntent.safeParse(await getFacts(blobs, intentKey, signal)).data;
  if (!intent) return 'unknown';
  const feeds = createFeeds(redis);
  if (await feeds.get(intent.id)) return 'known';
  const runs = await runsOf(parts, intent.id);
  await feeds.create(intent);
  await feeds.change(intent.id, {
    runs: runs.map(({ id }) => id),
    lastRunId: runs[0]?.id,
    lastCompletedRunId: runs.find(({ status }) => status === 'completed')?.id,
  });
  await keepSchedule(feedQueue, intent);
  for (const run of runs.filter(({ status }) => status === 'open')) {
    await enqueueIngest(feedQueue, run);
  }
  return 'rebuilt';
}

/** Feeds with their schedules; to be done after their runs. */
export const feeds: Rebuilder = {
  name: 'feeds',
  async rebuild(parts, eachOf, signal) {
    const tally = newTally();
    const feedQueue = openQueue('feed', parts.redis, parts.log);
    try {
      const runs = await runsOfFeeds(parts.blobs, signal);
      await eachOf(feedIntents(parts.blobs, signal), async ({ key }: BlobEntry) => {
        tally[await rebuildFeed({ ...parts, feedQueue, runs }, key, signal)]++;
      });
    } finally {
      await feedQueue.close();
    }
    return tally;
  },
};
