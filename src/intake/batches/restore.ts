import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  BATCH_RECHECK_MILLIS,
  BATCH_STATUSES,
  type Batches,
  BatchManifest,
  type BatchStatus,
  DuplicateCounts,
} from './batches.ts';
import { batchRedisKeys } from './redis-keys.ts';
import { isRejected, ResultLine, RowLine, rowCount } from './rows.ts';

/** How a batch ended, as object storage has it. */
const Ended = z.object({
  status: z.enum(BATCH_STATUSES),
  finishedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Absent if it ended under a release without fingerprints. */
  duplicates: DuplicateCounts.optional(),
});
const Sealed = z.object({ sealedAt: z.iso.datetime() });

/** A batch as object storage has it. */
interface StoredBatch {
  manifest: unknown;
  sealed: unknown;
  ended: unknown;
  /** Lines of a chunk of rows; none past the last. */
  rows(chunk: number): Promise<unknown[]>;
  /** Lines of a chunk of results; none if it was not written. */
  results(chunk: number): Promise<unknown[]>;
}

/** How long a restored open batch waits for more rows. */
const OPEN_MILLIS = 86_400_000;

const count = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;

interface ChunkCounts {
  /** Number of its first row. */
  first: number;
  accepted: number;
  rejected: number;
  succeeded: number;
  failed: number;
  unchanged: number;
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
    yield {
      first: first.row,
      accepted: rows.length - rejected.length,
      rejected: rejected.reduce((sum, line) => sum + rowCount(line), 0),
      succeeded: count(results, ({ status }) => status === 'succeeded'),
      failed: count(results, ({ status }) => status === 'failed'),
      unchanged: count(results, (line) => line.status === 'succeeded' && line.unchanged),
      feedRows: new Set(rows.map(({ line }) => line)).size,
      isWritten: results.length > 0,
    };
  }
}

type CountName = Exclude<keyof ChunkCounts, 'isWritten'>;

const total = (chunks: readonly ChunkCounts[], name: CountName): number =>
  chunks.reduce((sum, chunk) => sum + chunk[name], 0);

/** Where rows are handed out again: at the first chunk without results. */
function cursorOf(chunks: readonly ChunkCounts[]) {
  const unwritten = chunks.findIndex(({ accepted, isWritten }) => accepted > 0 && !isWritten);
  const chunk = unwritten < 0 ? chunks.length : unwritten;
  return { chunk, issued: total(chunks.slice(0, chunk), 'accepted') };
}

/** Writes the counts and chunks of a batch beside its new record. */
async function restoreProgress(
  redis: Redis,
  { id, kind }: BatchManifest,
  chunks: readonly ChunkCounts[],
): Promise<void> {
  const { record, chunkStarts, writtenChunks } = batchRedisKeys(id);
  const { chunk, issued } = cursorOf(chunks);
  const counts = (['accepted', 'rejected', 'succeeded', 'failed', 'unchanged'] as const).flatMap(
    (name) => [name, total(chunks, name)],
  );
  const commands = redis
    .multi()
    .hset(record, ...counts, 'chunks', chunks.length, 'cursor', `${chunk}:0`, 'issued', issued);
  if (kind === 'feed-run') {
    const upload = { format: 'files', offset: 0, line: 0, rows: total(chunks, 'feedRows') };
    commands.hset(record, 'upload', JSON.stringify(upload));
  }
  for (const [number, { first, isWritten }] of chunks.entries()) {
    commands.rpush(chunkStarts, first);
    if (isWritten) commands.setbit(writtenChunks, number, 1);
  }
  await commands.exec();
}

/**
 * Writes the record of a batch from object storage, for a Redis that lost its data.
 * @returns the record's id and state, or nothing if there is a record already
 * @throws ZodError if the files are not those of a batch
 */
export async function restoreBatch(
  redis: Redis,
  batches: Batches,
  stored: StoredBatch,
  nowMillis: number,
): Promise<{ id: string; status: BatchStatus } | undefined> {
  const manifest = BatchManifest.parse(stored.manifest);
  const { id } = manifest;
  if (await batches.get(id)) return undefined;
  const chunks: ChunkCounts[] = [];
  for await (const chunk of countChunks(stored)) chunks.push(chunk);
  const ended = Ended.safeParse(stored.ended).data;
  const sealed = Sealed.safeParse(stored.sealed).data;
  const expiresAt = new Date(nowMillis + OPEN_MILLIS).toISOString();
  await batches.create({ ...manifest, expiresAt });
  await restoreProgress(redis, manifest, chunks);
  if (ended) {
    const { status: to, ...fields } = ended;
    await batches.move(id, {
      from: ['open'],
      to,
      fields,
      dueAtMillis: Date.parse(ended.expiresAt),
    });
    return { id, status: ended.status };
  }
  if (!sealed) return { id, status: 'open' };
  await batches.seal(id, Date.parse(sealed.sealedAt));
  await batches.postpone(id, nowMillis + BATCH_RECHECK_MILLIS);
  if (total(chunks, 'accepted') === total(chunks, 'succeeded') + total(chunks, 'failed')) {
    await batches.move(id, {
      from: ['sealed'],
      to: 'finalizing',
      fields: {},
      dueAtMillis: nowMillis,
    });
  }
  return { id, status: 'sealed' };
}
