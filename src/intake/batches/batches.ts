import type { Redis } from 'ioredis';
import { type Meter, QUOTA_TTL_SECONDS, quotaKeyOf } from '../../auth/key-record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { expiryOf } from '../job-retention.ts';
import { Lease } from '../leases.ts';
import { defineRecordUpdate, toHashFields } from '../record-fields.ts';
import { OUTBOX } from '../webhooks/outbox.ts';
import { batchKeys, putJson, ResultLine, reasonCode } from './batch-files.ts';
import {
  BATCH_RUNNING_STATUSES,
  BATCH_TERMINAL_STATUSES,
  type BatchChanges,
  type BatchManifest,
  type BatchRecord,
  type BatchStatus,
  batchCompletedEntry,
  COUNTS,
  type Cursor,
  endFacts,
  readRecord,
  type StoredProgress,
  type Upload,
  writeCursor,
} from './batch-record.ts';
import {
  batchRedisKeys,
  DISPATCH_LEASE,
  DUE_TIMES,
  defineBatchScripts,
  REASON_FIELD,
  UNDER_WAY,
  unendedKey,
} from './scripts.ts';

type NewBatch = BatchManifest & { expiresAt: string };

interface BatchMove {
  from: readonly BatchStatus[];
  to: BatchStatus;
  fields?: BatchChanges;
  /** When the sweeper looks at it next, epoch milliseconds. */
  dueAtMillis: number;
  /** Pushed to the webhook outbox if this move is the one that wins. */
  outboxEntry?: string | undefined;
}

/** A chunk of rows whose file has been written. */
interface Chunk {
  chunk: number;
  /** Number of its first row. */
  first: number;
  accepted: number;
  rejected: number;
  /** Rejected rows by reason. */
  reasons?: Readonly<Record<string, number>>;
  upload: Upload;
}

export interface RowCompletion {
  row: number;
  chunk: number;
  /** Accepted rows of the chunk. */
  chunkRows: number;
  result: ResultLine;
  /** A unit reserved when the row was accepted, one that is charged now, or none. */
  quota: 'held' | { charge: Meter } | 'free';
}

/** How long after its sealing, and then how often, the sweeper checks that a batch makes progress. */
export const BATCH_RECHECK_MILLIS = 30_000;
const MAX_DUE = 100;

/** When the sweeper looks at an open batch: the process that accepts a run may die before it has queued the run. */
function openDueAtMillis({ kind, createdAt, expiresAt }: NewBatch) {
  const expiresAtMillis = Date.parse(expiresAt);
  if (kind !== 'feed-run') return expiresAtMillis;
  return Math.min(expiresAtMillis, Date.parse(createdAt) + BATCH_RECHECK_MILLIS);
}

const newFields = (batch: NewBatch, cursor: string) => [
  ...['status', 'open', 'cursor', cursor],
  ...COUNTS.flatMap((name) => [name, 0]),
  ...toHashFields(batch),
];

/**
 * Batches in Redis: their state, their progress, and results until they are in object storage. Memory per
 * batch grows by one bit and a few characters for each chunk of rows.
 */
export class Batches {
  readonly #redis: Redis;
  readonly #now: Clock;
  readonly #scripts;
  readonly #update;

  /** @param now decides which UTC day's quota rows use */
  constructor(redis: Redis, now: Clock) {
    this.#redis = redis;
    this.#now = now;
    this.#scripts = defineBatchScripts(redis);
    this.#update = defineRecordUpdate(redis);
  }

