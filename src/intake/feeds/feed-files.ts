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
import type { BatchManifest } from '../batches/batch-record.ts';
import type { BatchFiles } from '../batches/row-reader.ts';
import type { Refined } from '../review/refined.ts';
import { carriedRefined, getCarried } from '../review/review-files.ts';
import { feedKeys, feedPrefix } from './feed-keys.ts';
import { KeptRow, readLines, UnusedImage, writeLines } from './kept-rows.ts';

/** The part of object storage that the retention of feeds uses. Deletions return how many blobs. */
export interface FeedFiles extends Pick<Blobs, 'kept'> {
  runFiles(client: string, runId: string): BatchFiles;
  /** Returns the cut-outs that people mended in earlier runs, as a run has them. */
  mended(client: string, runId: string): Promise<Refined[]>;
  deleteDocument(client: string, feedId: string, runId: string): Promise<number>;
  deleteRun(client: string, feedId: string, runId: string): Promise<number>;
  /** Rows that have left a feed. */
  keptRows(client: string, feedId: string): AsyncGenerator<KeptRow>;
  /** Replaces them. */
  putKept(client: string, feedId: string, rows: AsyncIterable<KeptRow>): Promise<void>;
  /** Deletes images that have been without use for too long. */
  deleteUnused(client: string, feedId: string, rule: UnusedRule): Promise<void>;
  /** Deletes all images of a feed, and what is known of rows that have left it. */
  deleteImages(client: string, feedId: string): Promise<void>;
  deleteFeed(client: string, feedId: string): Promise<number>;
}

/** Which images are deleted: those in use stay, others until they have been without use for so long. */
export interface UnusedRule {
  isUsed(key: string): boolean;
  nowMillis: number;
  graceMillis: number;
}

/** Yields the images without use that stay, and deletes the others. @param since known since when, by key */
async function* stillKept(
  blobs: Blobs,
  prefix: string,
  since: ReadonlyMap<string, string>,
  { isUsed, nowMillis, graceMillis }: UnusedRule,
): AsyncGenerator<UnusedImage> {
  const now = new Date(nowMillis).toISOString();
  for await (const { key } of blobs.list(prefix)) {
    if (isUsed(key)) continue;
    const first = since.get(key) ?? now;
    if (Date.parse(first) + graceMillis > nowMillis) yield { key, since: first };
    else await blobs.delete(key);
  }
}

export function feedFiles(blobs: Blobs): FeedFiles {
  const deleteDocument = (client: string, feedId: string, runId: string): Promise<number> =>
    deleteBlob(blobs, feedKeys(client, feedId).source(runId));

  return {
    runFiles: (client, runId) => batchFiles(blobs, client, runId),

    async mended(client, id) {
      return [...carriedRefined(await getCarried(blobs, { client, id })).values()];
    },

    deleteDocument,

    async deleteRun(client, feedId, runId) {
      const lines = await blobs.deleteAll(batchPrefix(client, runId));
      return lines + (await deleteDocument(client, feedId, runId));
    },

    keptRows: (client, feedId) => readLines(blobs, feedKeys(client, feedId).kept, KeptRow),
    putKept: (client, feedId, rows) => writeLines(blobs, feedKeys(client, feedId).kept, rows),

    async deleteUnused(client, feedId, rule) {
      const { unused } = feedKeys(client, feedId);
      const since = new Map<string, string>();
      for await (const image of readLines(blobs, unused, UnusedImage)) {
        since.set(image.key, image.since);
      }
      await writeLines(
        blobs,
        unused,
        stillKept(blobs, feedKeys(client, feedId).images, since, rule),
      );
    },

    async deleteImages(client, feedId) {
      const { images, kept, unused } = feedKeys(client, feedId);
      await blobs.deleteAll(images);
      await Promise.all([blobs.delete(kept), blobs.delete(unused)]);
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
