import { z } from 'zod';
import type { Blobs } from '../../storage/blobs.ts';
import { FeedPlan } from '../feeds/plan.ts';
import {
  batchFiles,
  batchKeys,
  countReason,
  getJson,
  isRejected,
  reasonCode,
  rowCount,
} from './batch-files.ts';
import type { BatchRecord, StoredProgress } from './batch-record.ts';
import {
  BATCH_STATUSES,
  BatchManifest,
  DuplicateCounts,
  PROGRESS,
  Upload,
} from './batch-record.ts';
import { BATCH_RECHECK_MILLIS, type Batches } from './batches.ts';

/** How a batch ended, as object storage has it. */
const Ended = z.object({
  status: z.enum(BATCH_STATUSES),
  finishedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Absent if it ended under a release without fingerprints. */
  duplicates: DuplicateCounts.optional(),
  plan: FeedPlan.optional(),
});
const Sealed = z.object({ sealedAt: z.iso.datetime() });

interface StoredEnds {
  sealed: z.infer<typeof Sealed> | undefined;
  ended: z.infer<typeof Ended> | undefined;
}

type StoredFiles = ReturnType<typeof batchFiles>;

/** How long a restored open batch waits for more rows. */
const OPEN_MILLIS = 86_400_000;

const count = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;

/** What is counted of each chunk, and added up. */
const COUNTED = [
  'accepted',
  'rejected',
  'succeeded',
  'failed',
  'unchanged',
  'stale',
  'units',
] as const;

interface ChunkCounts extends Record<(typeof COUNTED)[number], number> {
  first: number;
  reasons: Readonly<Record<string, number>>;
  /** Rows of the feed: all images of a product are on one line. */
  feedRows: number;
  isWritten: boolean;
}

async function* countChunks(stored: StoredFiles): AsyncGenerator<ChunkCounts> {
  for (let chunk = 0; ; chunk++) {
    const rows = await stored.rowsIfPresent(chunk);
    const [first] = rows;
    if (!first) return;
    const results = await stored.results(chunk);
    const rejected = rows.filter(isRejected);
    const reasons: Record<string, number> = {};
    for (const line of rejected) countReason(reasons, reasonCode(line), rowCount(line));
    for (const line of results) countReason(reasons, reasonCode(line));
    const good = results.filter((line) => line.status === 'succeeded');
    yield {
      first: first.row,
      accepted: rows.length - rejected.length,
      rejected: rejected.reduce((sum, line) => sum + rowCount(line), 0),
      succeeded: good.length,
      failed: results.length - good.length,
      unchanged: count(good, ({ unchanged }) => unchanged),
      stale: count(good, ({ stale }) => stale !== undefined),
      units: count(good, ({ charged }) => charged === true),
      reasons,
      feedRows: new Set(rows.map(({ line }) => line)).size,
      isWritten: results.length > 0,
    };
  }
}

const total = (
  chunks: readonly ChunkCounts[],
  name: (typeof COUNTED)[number] | 'feedRows',
): number => chunks.reduce((sum, chunk) => sum + chunk[name], 0);

function totalReasons(chunks: readonly ChunkCounts[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const { reasons } of chunks) {
    for (const [code, rows] of Object.entries(reasons)) countReason(all, code, rows);
  }
  return all;
}

/** Where rows are handed out again: at the first chunk without results. */
function cursorOf(chunks: readonly ChunkCounts[]) {
  const unwritten = chunks.findIndex(({ accepted, isWritten }) => accepted > 0 && !isWritten);
  const chunk = unwritten < 0 ? chunks.length : unwritten;
  return { chunk, issued: total(chunks.slice(0, chunk), 'accepted') };
}

