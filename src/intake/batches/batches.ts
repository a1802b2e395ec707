import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Meter, QUOTA_KEPT_SECONDS, quotaKeyOf } from '../../auth/quota.ts';
import { CutOutOptions } from '../../output/quality.ts';
import { PREFIX } from '../../platform/redis.ts';
import { OPERATIONS } from '../../queue/job-data.ts';
import { ResultLine } from './rows.ts';
import { defineBatchScripts } from './scripts.ts';

/**
 * Where a batch can be: `open` takes rows, `sealed` waits for its turn, `running` has rows at the
 * workers, `finalizing` writes what is left to write. The last four are ends.
 */
export const BATCH_STATUSES = [
  ...(['open', 'sealed', 'running', 'finalizing', 'canceling'] as const),
  ...(['completed', 'canceled', 'failed', 'expired'] as const),
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** States in which rows are worked on. */
export const BATCH_RUNNING_STATUSES: readonly BatchStatus[] = ['sealed', 'running'];
export const BATCH_TERMINAL_STATUSES: readonly BatchStatus[] = [
  'completed',
  'canceled',
  'failed',
  'expired',
];

/** How far the latest upload was taken in, enough to go on from there. */
const Upload = z.object({
  format: z.enum(['ndjson', 'csv', 'files']),
  /** Bytes of the upload that are in, and the line that comes next. */
  offset: z.number(),
  line: z.number(),
  rows: z.number(),
  /** The row of a CSV upload that names its columns. */
  header: z.string().optional(),
});
export type Upload = z.infer<typeof Upload>;

/** What of a batch does not change once it is there; kept in the store too. */
export const BatchManifest = z.object({
  id: z.string(),
  /** Rows come from requests, or from a feed's run. */
  kind: z.enum(['batch', 'feed-run']),
  client: z.string(),
  requestId: z.string(),
  operations: z.array(z.enum(OPERATIONS)),
  options: CutOutOptions.optional(),
  /** How long inputs may wait, results are kept after the end, and the batch is known after that. */
  inputSeconds: z.number().optional(),
  outputSeconds: z.number(),
  recordSeconds: z.number().optional(),
  createdAt: z.iso.datetime(),
  name: z.string().optional(),
  webhook: z.object({ url: z.string() }).optional(),
  /** Whose quota the rows take: at their acceptance, or in a feed's run when they are worked on. */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }).optional(),
  feedId: z.string().optional(),
  /** Behind the subject in the pictures of a feed, `#rrggbb`; transparent where there is none. */
  background: z.string().optional(),
});
export type BatchManifest = z.infer<typeof BatchManifest>;

const Problem = z.object({ type: z.string(), detail: z.string() });

const Told = BatchManifest.extend({
  sealedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  /** Until the end a forecast. */
  expiresAt: z.iso.datetime(),
  upload: Upload.optional(),
  problem: Problem.optional(),
  buriedAt: z.iso.datetime().optional(),
  erasure: z.object({ erasedAt: z.iso.datetime(), blobs: z.number() }).optional(),
});

const COUNTS = [
  ...(['chunks', 'accepted', 'rejected', 'issued'] as const),
  ...(['succeeded', 'failed', 'unchanged', 'revision'] as const),
] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

/** A batch as Redis knows it. `issued` rows were handed to workers, ended ones included. */
export interface BatchRecord extends z.infer<typeof Told>, Counts {
  status: BatchStatus;
  cursor: Cursor;
}

/** The line of a chunk's file that is handed out next. */
export interface Cursor {
  chunk: number;
  line: number;
}

export type BatchChanges = Partial<Omit<z.infer<typeof Told>, keyof BatchManifest>>;

export interface BatchMove {
  from: readonly BatchStatus[];
  to: BatchStatus;
  fields: BatchChanges;
  /** When the sweeper looks at it next, epoch milliseconds. */
  dueAtMillis: number;
  /** Told to the client where this move is the one that wins; see `webhooks.ts`. */
  outboxEntry?: string | undefined;
}

/** One row that a worker has done. */
export interface RowCompletion {
  row: number;
  chunk: number;
  /** Rows of the chunk that were accepted. */
  chunkRows: number;
  result: ResultLine;
  /** A unit that was held at its acceptance, one that is taken now, or none. */
  quota: 'held' | { charge: Meter } | 'free';
}

/** So long after its sealing, and again and again, it is seen to that a batch moves. */
export const BATCH_LOOK_MILLIS = 30_000;
const DUE_AT_ONCE = 100;

const PUMP_LEASE = `${PREFIX}:pump-lease`;
const UNDER_WAY_KEY = `${PREFIX}:batches`;
const DUE = `${PREFIX}:batches-due`;
export const batchKey = (id: string): string => `${PREFIX}:batch:${id}`;
const resultsKey = (id: string, chunk: number) => `${batchKey(id)}:results:${chunk}`;

