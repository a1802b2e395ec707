import { z } from 'zod';
import { type Blobs, deleteBlob } from '../../storage/blobs.ts';
import { batchFiles, batchManifests, batchPrefix, getJson } from '../batches/batch-files.ts';
import type { Refined } from '../review/refined.ts';
import { carriedRefined, getCarried } from '../review/review-files.ts';
import { feedKeys, feedPrefix } from './feed-keys.ts';
import { KeptRow, readLines, UnusedImage, writeLines } from './kept-rows.ts';

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

/** What a feed has in object storage, for its retention. Deletions return how many blobs. */
export class FeedFiles {
  readonly #blobs: Blobs;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  runFiles(client: string, runId: string) {
    return batchFiles(this.#blobs, client, runId);
  }

  /** Returns the cut-outs that people mended in earlier runs, as a run has them. */
  async mended(client: string, id: string): Promise<Refined[]> {
    return [...carriedRefined(await getCarried(this.#blobs, { client, id })).values()];
  }

  deleteDocument(client: string, feedId: string, runId: string): Promise<number> {
    return deleteBlob(this.#blobs, feedKeys(client, feedId).source(runId));
  }

  async deleteRun(client: string, feedId: string, runId: string): Promise<number> {
    const lines = await this.#blobs.deleteAll(batchPrefix(client, runId));
    return lines + (await this.deleteDocument(client, feedId, runId));
  }

  /** Rows that have left a feed. */
  keptRows(client: string, feedId: string): AsyncGenerator<KeptRow> {
    return readLines(this.#blobs, feedKeys(client, feedId).kept, KeptRow);
  }

  putKept(client: string, feedId: string, rows: AsyncIterable<KeptRow>): Promise<void> {
    return writeLines(this.#blobs, feedKeys(client, feedId).kept, rows);
  }

  /** Deletes images that have been without use for too long. */
  async deleteUnused(client: string, feedId: string, rule: UnusedRule): Promise<void> {
    const { images, unused } = feedKeys(client, feedId);
    const since = new Map<string, string>();
    for await (const image of readLines(this.#blobs, unused, UnusedImage)) {
      since.set(image.key, image.since);
    }
    await writeLines(this.#blobs, unused, stillKept(this.#blobs, images, since, rule));
  }

  /** Deletes all images of a feed, and what is known of rows that have left it. */
  async deleteImages(client: string, feedId: string): Promise<void> {
    const { images, kept, unused } = feedKeys(client, feedId);
    await this.#blobs.deleteAll(images);
    await Promise.all([this.#blobs.delete(kept), this.#blobs.delete(unused)]);
  }

  deleteFeed(client: string, feedId: string): Promise<number> {
    return this.#blobs.deleteAll(feedPrefix(client, feedId));
  }

  kept() {
    return this.#blobs.kept();
  }
}

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
