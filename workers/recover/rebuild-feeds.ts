import { getJson } from '../../src/intake/batches/batch-files.ts';
import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import { listRunsByFeed } from '../../src/intake/feeds/feed-files.ts';
import { FeedManifest, feedKey } from '../../src/intake/feeds/feeds.ts';
import { enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { putSchedule } from '../../src/intake/feeds/schedules.ts';
import { blobOwner, FEEDS_PREFIX, manifestKeyOf } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverServices } from './rebuild.ts';

/** Restores feeds with their schedules. Their runs must have been restored before. */
export function feeds({
  blobs,
  feeds: records,
  batches,
  queues,
}: Pick<RecoverServices, 'blobs' | 'feeds' | 'batches' | 'queues'>): Rebuilder {
  /** Ids of runs by feed; listed once, when the first feed is missing. */
  let listed: Promise<Map<string, string[]>> | undefined;

  /** Returns the existing runs of a feed, newest first. */
  async function runsOf(feedId: string, signal: AbortSignal): Promise<BatchRecord[]> {
    listed ??= listRunsByFeed(blobs, signal);
    const ids = (await listed).get(feedId) ?? [];
    const found = await Promise.all(ids.map((id) => batches.get(id)));
    return found
      .filter((run) => run !== undefined)
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  return {
    name: 'feeds',
    prefix: FEEDS_PREFIX,
    manifestOf: manifestKeyOf,
    recordOf(key) {
      const owner = blobOwner(key);
      return owner && feedKey(owner.id);
    },
    async restore(manifestKey, signal): Promise<Outcome> {
      const stored = await getJson(blobs, manifestKey, signal);
      if (stored === undefined) return 'absent';
      const manifest = FeedManifest.parse(stored);
      if (await records.get(manifest.id)) return 'known';
      const runs = await runsOf(manifest.id, signal);
      await records.create(manifest, Number.MAX_SAFE_INTEGER); // it was accepted before
      await records.update(manifest.id, {
        runs: runs.map(({ id }) => id),
        lastRunId: runs[0]?.id,
        lastCompletedRunId: runs.find(({ status }) => status === 'completed')?.id,
      });
      await putSchedule(queues.feed, manifest);
      for (const run of runs.filter(({ status }) => status === 'open')) {
        await enqueueIngest(queues.feed, run);
      }
      return 'rebuilt';
    },
  };
}