  /**
   * Writes a new record, `open`, and schedules the sweeper's first look at it. Returns false if the client has
   * `maxUnended` batches already that have not ended; without `maxUnended`, the batch is not counted.
   */
  async create(batch: NewBatch, maxUnended?: number): Promise<boolean> {
    const { id, client } = batch;
    const reply = await this.#scripts.create(
      [batchRedisKeys(id).record, DUE_TIMES, unendedKey(client)],
      [id, openDueAtMillis(batch), maxUnended ?? '', ...newFields(batch, '0:0')],
    );
    return reply === 1;
  }

  /**
   * Writes the record, `open`, of a batch that object storage has and Redis has not.
   * @param from `open` replaces a record in this state, which knows of fewer rows
   * @returns false if Redis has a record in another state
   */
  async restore(
    batch: NewBatch,
    { cursor, upload, firstRows, written, reasons, ...counts }: StoredProgress,
    from: '' | 'open' = '',
  ): Promise<boolean> {
    const { record, chunkStarts, writtenChunks } = batchRedisKeys(batch.id);
    const reply = await this.#scripts.restore(
      [record, DUE_TIMES, chunkStarts, writtenChunks],
      [
        ...[batch.id, openDueAtMillis(batch), from],
        ...[JSON.stringify(firstRows), JSON.stringify(written)],
        ...newFields(batch, writeCursor(cursor)),
        ...Object.entries(counts).flat(),
        ...Object.entries(reasons).flatMap(([code, count]) => [REASON_FIELD + code, count]),
        ...(upload ? toHashFields({ upload }) : []),
      ],
    );
    return reply === 1;
  }

  async get(id: string): Promise<BatchRecord | undefined> {
    const fields = await this.#redis.hgetall(batchRedisKeys(id).record);
    return fields.status ? readRecord(fields) : undefined;
  }

  /** The lease that one upload of a batch holds. */
  uploadLease(id: string): Lease {
    return new Lease(this.#redis, batchRedisKeys(id).uploadLease);
  }

  /** The lease of the one worker that hands out rows. */
  dispatchLease(): Lease {
    return new Lease(this.#redis, DISPATCH_LEASE);
  }

  /**
   * Appends a chunk of rows.
   * @param meter whose quota the accepted rows use; without it no quota is used
   * @returns `conflict` if the batch is not open or another upload was faster
   */
  async append(
    id: string,
    { chunk, first, accepted, rejected, reasons = {}, upload }: Chunk,
    meter: Meter | undefined,
  ): Promise<'appended' | 'conflict' | 'over-quota'> {
    const { record, chunkStarts, heldQuota, writtenChunks } = batchRedisKeys(id);
    const reply = await this.#scripts.append(
      [record, chunkStarts, heldQuota, this.#quotaKey(meter), writtenChunks],
      [
        ...[chunk, first, accepted, rejected, JSON.stringify(upload)],
        ...[meter?.quotaPerDay ?? '', QUOTA_TTL_SECONDS, JSON.stringify(reasons)],
      ],
    );
    if (reply === 1) return 'appended';
    return reply === 0 ? 'conflict' : 'over-quota';
  }

  /** Closes a batch for rows and lets it be dispatched; returns false if it was neither open nor held. */
  async seal(id: string, nowMillis: number): Promise<boolean> {
    const sealedAt = JSON.stringify(new Date(nowMillis));
    const reply = await this.#scripts.seal(
      [batchRedisKeys(id).record, UNDER_WAY, DUE_TIMES],
      [id, sealedAt, nowMillis, nowMillis + BATCH_RECHECK_MILLIS],
    );
    return reply === 1;
  }

  /** Returns ids of batches that are sealed and have not ended, the longest sealed first. */
  underWay(): Promise<string[]> {
    return this.#redis.zrange(UNDER_WAY, 0, '-1');
  }

  /** Records that rows were handed out, up to a cursor; returns false if another worker did so first. */
  async advance(id: string, from: Cursor, to: Cursor, issued: number): Promise<boolean> {
    const args = [writeCursor(from), writeCursor(to), issued];
    return (await this.#scripts.advance([batchRedisKeys(id).record], args)) === 1;
  }

  /** Whether a row has not ended and its batch is running. */
  async isRowPending(id: string, chunk: number, row: number): Promise<boolean> {
    const { record, results, writtenChunks } = batchRedisKeys(id);
    const keys = [record, results(chunk), writtenChunks];
    return (await this.#scripts.isPending(keys, [row, chunk])) === 1;
  }

  /** Whether the day has so many units left; rows under way may still use them. */
  async hasQuota(meter: Meter, units = 1): Promise<boolean> {
    return Number(await this.#redis.get(this.#quotaKey(meter))) + units <= meter.quotaPerDay;
  }

  /** Ends a row; returns false if it had ended before, or if its batch is no longer under way. */
  async finishRow(id: string, { row, chunk, chunkRows, result, quota }: RowCompletion) {
    const { record, results, writtenChunks, fullChunks, heldQuota } = batchRedisKeys(id);
    const charged = typeof quota === 'object' ? quota.charge : undefined;
    const quotaKey = this.#quotaKey(charged);
    const isUnchanged = result.status === 'succeeded' && result.unchanged;
    const isStale = result.status === 'succeeded' && result.stale !== undefined;
    const reply = await this.#scripts.finish(
      [record, results(chunk), writtenChunks, fullChunks, heldQuota, quotaKey],
      [
        ...[row, chunk, chunkRows, result.status, JSON.stringify(result), isUnchanged ? 1 : 0],
        ...[charged ? 'charge' : String(quota), QUOTA_TTL_SECONDS, isStale ? 1 : 0],
        reasonCode(result) ?? '',
      ],
    );
    return reply === 1;
  }

  /** Returns chunks whose rows have all ended and whose results are not in object storage yet. */
  async fullChunks(id: string): Promise<number[]> {
    return (await this.#redis.smembers(batchRedisKeys(id).fullChunks)).map(Number);
  }

  /** Returns the results of a chunk that are not in object storage yet, by row. */
  async results(id: string, chunk: number): Promise<ResultLine[]> {
    const lines = await this.#redis.hvals(batchRedisKeys(id).results(chunk));
    return lines.map((json) => ResultLine.parse(JSON.parse(json))).sort((a, b) => a.row - b.row);
  }

  async result(id: string, chunk: number, row: number): Promise<ResultLine | undefined> {
    const json = await this.#redis.hget(batchRedisKeys(id).results(chunk), String(row));
    return json === null ? undefined : ResultLine.parse(JSON.parse(json));
  }

  async isWritten(id: string, chunk: number): Promise<boolean> {
    return (await this.#redis.getbit(batchRedisKeys(id).writtenChunks, chunk)) === 1;
  }

  /** Records that the results of a chunk are in object storage, and deletes them here. */
  async markWritten(id: string, chunk: number): Promise<void> {
    const { results, writtenChunks, fullChunks } = batchRedisKeys(id);
    await this.#scripts.markWritten([results(chunk), writtenChunks, fullChunks], [chunk]);
  }

  async firstRows(id: string): Promise<number[]> {
    return (await this.#redis.lrange(batchRedisKeys(id).chunkStarts, 0, -1)).map(Number);
  }

  /** Moves a batch to another state; returns false if it was in none of the states `from`. */
  async move(id: string, { from, to, fields = {}, dueAtMillis, outboxEntry = '' }: BatchMove) {
    const { record, heldQuota } = batchRedisKeys(id);
    const isTerminal = BATCH_TERMINAL_STATUSES.includes(to) ? 1 : 0;
    const reply = await this.#scripts.move(
      [record, UNDER_WAY, DUE_TIMES, heldQuota, OUTBOX],
      [
        id,
        `,${from.join(',')},`,
        to,
        dueAtMillis,
        isTerminal,
        outboxEntry,
        ...toHashFields(fields),
      ],
    );
    return reply === 1;
  }

  /** Cancels the rows of a running batch; returns false if it was not running. */
  stop(id: string, nowMillis: number): Promise<boolean> {
    const dueAtMillis = nowMillis + BATCH_RECHECK_MILLIS;
    return this.move(id, { from: BATCH_RUNNING_STATUSES, to: 'canceling', dueAtMillis });
  }

  updateTombstone(id: string, fields: BatchChanges): Promise<boolean> {
    return this.#update(batchRedisKeys(id).record, fields);
  }

  /** Sets when the sweeper looks at a batch next. */
  async postpone(id: string, dueAtMillis: number): Promise<void> {
    await this.#redis.zadd(DUE_TIMES, 'XX', dueAtMillis, id);
  }

  due(nowMillis: number): Promise<string[]> {
    return this.#redis.zrangebyscore(DUE_TIMES, '-inf', nowMillis, 'LIMIT', 0, MAX_DUE);
  }

  /** Removes a batch, except results of unwritten chunks, which `dropResults` deletes before. */
  async remove(id: string): Promise<void> {
    const { results: _, ...keys } = batchRedisKeys(id);
    const client: string = JSON.parse((await this.#redis.hget(keys.record, 'client')) ?? '""');
    await this.#redis
      .multi()
      .srem(unendedKey(client), id)
      .del(...Object.values(keys))
      .zrem(DUE_TIMES, id)
      .zrem(UNDER_WAY, id)
      .exec();
  }

  /** Deletes what people decided about a batch's rows, and which cut-outs they mended. */
  async dropReview(id: string): Promise<void> {
    const { review, refined } = batchRedisKeys(id);
    await this.#redis.del(review, refined);
  }

  /** Deletes the results of a chunk that are not in object storage. */
  async dropResults(id: string, chunk: number): Promise<void> {
    await this.#redis.del(batchRedisKeys(id).results(chunk));
  }

  /** Without a meter a key is needed all the same; the scripts do not touch it. */
  #quotaKey(meter: Meter | undefined): string {
    return quotaKeyOf(meter?.meter ?? '', this.#now());
  }
}

/**
 * Ends a batch or run that is in one of the states `from`; returns false if it is in none.
 * @param blobs if given, has its end before Redis: a Redis that lost its data is rebuilt from storage
 */
export async function endBatch(
  { batches, blobs }: { batches: Batches; blobs?: Pick<Blobs, 'put'> },
  batch: BatchManifest | BatchRecord,
  { from, to, fields }: Pick<BatchMove, 'from' | 'to' | 'fields'>,
  nowMillis: number,
): Promise<boolean> {
  const { dueAtMillis, expiresAt } = expiryOf(batch, nowMillis);
  const ended = { ...fields, finishedAt: new Date(nowMillis).toISOString(), expiresAt };
  if (blobs) await putJson(blobs, batchKeys(batch).ended, { status: to, ...ended });
  // Of one that is restored, nothing is counted yet.
  const facts = 'succeeded' in batch ? endFacts(batch) : {};
  const outboxEntry = batchCompletedEntry(batch, to, nowMillis, facts);
  return batches.move(batch.id, { from, to, fields: ended, dueAtMillis, outboxEntry });
}

/**
 * Cancels a batch or run: an open one immediately, a running one after the images in progress.
 * @returns the state it has moved to, or nothing if it had ended
 */
export async function moveToCancel(
  batches: Batches,
  batch: BatchManifest | BatchRecord,
  nowMillis: number,
): Promise<'canceled' | 'canceling' | undefined> {
  const canceled = { from: ['open', 'held'], to: 'canceled' } as const;
  if (await endBatch({ batches }, batch, canceled, nowMillis)) return 'canceled';
  return (await batches.stop(batch.id, nowMillis)) ? 'canceling' : undefined;
}
