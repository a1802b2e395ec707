import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  BATCH_LOOK_MILLIS,
  BATCH_STATUSES,
  type Batches,
  BatchManifest,
  type BatchStatus,
  batchKey,
} from './batches.ts';
import { ResultLine, RowLine } from './rows.ts';

/** How a batch ended, as the store keeps it. */
const Ended = z.object({
  status: z.enum(BATCH_STATUSES),
  finishedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
const Sealed = z.object({ sealedAt: z.iso.datetime() });

/** What the store knows of a batch. */
export interface StoredBatch {
  intent: unknown;
  sealed: unknown;
  ended: unknown;
  /** Lines of a chunk of rows; none past the last. */
  rows(chunk: number): Promise<unknown[]>;
  /** Lines of a chunk of results; none where it was not written. */
  results(chunk: number): Promise<unknown[]>;
}

/** So long an open batch waits for more rows after Redis was emptied. */
const OPEN_MILLIS = 86_400_000;

const count = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;

/** One chunk as it counts. */
interface ChunkCounts {
  first: number;
  accepted: number;
  rejected: number;
  succeeded: number;
  failed: number;
  unchanged: number;
  /** Rows of the feed: those of a product are on one line. */
  feedRows: number;
  isWritten: boolean;
}

async function* chunksOf(stored: StoredBatch): AsyncGenerator<ChunkCounts> {
  for (let chunk = 0; ; chunk++) {
    const rows = (await stored.rows(chunk)).map((line) => RowLine.parse(line));
    const [first] = rows;
    if (!first) return;
    const results = (await stored.results(chunk)).map((line) => ResultLine.parse(line));
    const rejected = count(rows, (row) => 'problem' in row);
    yield {
      ...{ first: first.row, rejected, accepted: rows.length - rejected },
      feedRows: new Set(rows.map(({ line }) => line)).size,
      succeeded: count(results, ({ status }) => status === 'succeeded'),
      failed: count(results, ({ status }) => status === 'failed'),
      unchanged: count(results, (line) => line.status === 'succeeded' && line.unchanged),
      isWritten: results.length > 0,
    };
  }
}

const total = (chunks: readonly ChunkCounts[], what: Exclude<keyof ChunkCounts, 'isWritten'>) =>
  chunks.reduce((sum, chunk) => sum + chunk[what], 0);

/** Where rows are handed out again: at the first chunk whose results are not all there. */
function cursorOf(chunks: readonly ChunkCounts[]) {
  const open = chunks.findIndex(({ accepted, isWritten }) => accepted > 0 && !isWritten);
  const chunk = open < 0 ? chunks.length : open;
  return { chunk, issued: total(chunks.slice(0, chunk), 'accepted') };
}

/**
 * Writes the record of a batch again from what the store has of it.
 * @returns the record's id and state, or nothing where there is a record already
 * @throws ZodError where the store's files are none of ours
 */
export async function restoreBatch(
  redis: Redis,
  batches: Batches,
  stored: StoredBatch,
  nowMillis: number,
): Promise<{ id: string; status: BatchStatus } | undefined> {
  const intent = BatchManifest.parse(stored.intent);
  if (await batches.get(intent.id)) return undefined;
  const chunks: ChunkCounts[] = [];
  for await (const chunk of chunksOf(stored)) chunks.push(chunk);
  const ended = Ended.safeParse(stored.ended).data;
  const sealed = Sealed.safeParse(stored.sealed).data;
  const dueAtMillis = nowMillis + OPEN_MILLIS;
  await batches.create({ ...intent, expiresAt: new Date(dueAtMillis).toISOString() });
  const key = batchKey(intent.id);
  const { chunk, issued } = cursorOf(chunks);
  const counts = (['accepted', 'rejected', 'succeeded', 'failed', 'unchanged'] as const).flatMap(
    (name) => [name, total(chunks, name)],
  );
  const restoring = redis
    .multi()
    .hset(key, ...counts, 'chunks', chunks.length, 'cursor', `${chunk}:0`, 'issued', issued);
  if (intent.kind === 'feed-run') {
    const upload = { format: 'files', offset: 0, line: 0, rows: total(chunks, 'feedRows') };
    restoring.hset(key, 'upload', JSON.stringify(upload));
  }
  for (const [number, { first, isWritten }] of chunks.entries()) {
    restoring.rpush(`${key}:chunks`, first);
    if (isWritten) restoring.setbit(`${key}:written`, number, 1);
  }
  await restoring.exec();
  if (ended) {
    const { status, finishedAt, expiresAt } = ended;
    const fields = { finishedAt, expiresAt };
    const dueAt = Date.parse(expiresAt);
    await batches.move(intent.id, { from: ['open'], to: status, fields, dueAtMillis: dueAt });
    return { id: intent.id, status };
  }
  if (!sealed) return { id: intent.id, status: 'open' };
  await batches.seal(intent.id, Date.parse(sealed.sealedAt));
  await batches.postpone(intent.id, nowMillis + BATCH_LOOK_MILLIS);
  if (total(chunks, 'accepted') === total(chunks, 'succeeded') + total(chunks, 'failed')) {
    const from: BatchStatus[] = ['sealed'];
    const move = { from, to: 'finalizing' as const, fields: {}, dueAtMillis: nowMillis };
    await batches.move(intent.id, move);
  }
  return { id: intent.id, status: 'sealed' };
}