/** What Redis holds of the progress of a batch, from its chunks. */
async function progressOf({ kind }: BatchManifest, stored: StoredFiles): Promise<StoredProgress> {
  const chunks: ChunkCounts[] = [];
  for await (const chunk of countChunks(stored)) chunks.push(chunk);
  const { chunk, issued } = cursorOf(chunks);
  const last = chunks.length > 0 ? await stored.upload(chunks.length - 1) : undefined;
  const upload =
    kind === 'feed-run'
      ? PROGRESS[kind](total(chunks, 'feedRows'), 0)
      : Upload.safeParse(last).data;
  const counts = COUNTED.map((name) => [name, total(chunks, name)]);
  return {
    ...(Object.fromEntries(counts) as Pick<StoredProgress, (typeof COUNTED)[number]>),
    chunks: chunks.length,
    reasons: totalReasons(chunks),
    issued,
    cursor: { chunk, line: 0 },
    ...(upload && { upload }),
    firstRows: chunks.map(({ first }) => first),
    written: chunks.flatMap(({ isWritten }, number) => (isWritten ? [number] : [])),
  };
}

/** Moves a restored record, which is open, to the state that object storage has it in. */
async function closeRestored(
  batches: Batches,
  id: string,
  { accepted, succeeded, failed }: StoredProgress,
  { sealed, ended }: StoredEnds,
  nowMillis: number,
): Promise<void> {
  if (ended) {
    const { status: to, ...fields } = ended;
    const dueAtMillis = Date.parse(ended.expiresAt);
    await batches.move(id, { from: ['open'], to, fields, dueAtMillis });
    return;
  }
  if (!sealed) return;
  await batches.seal(id, Date.parse(sealed.sealedAt));
  await batches.postpone(id, nowMillis + BATCH_RECHECK_MILLIS);
  if (accepted !== succeeded + failed) return;
  const done = { to: 'finalizing', dueAtMillis: nowMillis } as const;
  await batches.move(id, { from: ['sealed'], ...done });
}

/**
 * Restores the record of a batch from its files, for a Redis that lost its data: if it is missing, or if it is still
 * open and object storage knows that the batch was sealed, has ended, or has more rows.
 * @returns undefined if there is no manifest; whether the record was restored
 * @throws ZodError or SyntaxError if the files are damaged
 */
export async function restoreStoredBatch(
  batches: Batches,
  blobs: Blobs,
  manifestKey: string,
  nowMillis: number,
  signal?: AbortSignal,
): Promise<{ manifest: BatchManifest; isRestored: boolean } | undefined> {
  const stored = await getJson(blobs, manifestKey, signal);
  if (stored === undefined) return undefined;
  const manifest = BatchManifest.parse(stored);
  const keys = batchKeys(manifest);
  const ends: StoredEnds = {
    sealed: Sealed.safeParse(await getJson(blobs, keys.sealed, signal)).data,
    ended: Ended.safeParse(await getJson(blobs, keys.ended, signal)).data,
  };
  const files = batchFiles(blobs, manifest);
  const known = await batches.get(manifest.id);
  const hasMore = async () => (await files.rowsIfPresent(known?.chunks ?? 0)).length > 0;
  const isComplete =
    known && (known.status !== 'open' || !(ends.sealed || ends.ended || (await hasMore())));
  if (isComplete) return { manifest, isRestored: false };
  const progress = await progressOf(manifest, files);
  const expiresAt = new Date(nowMillis + OPEN_MILLIS).toISOString();
  const from = known ? 'open' : '';
  const isRestored = await batches.restore({ ...manifest, expiresAt }, progress, from);
  if (isRestored) await closeRestored(batches, manifest.id, progress, ends, nowMillis);
  return { manifest, isRestored };
}

/** Restores the rows that storage has and the record of an open batch has not: Redis may have lost its last second. */
export async function restoreLostRows(
  batches: Batches,
  blobs: Blobs,
  batch: Pick<BatchRecord, 'client' | 'id' | 'chunks'>,
  nowMillis: number,
): Promise<void> {
  const keys = batchKeys(batch);
  if (!(await blobs.head(keys.rows(batch.chunks)))) return;
  await restoreStoredBatch(batches, blobs, keys.manifest, nowMillis);
}
