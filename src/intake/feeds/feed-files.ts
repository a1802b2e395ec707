import { z } from 'zod';
import { FEEDS_PREFIX } from '../../storage/blob-keys.ts';
import type { BlobEntry, Blobs } from '../../storage/blobs.ts';
import {
  batchFiles,
  batchKeys,
  batchManifests,
  batchPrefix,
  deleteAll,
  getJson,
} from '../batches/batch-files.ts';
import { feedKeys, feedPrefix } from './feed-keys.ts';

/** What is kept of feeds and their runs, to be read and deleted. */
export function feedFiles(blobs: Blobs) {
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
export const runManifests = (blobs: Blobs) => ({
  keepIntent: (run: { client: string; id: string }): Promise<void> =>
    blobs.put(batchKeys(run.client, run.id).intent, Buffer.from(JSON.stringify(run)), {
      mediaType: 'application/json',
    }),
  dropIntent: ({ client, id }: { client: string; id: string }): Promise<void> =>
    blobs.delete(batchKeys(client, id).intent),
});

/** Where the intents of all feeds are. */
export async function* feedManifests(
  blobs: Blobs,
  signal?: AbortSignal,
): AsyncGenerator<BlobEntry> {
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
  for await (const { key } of batchManifests(blobs, signal)) {
    const run = RunFacts.safeParse(await getJson(blobs, key, signal)).data;
    if (run) runs.set(run.feedId, [...(runs.get(run.feedId) ?? []), run.id]);
  }
  return runs;
}
