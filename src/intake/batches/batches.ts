import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Meter, quotaKeyOf } from '../../auth/quota.ts';
import { CutOutOptions } from '../../output/options.ts';
import type { Clock } from '../../platform/clock.ts';
import { OPERATIONS, StoredAccess } from '../../queue/job-data.ts';
import { Erasure } from '../erasure.ts';
import { FeedLoss } from '../feeds/loss.ts';
import { FeedPlan } from '../feeds/plan.ts';
import { parseHashFields, toHashFields } from '../hash-fields.ts';
import { createLeases } from '../leases.ts';
import { defineTombstoneUpdate } from '../tombstone.ts';
import { FeedReading } from './feed-reading.ts';
import {
  batchRedisKeys,
  DISPATCH_LEASE,
  DUE_TIMES,
  REASON_FIELD,
  UNDER_WAY,
  unendedKey,
} from './redis-keys.ts';
import { ResultLine, reasonCode } from './rows.ts';
import { defineBatchScripts } from './scripts.ts';

/**
 * States of a batch: `open` takes rows, `held` would lose too much of its feed and waits for a person, `sealed` waits for its turn, `running` has rows at the workers,
 * `finalizing` writes the remaining results. The last four are final.
 */
export const BATCH_STATUSES = [
  'open',
  'held',
  'sealed',
  'running',
  'finalizing',
  'canceling',
  'completed',
  'canceled',
  'failed',
  'expired',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** States in which rows are processed. */
export const BATCH_RUNNING_STATUSES: readonly BatchStatus[] = ['sealed', 'running'];
export const BATCH_CANCELED_STATUSES: readonly BatchStatus[] = ['canceling', 'canceled'];
export const BATCH_TERMINAL_STATUSES: readonly BatchStatus[] = [
  'completed',
  'canceled',
  'failed',
  'expired',
];

/** How much of the latest upload has been appended; enough to resume it. */
export const Upload = z.object({
  format: z.enum(['ndjson', 'csv', 'files', 'feed']),
  /** Bytes of the upload that have been read, and the number of the next line. */
  offset: z.number(),
  line: z.number(),
  rows: z.number(),
  /** The row of a CSV upload that names its columns. */
  header: z.string().optional(),
});
export type Upload = z.infer<typeof Upload>;

const counted = (rows: number): Upload => ({ format: 'files', offset: rows, line: rows + 1, rows });

/** How far the rows of a batch have come that are no lines of an upload, by what it is filled from. */
export const PROGRESS: Readonly<
  Record<BatchManifest['kind'], (rows: number, line: number) => Upload>
> = {
  batch: counted,
  source: counted,
  'feed-run': (rows, line) => ({ format: 'files', offset: 0, line, rows }),
};

/** The immutable part of a batch, which is also in object storage. */
export const BatchManifest = z.object({
  id: z.string(),
  /** Rows come from requests, from a run of a feed, or from a source. */
  kind: z.enum(['batch', 'feed-run', 'source']),
  client: z.string(),
  requestId: z.string(),
  operations: z.array(z.enum(OPERATIONS)),
  options: CutOutOptions.optional(),
  /** Which cut-outs its downloads have unless they say so; all without it. */
  exportPolicy: z.enum(['all', 'passed', 'approved']).optional(),
  /** Retention: of inputs while they wait, of results from the end, of the record after those. */
  inputSeconds: z.number().optional(),
  outputSeconds: z.number(),
  recordSeconds: z.number().optional(),
  createdAt: z.iso.datetime(),
  name: z.string().optional(),
  webhook: z.object({ url: z.string() }).optional(),
  /** Whose quota the rows use: when they are accepted, or in a feed's run when they are processed. */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }).optional(),
  /** Turns of its client's jobs for each turn of a client with weight 1; 1 if absent. */
  weight: z.number().optional(),
  feedId: z.string().optional(),
  /** A run that only counts what it would do. */
  dryRun: z.literal(true).optional(),
  /** Background of a feed's pictures, `#rrggbb`; transparent without it. */
  background: z.string().optional(),
  /** How the document of a run is read: a feed may be changed meanwhile. */
  reading: FeedReading.optional(),
  access: StoredAccess.optional(),
});
export type BatchManifest = z.infer<typeof BatchManifest>;

/** How many rows of a batch have the same picture. */
export const DuplicateCounts = z.object({
  /** Rows whose pictures were compared. */
  compared: z.number(),
  groups: z.number(),
  /** Rows that repeat the picture of an earlier one. */
  rows: z.number(),
});
export type DuplicateCounts = z.infer<typeof DuplicateCounts>;

const Problem = z.object({ type: z.string(), detail: z.string() });

