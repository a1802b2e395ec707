import { z } from 'zod';
import {
  batchFiles,
  batchIntents,
  batchKeys,
  batchPrefix,
  deleteAll,
  getFacts,
} from './batch-files.ts';
import type { BlobEntry, Blobs } from './blobs.ts';
import { feedKeys, feedPrefix } from './feed-keys.ts';
import { FEEDS_PREFIX } from './keys.ts';

/** What is kept of feeds and their runs, to be read and deleted. */
export function feedStore(blobs: Blobs) {
  async function discard(key: string): Promise<number> {
    const isThere = (await blobs.head(key)) !== undefined;
    await blobs.delete(key);
    return isThere ? 1 : 0;
  }

  return {
    files: (client: string, runId: string) => batchFiles(blobs, client, runId),

    deleteDocument: (client: string, feedId: string, runId: string): Promise<number> =>
      discard(feedKeys(client, feedId).source(runId)),

    async deleteRun(client: string, feedId: string, runId: string): Promise<number> {
      const lines = await deleteAll(blobs, batchPrefix(client, runId));
      return lines + (await discard(feedKeys(client, feedId).source(runId)));
    },

    async deleteImages(client: string, feedId: string, isUsed: (key: string) => boolean) {
      let deleted = 0;
      for await (const { key } of blobs.list(feedKeys(client, feedId).images)) {
        if (isUsed(key)) continue;
        await blobs.delete(key);
        deleted++;
      }
      return deleted;
    },

    deleteFeed: (client: string, feedId: string) => deleteAll(blobs, feedPrefix(client, feedId)),
  };
}

/** What a run is, kept so that it can be told from the store alone. */
export const runIntents = (blobs: Blobs) => ({
  keepIntent: (run: { client: string; id: string }): Promise<void> =>
    blobs.put(batchKeys(run.client, run.id).intent, Buffer.from(JSON.stringify(run)), {
      mediaType: 'application/json',
    }),
  dropIntent: ({ client, id }: { client: string; id: string }): Promise<void> =>
    blobs.delete(batchKeys(client, id).intent),
});

/** Where the intents of all feeds are. */
export async function* feedIntents(blobs: Blobs, signal?: AbortSignal): AsyncGenerator<BlobEntry> {
  for await (const entry of blobs.list(FEEDS_PREFIX, signal)) {
    if (entry.key.endsWith('/feed.json')) yield entry;
  }
}

const RunFacts = z.object({ id: z.string(), feedId: z.string() });

/** The ids of all runs that the store knows, by feed. */
export async function runsOfFeeds(
  blobs: Blobs,
  signal?: AbortSignal,
): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  for await (const { key } of batchIntents(blobs, signal)) {
    const run = RunFacts.safeParse(await getFacts(blobs, key, signal)).data;
    if (run) runs.set(run.feedId, [...(runs.get(run.feedId) ?? []), run.id]);
  }
  return runs;
}
