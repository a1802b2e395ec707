import { z } from 'zod';
import { FeedPlan } from '../feeds/plan.ts';
import {
  BATCH_STATUSES,
  BatchManifest,
  DuplicateCounts,
  PROGRESS,
  type StoredProgress,
  Upload,
} from './batch-record.ts';
import { BATCH_RECHECK_MILLIS, type Batches } from './batches.ts';
import { countReason, isRejected, ResultLine, RowLine, reasonCode, rowCount } from './rows.ts';

/** How a batch ended, as object storage has it. */
const Ended = z.object({
  status: z.enum(BATCH_STATUSES),
  finishedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Absent if it ended under a release without fingerprints. */
  duplicates: DuplicateCounts.optional(),
  plan: FeedPlan.optional(),
});
type EndedFile = z.infer<typeof Ended>;
const Sealed = z.object({ sealedAt: z.iso.datetime() });

interface StoredBatch {
  manifest: unknown;
  sealed: unknown;
  ended: unknown;
  /** Lines of a chunk of rows; none past the last. */
  rows(chunk: number): Promise<unknown[]>;
  /** Lines of a chunk of results; none if it was not written. */
  results(chunk: number): Promise<unknown[]>;
  /** How far the upload of a chunk of rows had come; nothing if that is not known. */
  upload(chunk: number): Promise<unknown>;
}

/** How long a restored open batch waits for more rows. */
const OPEN_MILLIS = 86_400_000;

const count = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;

interface ChunkCounts {
  first: number;
  accepted: number;
  rejected: number;
  succeeded: number;
  failed: number;
  unchanged: number;
  stale: number;
  units: number;
  reasons: Readonly<Record<string, number>>;
  /** Rows of the feed: all images of a product are on one line. */
  feedRows: number;
  isWritten: boolean;
}

async function* countChunks(stored: StoredBatch): AsyncGenerator<ChunkCounts> {
  for (let chunk = 0; ; chunk++) {
    const rows = (await stored.rows(chunk)).map((line) => RowLine.parse(line));
    const [first] = rows;
    if (!first) return;
    const results = (await stored.results(chunk)).map((line) => ResultLine.parse(line));
    const rejected = rows.filter(isRejected);
    const reasons: Record<string, number> = {};
    for (const line of rejected) countReason(reasons, reasonCode(line), rowCount(line));
    for (const line of results) countReason(reasons, reasonCode(line));
    yield {
      first: first.row,
      accepted: rows.length - rejected.length,
      rejected: rejected.reduce((sum, line) => sum + rowCount(line), 0),
      succeeded: count(results, ({ status }) => status === 'succeeded'),
      failed: count(results, ({ status }) => status === 'failed'),
      unchanged: count(results, (line) => line.status === 'succeeded' && line.unchanged),
      stale: count(results, (line) => line.status === 'succeeded' && line.stale !== undefined),
      units: count(results, (line) => line.status === 'succeeded' && line.charged === true),
      reasons,
      feedRows: new Set(rows.map(({ line }) => line)).size,
      isWritten: results.length > 0,
    };
  }
}

type CountName = Exclude<keyof ChunkCounts, 'isWritten' | 'reasons'>;

const total = (chunks: readonly ChunkCounts[], name: CountName): number =>
  chunks.reduce((sum, chunk) => sum + chunk[name], 0);

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
async function progressOf(
  { kind }: BatchManifest,
  stored: StoredBatch,
  chunks: readonly ChunkCounts[],
): Promise<StoredProgress> {
  const { chunk, issued } = cursorOf(chunks);
  const last = chunks.length > 0 ? await stored.upload(chunks.length - 1) : undefined;
  const upload =
    kind === 'feed-run'
      ? PROGRESS[kind](total(chunks, 'feedRows'), 0)
      : Upload.safeParse(last).data;
  return {
    chunks: chunks.length,
    accepted: total(chunks, 'accepted'),
    rejected: total(chunks, 'rejected'),
    succeeded: total(chunks, 'succeeded'),
    failed: total(chunks, 'failed'),
    unchanged: total(chunks, 'unchanged'),
    stale: total(chunks, 'stale'),
    units: total(chunks, 'units'),
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
  { sealed, ended }: { sealed: z.infer<typeof Sealed> | undefined; ended: EndedFile | undefined },
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
  const done = { to: 'finalizing', fields: {}, dueAtMillis: nowMillis } as const;
  await batches.move(id, { from: ['sealed'], ...done });
}

/**
 * Writes the record of a batch from object storage, for a Redis that lost its data. A record that is still open is
 * replaced if object storage knows that the batch was sealed, has ended, or has more rows.
 * @returns false if there is a record that needs no change
 * @throws ZodError if the files are not those of a batch
 */
export async function restoreBatch(
  batches: Batches,
  stored: StoredBatch,
  nowMillis: number,
): Promise<boolean> {
  const manifest = BatchManifest.parse(stored.manifest);
  const known = await batches.get(manifest.id);
  const ended = Ended.safeParse(stored.ended).data;
  const sealed = Sealed.safeParse(stored.sealed).data;
  if (known && known.status !== 'open') return false;
  const hasMore = async () => (await stored.rows(known?.chunks ?? 0)).length > 0;
  if (known && !sealed && !ended && !(await hasMore())) return false;
  const chunks: ChunkCounts[] = [];
  for await (const chunk of countChunks(stored)) chunks.push(chunk);
  const progress = await progressOf(manifest, stored, chunks);
  const expiresAt = new Date(nowMillis + OPEN_MILLIS).toISOString();
  const from = known ? 'open' : '';
  if (!(await batches.restore({ ...manifest, expiresAt }, progress, from))) return false;
  await closeRestored(batches, manifest.id, progress, { sealed, ended }, nowMillis);
  return true;
}