/** The fields of a record that Redis stores as JSON. */
const JsonFields = BatchManifest.extend({
  sealedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  /** An estimate until the batch ends. */
  expiresAt: z.iso.datetime(),
  upload: Upload.optional(),
  problem: Problem.optional(),
  /** Of a dry run, since its end. */
  plan: FeedPlan.optional(),
  /** What a held run of a feed would lose. */
  held: FeedLoss.optional(),
  /** Since its end: how many cut-outs need a person. */
  review: z.object({ needed: z.number() }).optional(),
  /** Since its end: rows with the same picture. */
  duplicates: DuplicateCounts.optional(),
  /** When none of them was pending for the first time. */
  reviewedAt: z.iso.datetime().optional(),
  buriedAt: z.iso.datetime().optional(),
  erasure: Erasure.optional(),
});

/** A record without its counts. */
export const BatchFields = JsonFields.extend({ status: z.enum(BATCH_STATUSES) });

const COUNTS = [
  'chunks',
  'accepted',
  'rejected',
  'issued',
  'succeeded',
  'failed',
  'unchanged',
  'stale',
  'units',
  'revision',
  'reviewApproved',
  'reviewRejected',
] as const;

/** Counts that object storage tells. */
type ProgressCount = Exclude<
  (typeof COUNTS)[number],
  'revision' | 'reviewApproved' | 'reviewRejected'
>;

type Counts = Record<(typeof COUNTS)[number], number>;

/**
 * The record of a batch in Redis. `issued` rows were handed to workers, ended ones included. `stale` rows of feeds
 * are among the unchanged; `units` were charged while the run was processed.
 */
export interface BatchRecord extends z.infer<typeof JsonFields>, Counts {
  status: BatchStatus;
  /** Rows that failed, were rejected or are stale, by reason. */
  reasons: Readonly<Record<string, number>>;
  cursor: Cursor;
}

/** The line of a chunk's file that is handed out next. */
export interface Cursor {
  chunk: number;
  line: number;
}

type BatchChanges = Partial<Omit<z.infer<typeof JsonFields>, keyof BatchManifest>>;

/** How far a batch has come, as object storage has it. */
export interface StoredProgress extends Record<ProgressCount, number> {
  cursor: Cursor;
  reasons: Readonly<Record<string, number>>;
  upload?: Upload;
  /** Number of each chunk's first row. */
  firstRows: readonly number[];
  /** Chunks whose results are in object storage. */
  written: readonly number[];
}

interface BatchMove {
  from: readonly BatchStatus[];
  to: BatchStatus;
  fields: BatchChanges;
  /** When the sweeper looks at it next, epoch milliseconds. */
  dueAtMillis: number;
  /** Pushed to the webhook outbox if this move is the one that wins. */
  outboxEntry?: string | undefined;
}

/** One row that a worker has finished. */
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
function openDueAtMillis({ kind, createdAt, expiresAt }: BatchManifest & { expiresAt: string }) {
  const expiresAtMillis = Date.parse(expiresAt);
  if (kind !== 'feed-run') return expiresAtMillis;
  return Math.min(expiresAtMillis, Date.parse(createdAt) + BATCH_RECHECK_MILLIS);
}

const writeCursor = ({ chunk, line }: Cursor): string => `${chunk}:${line}`;
function readCursor(text = '0:0'): Cursor {
  const [chunk = 0, line = 0] = text.split(':').map(Number);
  return { chunk, line };
}

function readRecord({ status, cursor, ...fields }: Record<string, string>): BatchRecord {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, Number(fields[name] ?? 0)]));
  const others = Object.entries(fields).filter(([name]) => !(name in counts));
  const isReason = ([name]: [string, string]) => name.startsWith(REASON_FIELD);
  const jsonFields = others.filter((field) => !isReason(field));
  const reasons = others
    .filter(isReason)
    .map(([name, count]) => [name.slice(REASON_FIELD.length), Number(count)]);
  return {
    ...JsonFields.parse(parseHashFields(Object.fromEntries(jsonFields))),
    ...(counts as Counts),
    reasons: Object.fromEntries(reasons),
    status: z.enum(BATCH_STATUSES).parse(status),
    cursor: readCursor(cursor),
  };
}

/**
 * Batches in Redis: their state, their progress, and results until they are in object storage. Memory per
 * batch grows by one bit and a few characters for each chunk of rows.
 * @param now decides which UTC day's quota rows use
 */
