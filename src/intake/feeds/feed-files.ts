import { z } from 'zod';
import type { Blobs } from '../../storage/blobs.ts';
import { deleteBlob } from '../../storage/delete-blobs.ts';
import {
  batchFiles,
  batchKeys,
  batchManifests,
  batchPrefix,
  getJson,
  putJson,
} from '../batches/batch-files.ts';
import type { BatchManifest } from '../batches/batches.ts';
import type { BatchFiles } from '../batches/row-reader.ts';
import { carriedRefined, getCarried } from '../review/review-files.ts';
import { feedKeys, feedPrefix } from './feed-keys.ts';

/** The part of object storage that the retention of feeds uses. Deletions return how many blobs. */
export interface FeedFiles extends Pick<Blobs, 'kept'> {
  runFiles(client: string, runId: string): BatchFiles;
  /** Returns the keys of cut-outs that people mended in earlier runs and that a run shows, and of their pictures. */
  mendedImages(client: string, runId: string): Promise<string[]>;
  /** Deletes the feed document that a run has read. */
  deleteDocument(client: string, feedId: string, runId: string): Promise<number>;
  /** Deletes rows, results and document of a run. */
  deleteRun(client: string, feedId: string, runId: string): Promise<number>;
  /** Deletes the cut-outs and pictures that are not used. */
  deleteImages(client: string, feedId: string, isUsed: (key: string) => boolean): Promise<number>;
  /** Deletes all that is left of a feed. */
  deleteFeed(client: string, feedId: string): Promise<number>;
}

export function feedFiles(blobs: Blobs): FeedFiles {
  const deleteDocument = (client: string, feedId: string, runId: string): Promise<number> =>
    deleteBlob(blobs, feedKeys(client, feedId).source(runId));

  return {
    runFiles: (client, runId) => batchFiles(blobs, client, runId),

    async mendedImages(client, id) {
      const mended = carriedRefined(await getCarried(blobs, { client, id }));
      const versions = [...mended.values()].flatMap((each) => each.versions);
      return versions.flatMap(({ key, picture }) => (picture ? [key, picture.key] : [key]));
    },

    deleteDocument,

    async deleteRun(client, feedId, runId) {
      const lines = await blobs.deleteAll(batchPrefix(client, runId));
      return lines + (await deleteDocument(client, feedId, runId));
    },

    async deleteImages(client, feedId, isUsed) {
      let deleted = 0;
      for await (const { key } of blobs.list(feedKeys(client, feedId).images)) {
        if (isUsed(key)) continue;
        await blobs.delete(key);
        deleted++;
      }
      return deleted;
    },

    deleteFeed: (client, feedId) => blobs.deleteAll(feedPrefix(client, feedId)),
    kept: () => blobs.kept(),
  };
}

/** Writes and deletes the manifests of runs, from which they are restored if Redis lost its data. */
export const runManifests = (blobs: Blobs) => ({
  putManifest: (run: BatchManifest): Promise<void> =>
    putJson(blobs, batchKeys(run.client, run.id).manifest, run),
  deleteManifest: async ({ client, id }: Pick<BatchManifest, 'client' | 'id'>): Promise<void> => {
    await blobs.delete(batchKeys(client, id).manifest);
  },
});

const RunManifest = z.object({ id: z.string(), feedId: z.string() });

/** Returns the ids of all runs in object storage, by feed. */
export async function listRunsByFeed(
  blobs: Blobs,
  signal?: AbortSignal,
): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  for await (const { key } of batchManifests(blobs, signal)) {
    const run = RunManifest.safeParse(await getJson(blobs, key, signal)).data;
    if (run) runs.set(run.feedId, [...(runs.get(run.feedId) ?? []), run.id]);
  }
  return runs;
}