const asJson = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, JSON.stringify(value)],
  );

const writeCursor = ({ chunk, line }: Cursor): string => `${chunk}:${line}`;
function readCursor(text = '0:0'): Cursor {
  const [chunk = 0, line = 0] = text.split(':').map(Number);
  return { chunk, line };
}

function readRecord({ status, cursor, ...fields }: Record<string, string>): BatchRecord {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, Number(fields[name] ?? 0)]));
  const told = Object.entries(fields)
    .filter(([name]) => !(name in counts))
    .map(([name, json]) => [name, JSON.parse(json)]);
  return {
    ...Told.parse(Object.fromEntries(told)),
    ...(counts as Counts),
    status: z.enum(BATCH_STATUSES).parse(status),
    cursor: readCursor(cursor),
  };
}

/**
 * Batches in Redis: their state, how far they are, and results until they are written to the store.
 * What it takes of Redis grows by one bit and a few characters for each chunk of rows, no more.
 * @param outbox the list that webhooks are sent from
 */
export function createBatches(redis: Redis, outbox: string) {
  defineBatchScripts(redis);
  const part = (id: string, name: string) => `${batchKey(id)}:${name}`;

  return {
    /** Writes a new record, `open`, that the sweeper looks at when its time is up. */
    async create(batch: BatchManifest & { expiresAt: string }): Promise<void> {
      const zeroes = COUNTS.flatMap((name) => [name, 0]);
      const expiresAtMillis = Date.parse(batch.expiresAt);
      // Whoever accepts a run may die before its feed is in the queue to be read.
      const lookAtMillis = Date.parse(batch.createdAt) + BATCH_LOOK_MILLIS;
      const dueAtMillis =
        batch.kind === 'feed-run' ? Math.min(expiresAtMillis, lookAtMillis) : expiresAtMillis;
      await redis
        .multi()
        .hset(batchKey(batch.id), 'status', 'open', 'cursor', '0:0', ...zeroes, ...asJson(batch))
        .zadd(DUE, dueAtMillis, batch.id)
        .exec();
    },

    async get(id: string): Promise<BatchRecord | undefined> {
      const fields = await redis.hgetall(batchKey(id));
      return fields.status ? readRecord(fields) : undefined;
    },

    /** Keeps other uploads out for so long; false where one is under way. Again to go on. */
    holdUpload: async (id: string, holder: string, millis: number): Promise<boolean> =>
      (await redis.selvageBatchHold(part(id, 'upload'), holder, millis)) === 1,
    async dropUpload(id: string, holder: string): Promise<void> {
      await redis.selvageBatchDrop(part(id, 'upload'), holder);
    },

    /** Makes one worker the only one that hands out rows, for so long. Again to go on. */
    holdPump: async (holder: string, millis: number): Promise<boolean> =>
      (await redis.selvageBatchHold(PUMP_LEASE, holder, millis)) === 1,
    async dropPump(holder: string): Promise<void> {
      await redis.selvageBatchDrop(PUMP_LEASE, holder);
    },

    /**
     * Takes a chunk of rows in whose file is written already.
     * @param first number of its first row
     * @param meter whose quota the accepted rows take; nobody's where it is not given
     */
    async append(
      id: string,
      chunk: { chunk: number; first: number; accepted: number; rejected: number; upload: Upload },
      meter: Meter | undefined,
    ): Promise<'taken' | 'lost' | 'over-quota'> {
      const answer = await redis.selvageBatchAppend(
        ...[batchKey(id), part(id, 'chunks'), part(id, 'held')],
        ...[quotaKeyOf(meter?.meter ?? '', new Date()), part(id, 'written')],
        ...[chunk.chunk, chunk.first, chunk.accepted, chunk.rejected],
        ...[JSON.stringify(chunk.upload), meter?.quotaPerDay ?? '', QUOTA_KEPT_SECONDS],
      );
      if (answer === 1) return 'taken';
      return answer === 0 ? 'lost' : 'over-quota';
    },

    /** Closes a batch for rows and puts it in line; false where it was not open. */
    async seal(id: string, nowMillis: number): Promise<boolean> {
      const sealedAt = JSON.stringify(new Date(nowMillis).toISOString());
      const lookAt = nowMillis + BATCH_LOOK_MILLIS;
      const keys = [batchKey(id), UNDER_WAY_KEY, DUE];
      return (await redis.selvageBatchSeal(...keys, id, sealedAt, nowMillis, lookAt)) === 1;
    },

    /** Batches that are sealed and not ended, the longest sealed first. */
    underWay: (): Promise<string[]> => redis.zrange(UNDER_WAY_KEY, 0, '-1'),

    /** Notes that rows were handed out, up to a cursor; false where somebody else did so first. */
    async advance(id: string, from: Cursor, to: Cursor, issued: number): Promise<boolean> {
      const cursors = [writeCursor(from), writeCursor(to)];
      return (await redis.selvageBatchAdvance(batchKey(id), ...cursors, issued)) === 1;
    },

    /** Whether a row is still to be done. */
    async isWanted(id: string, chunk: number, row: number): Promise<boolean> {
      const [status, written, result] = await Promise.all([
        redis.hget(batchKey(id), 'status'),
        redis.getbit(part(id, 'written'), chunk),
        redis.hexists(resultsKey(id, chunk), String(row)),
      ]);
      const isWorking = BATCH_RUNNING_STATUSES.some((working) => working === status);
      return isWorking && written === 0 && result === 0;
    },

    /** Whether a day has units left; what is under way may still take them. */
    async hasQuota({ meter, quotaPerDay }: Meter): Promise<boolean> {
      return Number(await redis.get(quotaKeyOf(meter, new Date()))) < quotaPerDay;
    },

    /** Ends a row; false where it was ended before, or its batch is not under way any more. */
    async finishRow(id: string, { row, chunk, chunkRows, result, quota }: RowCompletion) {
      const unchanged = result.status === 'succeeded' && result.unchanged ? 1 : 0;
      const meter = typeof quota === 'object' ? quota.charge.meter : '';
      const won = await redis.selvageBatchFinish(
        ...[batchKey(id), resultsKey(id, chunk), part(id, 'written'), part(id, 'full')],
        ...[part(id, 'held'), quotaKeyOf(meter, new Date())],
        ...[row, chunk, chunkRows, result.status, JSON.stringify(result), unchanged],
        ...[typeof quota === 'object' ? 'charge' : quota, QUOTA_KEPT_SECONDS],
      );
      return won === 1;
    },

    /** Chunks whose rows are all done and whose results are not in the store yet. */
    fullChunks: async (id: string): Promise<number[]> =>
      (await redis.smembers(part(id, 'full'))).map(Number),

    /** Results of a chunk that are not in the store yet, by row. */
    async results(id: string, chunk: number): Promise<ResultLine[]> {
      const lines = await redis.hvals(resultsKey(id, chunk));
      return lines.map((json) => ResultLine.parse(JSON.parse(json))).sort((a, b) => a.row - b.row);
    },

    isWritten: async (id: string, chunk: number): Promise<boolean> =>
      (await redis.getbit(part(id, 'written'), chunk)) === 1,

    /** Notes that the results of a chunk lie in the store, and drops them here. */
    async written(id: string, chunk: number): Promise<void> {
      const keys = [resultsKey(id, chunk), part(id, 'written'), part(id, 'full')];
      await redis.selvageBatchWritten(...keys, chunk);
    },

    /** The numbers of each chunk's first row. */
    firstRows: async (id: string): Promise<number[]> =>
      (await redis.lrange(part(id, 'chunks'), 0, -1)).map(Number),

    /** Moves a batch to another state; false where it was in none of those it may come from. */
    async move(id: string, { from, to, fields, dueAtMillis, outboxEntry }: BatchMove) {
      const won = await redis.selvageBatchMove(
        ...[batchKey(id), UNDER_WAY_KEY, DUE, part(id, 'held'), outbox],
        ...[
          id,
          `,${from.join(',')},`,
          to,
          dueAtMillis,
          BATCH_TERMINAL_STATUSES.includes(to) ? 1 : 0,
        ],
        ...[outboxEntry ?? '', ...asJson(fields)],
      );
      return won === 1;
    },

    /** Writes on a tombstone. */
    async inscribe(id: string, fields: BatchChanges): Promise<void> {
      await redis.hset(batchKey(id), ...asJson(fields));
    },

    async postpone(id: string, dueAtMillis: number): Promise<void> {
      await redis.zadd(DUE, 'XX', dueAtMillis, id);
    },

    /** Batches whose time has come, the oldest first; some of them where they are many. */
    due: (nowMillis: number): Promise<string[]> =>
      redis.zrangebyscore(DUE, '-inf', nowMillis, 'LIMIT', 0, DUE_AT_ONCE),

    /** Forgets a batch but for its results of open chunks, which run out by being dropped before. */
    async remove(id: string): Promise<void> {
      const names = ['chunks', 'written', 'full', 'held', 'upload'];
      await redis
        .multi()
        .del(batchKey(id), ...names.map((name) => part(id, name)))
        .zrem(DUE, id)
        .zrem(UNDER_WAY_KEY, id)
        .exec();
    },

    /** Drops what a batch that ended has no more use for: results that were not written. */
    async dropResults(id: string, chunk: number): Promise<void> {
      await redis.del(resultsKey(id, chunk));
    },
  };
}

export type Batches = ReturnType<typeof createBatches>;