export function createBatches(redis: Redis, now: Clock) {
  const scripts = defineBatchScripts(redis);
  const leases = createLeases(redis);
  const updateTombstone = defineTombstoneUpdate(redis);
  /** Without a meter a key is needed all the same; the scripts do not touch it. */
  const quotaKey = (meter: string | undefined) => quotaKeyOf(meter ?? '', now());
  const uploadLease = (id: string) => batchRedisKeys(id).uploadLease;

  const fieldsOf = (batch: BatchManifest & { expiresAt: string }, cursor: string) => [
    ...['status', 'open', 'cursor', cursor],
    ...COUNTS.flatMap((name) => [name, 0]),
    ...toHashFields(batch),
  ];

  return {
    /**
     * Writes a new record, `open`, and schedules the sweeper's first look at it. Returns false if the client has
     * `maxUnended` batches already that have not ended; without `maxUnended`, the batch is not counted.
     */
    async create(
      batch: BatchManifest & { expiresAt: string },
      maxUnended?: number,
    ): Promise<boolean> {
      const { id, client } = batch;
      const dueAtMillis = openDueAtMillis(batch);
      const fields = fieldsOf(batch, '0:0');
      return (await scripts.create({ id, client, dueAtMillis, maxUnended, fields })) === 1;
    },

    /**
     * Writes the record, `open`, of a batch that object storage has and Redis has not.
     * @param from `open` replaces a record in this state, which knows of fewer rows
     * @returns false if Redis has a record in another state
     */
    async restore(
      batch: BatchManifest & { expiresAt: string },
      { cursor, upload, firstRows, written, reasons, ...counts }: StoredProgress,
      from: '' | 'open' = '',
    ): Promise<boolean> {
      const fields = [
        ...fieldsOf(batch, writeCursor(cursor)),
        ...Object.entries(counts).flat(),
        ...Object.entries(reasons).flatMap(([code, count]) => [REASON_FIELD + code, count]),
        ...(upload ? toHashFields({ upload }) : []),
      ];
      const { id } = batch;
      const dueAtMillis = openDueAtMillis(batch);
      return (await scripts.restore({ id, from, dueAtMillis, firstRows, written, fields })) === 1;
    },

    async get(id: string): Promise<BatchRecord | undefined> {
      const fields = await redis.hgetall(batchRedisKeys(id).record);
      return fields.status ? readRecord(fields) : undefined;
    },

    /** Acquires or renews the lease that one upload of a batch holds; returns false if another has it. */
    acquireUploadLease: (id: string, holder: string, millis: number): Promise<boolean> =>
      leases.acquire({ lease: uploadLease(id), holder }, millis),
    releaseUploadLease: (id: string, holder: string): Promise<void> =>
      leases.release({ lease: uploadLease(id), holder }),

    /** Acquires or renews the lease of the one worker that hands out rows; returns false if another has it. */
    acquireDispatchLease: (holder: string, millis: number): Promise<boolean> =>
      leases.acquire({ lease: DISPATCH_LEASE, holder }, millis),
    releaseDispatchLease: (holder: string): Promise<void> =>
      leases.release({ lease: DISPATCH_LEASE, holder }),

    /**
     * Appends a chunk of rows whose file has been written.
     * @param chunk `first` is the number of its first row
     * @param meter whose quota the accepted rows use; without it no quota is used
     * @returns `conflict` if the batch is not open or another upload was faster
     */
    async append(
      id: string,
      chunk: {
        chunk: number;
        first: number;
        accepted: number;
        rejected: number;
        /** Rejected rows by reason. */
        reasons?: Readonly<Record<string, number>>;
        upload: Upload;
      },
      meter: Meter | undefined,
    ): Promise<'appended' | 'conflict' | 'over-quota'> {
      const reply = await scripts.append({
        id,
        chunk: chunk.chunk,
        firstRow: chunk.first,
        accepted: chunk.accepted,
        rejected: chunk.rejected,
        upload: JSON.stringify(chunk.upload),
        quotaKey: quotaKey(meter?.meter),
        quotaPerDay: meter?.quotaPerDay,
        reasons: JSON.stringify(chunk.reasons ?? {}),
      });
      if (reply === 1) return 'appended';
      return reply === 0 ? 'conflict' : 'over-quota';
    },

    /** Closes a batch for rows and lets it be dispatched; returns false if it was neither open nor held. */
    async seal(id: string, nowMillis: number): Promise<boolean> {
      const reply = await scripts.seal({
        id,
        sealedAt: new Date(nowMillis).toISOString(),
        sealedAtMillis: nowMillis,
        dueAtMillis: nowMillis + BATCH_RECHECK_MILLIS,
      });
      return reply === 1;
    },

    /** Returns ids of batches that are sealed and have not ended, the longest sealed first. */
    underWay: (): Promise<string[]> => redis.zrange(UNDER_WAY, 0, '-1'),

    /** Records that rows were handed out, up to a cursor; returns false if another worker did so first. */
    async advance(id: string, from: Cursor, to: Cursor, issued: number): Promise<boolean> {
      const cursors = { from: writeCursor(from), to: writeCursor(to) };
      return (await scripts.advance({ id, ...cursors, issued })) === 1;
    },

    /** Whether a row has not ended and its batch is running. */
    isRowPending: async (id: string, chunk: number, row: number): Promise<boolean> =>
      (await scripts.isPending({ id, chunk, row })) === 1,

    /** Whether the day has so many units left; rows under way may still use them. */
    async hasQuota({ meter, quotaPerDay }: Meter, units = 1): Promise<boolean> {
      return Number(await redis.get(quotaKey(meter))) + units <= quotaPerDay;
    },

    /** Ends a row; returns false if it had ended before, or if its batch is no longer under way. */
    async finishRow(id: string, { row, chunk, chunkRows, result, quota }: RowCompletion) {
      const isCharged = typeof quota === 'object';
      const reply = await scripts.finish({
        id,
        row,
        chunk,
        chunkRows,
        status: result.status,
        result: JSON.stringify(result),
        isUnchanged: result.status === 'succeeded' && result.unchanged,
        isStale: result.status === 'succeeded' && result.stale !== undefined,
        reason: reasonCode(result) ?? '',
        quotaKey: quotaKey(isCharged ? quota.charge.meter : undefined),
        quota: isCharged ? 'charge' : quota,
      });
      return reply === 1;
    },

    /** Returns chunks whose rows have all ended and whose results are not in object storage yet. */
    fullChunks: async (id: string): Promise<number[]> =>
      (await redis.smembers(batchRedisKeys(id).fullChunks)).map(Number),

    /** Returns the results of a chunk that are not in object storage yet, by row. */
    async results(id: string, chunk: number): Promise<ResultLine[]> {
      const lines = await redis.hvals(batchRedisKeys(id).results(chunk));
      return lines.map((json) => ResultLine.parse(JSON.parse(json))).sort((a, b) => a.row - b.row);
    },

    /** Returns the result of a row if it is not in object storage yet. */
    async result(id: string, chunk: number, row: number): Promise<ResultLine | undefined> {
      const json = await redis.hget(batchRedisKeys(id).results(chunk), String(row));
      return json === null ? undefined : ResultLine.parse(JSON.parse(json));
    },

    isWritten: async (id: string, chunk: number): Promise<boolean> =>
      (await redis.getbit(batchRedisKeys(id).writtenChunks, chunk)) === 1,

    /** Records that the results of a chunk are in object storage, and deletes them here. */
    async markWritten(id: string, chunk: number): Promise<void> {
      await scripts.markWritten({ id, chunk });
    },

    /** Returns the number of each chunk's first row. */
    firstRows: async (id: string): Promise<number[]> =>
      (await redis.lrange(batchRedisKeys(id).chunkStarts, 0, -1)).map(Number),

    /** Moves a batch to another state; returns false if it was in none of the states `from`. */
    async move(id: string, { from, to, fields, dueAtMillis, outboxEntry }: BatchMove) {
      const isTerminal = BATCH_TERMINAL_STATUSES.includes(to);
      const move = { id, from, to, fields, dueAtMillis, isTerminal, outboxEntry };
      return (await scripts.move(move)) === 1;
    },

    /** Adds fields to a tombstone. */
    updateTombstone: (id: string, fields: BatchChanges) =>
      updateTombstone(batchRedisKeys(id).record, fields),

    /** Sets when the sweeper looks at a batch next. */
    async postpone(id: string, dueAtMillis: number): Promise<void> {
      await redis.zadd(DUE_TIMES, 'XX', dueAtMillis, id);
    },

    /** Returns ids of due batches, the oldest first, at most 100. */
    due: (nowMillis: number): Promise<string[]> =>
      redis.zrangebyscore(DUE_TIMES, '-inf', nowMillis, 'LIMIT', 0, MAX_DUE),

    /** Removes a batch, except results of unwritten chunks, which `dropResults` deletes before. */
    async remove(id: string): Promise<void> {
      const { record, chunkStarts, writtenChunks, fullChunks, heldQuota, uploadLease } =
        batchRedisKeys(id);
      const { review, refined } = batchRedisKeys(id);
      const client: string = JSON.parse((await redis.hget(record, 'client')) ?? '""');
      await redis
        .multi()
        .srem(unendedKey(client), id)
        .del(record, chunkStarts, writtenChunks, fullChunks, heldQuota, uploadLease)
        .del(review, refined)
        .zrem(DUE_TIMES, id)
        .zrem(UNDER_WAY, id)
        .exec();
    },

    /** Deletes what people decided about a batch's rows, and which cut-outs they mended. */
    async dropReview(id: string): Promise<void> {
      const { review, refined } = batchRedisKeys(id);
      await redis.del(review, refined);
    },

    /** Deletes the results of a chunk that are not in object storage. */
    async dropResults(id: string, chunk: number): Promise<void> {
      await redis.del(batchRedisKeys(id).results(chunk));
    },
  };
}

export type Batches = ReturnType<typeof createBatches>;
