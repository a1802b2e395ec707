import { once } from 'node:events';
import { UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ResultLine, RowLine } from '../../../src/intake/batches/batch-files.ts';
import { batchKeys, putLines } from '../../../src/intake/batches/batch-files.ts';
import type { BatchRecord } from '../../../src/intake/batches/batch-record.ts';
import { BATCH_RUNNING_STATUSES } from '../../../src/intake/batches/batch-record.ts';
import { Batches } from '../../../src/intake/batches/batches.ts';
import { readRowOutcomes } from '../../../src/intake/batches/row-reader.ts';
import { ReviewDecisions } from '../../../src/intake/review/decisions.ts';
import { OUTBOX } from '../../../src/intake/webhooks/outbox.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { blockingConnection, PREFIX } from '../../../src/platform/redis.ts';
import { readData } from '../../../src/queue/catalog.ts';
import { openQueues } from '../../../src/queue/queue.ts';
import { requeueLostRows } from '../../../workers/batches/complete.ts';
import type { Dispatching } from '../../../workers/batches/dispatcher.ts';
import { BatchReader, dispatch, RowLimits } from '../../../workers/batches/dispatcher.ts';
import { failRow } from '../../../workers/batches/run-row.ts';
import { sweepBatches } from '../../../workers/batches/sweep.ts';
import { rowJobId, Window } from '../../../workers/batches/window.ts';
import { useBlobs } from '../../support/use-blobs.ts';
import { useRedis } from '../../support/use-redis.ts';

const log = createLog('test', 'silent');
const NOW = Date.parse('2026-11-20T12:00:00.000Z');
/** The rows of one client that are queued at first, and at most, with one slot. */
const WINDOW = 12;
const MAX_WINDOW = 32;

const { server, redis } = await useRedis();
const blobs = await useBlobs();
const batches = new Batches(redis, hostClock);
const queues = openQueues(redis, log);
const queue = queues.bulk;
let deps: Dispatching;
const finishedRuns: string[] = [];

beforeEach(async () => {
  await redis.flushall();
  const window = new Window({ batches, blobs, queues });
  const finishRun = async ({ id }: BatchRecord) => void finishedRuns.push(id);
  const reader = new BatchReader(batches);
  deps = {
    batches,
    blobs,
    queues,
    redis,
    window,
    rowLimits: new RowLimits(),
    reader,
    feedRuns: { finish: finishRun, carriedInto: async () => new Map() },
    reviews: new ReviewDecisions(redis),
    allSlots: async () => 1,
    log,
    now: hostClock,
  };
});
afterAll(async () => {
  await Promise.all(Object.values(queues).map((each) => each.close()));
});

let created = 0;
interface BatchShape {
  client?: string;
  /** Accepted rows of each chunk. */
  chunks: readonly number[];
  /** Rows of each chunk that are rejected, after the accepted ones. */
  rejected?: number;
  quotaPerDay?: number;
  feedId?: string;
  openMillis?: number;
  weight?: number;
}

/** Creates an open batch whose images are not fetched here. */
async function openBatch({
  client = 'acme',
  chunks,
  rejected = 0,
  ...more
}: BatchShape): Promise<string> {
  const id = `batch_${++created}`;
  const { quotaPerDay, feedId, openMillis = 1000, weight } = more;
  const meter = quotaPerDay ? { meter: client, quotaPerDay } : undefined;
  await batches.create({
    id,
    kind: feedId ? 'feed-run' : 'batch',
    client,
    requestId: 'r',
    outputSeconds: 60,
    operations: ['remove-background'],
    createdAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + openMillis).toISOString(),
    webhook: { url: 'https://shop.example/hook' },
    ...(feedId && { feedId }),
    ...(weight && { weight }),
  });
  let row = 0;
  for (const [chunk, accepted] of chunks.entries()) {
    const first = row;
    const lines: RowLine[] = [];
    for (let i = 0; i < accepted; i++, row++)
      lines.push({
        row,
        line: row + 1,
        customId: `sku-${row}`,
        source: { url: 'http://x.example' },
      });
    for (let i = 0; i < rejected; i++, row++)
      lines.push({ row, line: row + 1, problem: { type: 'invalid-request', detail: 'no id' } });
    await putLines(blobs, batchKeys({ client, id }).rows(chunk), lines);
    const upload = { format: 'ndjson' as const, offset: 0, line: row, rows: row };
    const taken = await batches.append(id, { chunk, first, accepted, rejected, upload }, meter);
    expect(taken).toBe('appended');
  }
  return id;
}

async function sealedBatch(shape: BatchShape): Promise<string> {
  const id = await openBatch(shape);
  expect(await batches.seal(id, NOW + created)).toBe(true);
  return id;
}

const get = async (id: string): Promise<BatchRecord> => {
  const batch = await batches.get(id);
  if (!batch) throw new Error('no such batch');
  return batch;
};

const queued = async () =>
  (await queue.getJobs(['prioritized'], 0, -1, true)).map((job) => readData('run-row', job.data));

const succeeded = (row: number): ResultLine => ({
  row,
  status: 'succeeded',
  unchanged: false,
  results: {},
  input: { sha256: 'aa', bytes: 1, width: 1, height: 1 },
});
const failed = (row: number): ResultLine => ({
  row,
  status: 'failed',
  problem: { type: 'upstream-failed', detail: 'broken' },
});

/** Processes queued rows as a worker does; odd rows fail. Returns how many. */
async function processRows(limit = Number.POSITIVE_INFINITY): Promise<number> {
  const jobs = (await queue.getJobs(['prioritized'], 0, -1, true)).slice(0, limit);
  for (const job of jobs) {
    const { batchId, chunk, chunkRows, row } = readData('run-row', job.data);
    const result = row.row % 2 ? failed(row.row) : succeeded(row.row);
    const completion = { row: row.row, chunk, chunkRows, result, quota: 'held' as const };
    await batches.finishRow(batchId, completion);
    await job.remove();
  }
  return jobs.length;
}

const outcomes = async (batch: BatchRecord) => {
  const all: string[] = [];
  for await (const { row, result } of readRowOutcomes({ batches, blobs }, batch))
    all.push(`${row.row} ${'problem' in row ? 'rejected' : (result?.status ?? 'pending')}`);
  return all;
};

describe('the dispatcher', () => {
  test('queues no more rows than the window, and further ones as rows are done, each once', async () => {
    const id = await sealedBatch({ chunks: [50, 30] });
    await dispatch(deps);
    await dispatch(deps);
    expect(await queue.getPrioritizedCount()).toBe(WINDOW);
    expect(await get(id)).toMatchObject({ status: 'running', issued: WINDOW });
    let done = 0;
    while ((await get(id)).status !== 'completed') {
      done += await processRows(10);
      await dispatch(deps);
    }
    expect(done).toBe(80);
    expect(await get(id)).toMatchObject({ succeeded: 40, failed: 40, issued: 80 });
    expect(await queue.getPrioritizedCount()).toBe(0);
  });

  test('queues more rows of a client while they are done as soon as they are queued', async () => {
    await sealedBatch({ chunks: [500] });
    const counts: number[] = [];
    for (let tick = 0; tick < 4; tick++) {
      await dispatch(deps);
      counts.push(await processRows());
    }
    expect(counts).toEqual([WINDOW, 2 * WINDOW, MAX_WINDOW, MAX_WINDOW]);
    for (let tick = 0; tick < 4; tick++) {
      await dispatch(deps);
      await processRows(1);
    }
    await processRows(MAX_WINDOW - WINDOW);
    await dispatch(deps);
    expect(await queue.getPrioritizedCount()).toBe(WINDOW);
  });

  test('reports every row exactly once and in order, before, during and after the batch', async () => {
    const id = await sealedBatch({ chunks: [3, 40, 2], rejected: 1 });
    const count = (all: string[], what: string) => all.filter((one) => one.endsWith(what)).length;
    const before = await outcomes(await get(id));
    const expected = [48, 45, 3];
    expect([before.length, count(before, 'pending'), count(before, 'rejected')]).toEqual(expected);
    await dispatch(deps);
    await processRows(12);
    const during = await outcomes(await get(id));
    expect([during.length, count(during, 'pending')]).toEqual([48, 33]);
    while ((await get(id)).status !== 'completed') {
      await processRows();
      await dispatch(deps);
    }
    const after = await outcomes(await get(id));
    expect(after.map((line) => Number(line.split(' ')[0]))).toEqual([...Array(48).keys()]);
    expect(count(after, 'pending')).toBe(0);
    const left = (await redis.keys('*')).filter((key) => key.includes(`${id}:results`));
    expect(left).toEqual([]);
  });

  test('a client with three rows does not wait for one with hundreds', async () => {
    await sealedBatch({ client: 'big', chunks: [300] });
    await dispatch(deps);
    const small = await sealedBatch({ client: 'small', chunks: [3] });
    await dispatch(deps);
    const waiting = await queued();
    const last = waiting.findLastIndex(({ batchId }) => batchId === small);
    expect(waiting.filter(({ batchId }) => batchId === small)).toHaveLength(3);
    expect(last).toBeLessThan(7); // each comes after at most two of the other's
  });

  test('concurrent clients alternate', async () => {
    await sealedBatch({ client: 'a', chunks: [100] });
    await sealedBatch({ client: 'b', chunks: [100] });
    await dispatch(deps);
    const clients = (await queued()).map(({ client }) => client);
    expect(new Set(clients.slice(0, 16))).toEqual(new Set(['a', 'b']));
    expect(clients.filter((client) => client === 'b')).toHaveLength(WINDOW);
  });

  test('concurrent clients get rows by their weights', async () => {
    await sealedBatch({ client: 'a', chunks: [100], weight: 1 });
    await sealedBatch({ client: 'b', chunks: [100], weight: 4 });
    await dispatch({ ...deps, allSlots: async () => 8 });
    const clients = (await queued()).map(({ client }) => client);
    expect(clients.slice(0, 20).filter((client) => client === 'b')).toHaveLength(16);
  });

  test('an empty batch and one with only rejected rows complete at once', async () => {
    const ids = [
      await sealedBatch({ chunks: [] }),
      await sealedBatch({ chunks: [0], rejected: 4 }),
    ];
    await dispatch(deps);
    for (const id of ids) expect(await get(id)).toMatchObject({ status: 'completed', issued: 0 });
  });

  test('a feed run is finished before it is completed; the client is notified once', async () => {
    const id = await sealedBatch({ chunks: [1], feedId: 'feed_1' });
    while ((await get(id)).status !== 'completed') {
      await dispatch(deps);
      await processRows();
    }
    await dispatch(deps);
    expect(finishedRuns).toEqual([id]);
    const entries = (await redis.lrange(OUTBOX, 0, -1)).map((entry) => JSON.parse(entry));
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      type: 'feed.run.completed',
      data: { id, links: { report: `/intake/v1/feeds/feed_1/runs/${id}/report` } },
    });
  });

  test('two concurrent dispatchers queue no row twice', async () => {
    const id = await sealedBatch({ chunks: [200] });
    const other = { ...deps, window: new Window({ batches, blobs, queues }) };
    await Promise.all([dispatch(deps), dispatch(other), dispatch(deps)]);
    const rows = (await queued()).map(({ row }) => row.row);
    expect(new Set(rows).size).toBe(rows.length);
    expect((await get(id)).issued).toBe(rows.length);
  });
});

describe('a row', () => {
  test('completes once; a second result is dropped', async () => {
    const id = await sealedBatch({ chunks: [2] });
    await dispatch(deps);
    const end = { row: 0, chunk: 0, chunkRows: 2, quota: 'held' as const };
    expect(await batches.finishRow(id, { ...end, result: succeeded(0) })).toBe(true);
    expect(await batches.finishRow(id, { ...end, result: failed(0) })).toBe(false);
    expect(await batches.isRowPending(id, 0, 0)).toBe(false);
    expect(await batches.isRowPending(id, 0, 1)).toBe(true);
    expect(await get(id)).toMatchObject({ succeeded: 1, failed: 0 });
  });

  test('completes once, even after its chunk was written', async () => {
    const id = await sealedBatch({ chunks: [1, 1] });
    await dispatch(deps);
    const end = { row: 0, chunk: 0, chunkRows: 1, quota: 'held' as const };
    await batches.finishRow(id, { ...end, result: succeeded(0) });
    await dispatch(deps);
    expect(await batches.isWritten(id, 0)).toBe(true);
    expect(await batches.finishRow(id, { ...end, result: succeeded(0) })).toBe(false);
    expect(await get(id)).toMatchObject({ succeeded: 1 });
  });
});

const usedToday = async (meter: string): Promise<number> =>
  Number(await redis.get(`{selvage}:quota:${meter}:${new Date().toISOString().slice(0, 10)}`));

describe('quota', () => {
  test('is charged for accepted rows, and refunded for those that fail', async () => {
    const id = await sealedBatch({ client: 'q', chunks: [10], rejected: 2, quotaPerDay: 10 });
    expect(await usedToday('q')).toBe(10);
    while ((await get(id)).status !== 'completed') {
      await dispatch(deps);
      await processRows();
    }
    expect(await usedToday('q')).toBe(5);
  });

  test('that is exceeded rejects the chunk', async () => {
    const id = await openBatch({ client: 'r', chunks: [8], quotaPerDay: 10 });
    const upload = { format: 'ndjson' as const, offset: 0, line: 1, rows: 0 };
    const chunk = { chunk: 1, first: 8, accepted: 3, rejected: 0, upload };
    const meter = { meter: 'r', quotaPerDay: 10 };
    expect(await batches.append(id, chunk, meter)).toBe('over-quota');
    expect(await usedToday('r')).toBe(8);
    expect(await get(id)).toMatchObject({ accepted: 8, chunks: 1 });
  });
});

test('a canceled batch keeps its results, removes the other rows from the queue and refunds their quota', async () => {
  const id = await sealedBatch({ client: 'c', chunks: [40, 5], quotaPerDay: 100 });
  await dispatch(deps);
  await processRows(4);
  const move = { from: ['running' as const], to: 'canceling' as const };
  await batches.move(id, { ...move, fields: {}, dueAtMillis: NOW });
  await dispatch(deps);
  expect(await get(id)).toMatchObject({ status: 'canceled', succeeded: 2, failed: 2 });
  expect(await queue.getPrioritizedCount()).toBe(0);
  expect(await usedToday('c')).toBe(2);
  const all = await outcomes(await get(id));
  expect(all.filter((line) => line.endsWith('pending'))).toHaveLength(41);
  expect(all).toHaveLength(45);
});

describe('a lost row', () => {
  test('is queued again if it is missing in the queue', async () => {
    const id = await sealedBatch({ chunks: [3] });
    await dispatch(deps);
    await queue.remove(`${id}-1`);
    await requeueLostRows(deps, await get(id));
    expect((await queued()).map(({ row }) => row.row).sort()).toEqual([0, 1, 2]);
  });

  /** Creates a batch of one row, whose job failed in the queue. */
  async function batchWithFailedJob(): Promise<string> {
    const id = await sealedBatch({ chunks: [1] });
    await dispatch(deps);
    const connection = blockingConnection(server.url, log);
    const fail = async () => {
      throw new UnrecoverableError('gone');
    };
    const worker = new Worker('bulk', fail, { connection, prefix: PREFIX, skipVersionCheck: true });
    await once(worker, 'failed');
    await worker.close();
    connection.disconnect();
    return id;
  }

  test('is retried if its job failed and no result was recorded', async () => {
    const id = await batchWithFailedJob();
    await requeueLostRows(deps, await get(id));
    const expected = { prioritized: 1, failed: 0 };
    expect(await queue.getJobCounts('prioritized', 'failed')).toEqual(expected);
  });

  test('fails if its workers died too often', async () => {
    const id = await batchWithFailedJob();
    await failRow({ batches, blobs, queues, now: hostClock }, rowJobId(id, 0));
    await dispatch(deps);
    expect(await get(id)).toMatchObject({ status: 'completed', failed: 1 });
  });
});

test('a batch that ends during a sweep keeps its results', async () => {
  const id = await sealedBatch({ chunks: [1] });
  const endsAt = NOW + 90_000_000;
  const sweptAt = NOW + 300_000;
  class Ending extends Batches {
    override due = async () => [id];
    override async get(requested: string) {
      const fields = { expiresAt: new Date(endsAt).toISOString() };
      const end = { to: 'completed', fields, dueAtMillis: endsAt } as const;
      await batches.move(id, { from: BATCH_RUNNING_STATUSES, ...end });
      return super.get(requested);
    }
  }
  const ending = new Ending(redis, hostClock);
  const expired: string[] = [];
  const expire = async (batch: BatchRecord) => void expired.push(batch.id);
  const nothing = async () => {};
  const batchRetention = { expire };
  const feedRuns = { expire, read: nothing };
  await sweepBatches({ batchRetention, batches: ending }, feedRuns, nothing, sweptAt);
  expect(expired).toEqual([]);
  expect(await batches.due(endsAt - 1)).not.toContain(id);
  await sweepBatches({ batchRetention, batches }, feedRuns, nothing, endsAt);
  expect(expired).toEqual([id]);
});

test('the import of an open feed run is queued again until the run expires', async () => {
  const id = await openBatch({ chunks: [], feedId: 'feed_1', openMillis: 86_400_000 });
  const read: string[] = [];
  const expired: string[] = [];
  const nothing = async () => {};
  const batchRetention = { expire: async (run: BatchRecord) => void expired.push(run.id) };
  const feedRuns = { expire: nothing, read: async (run: BatchRecord) => void read.push(run.id) };
  const sweep = (atMillis: number) =>
    sweepBatches({ batches, batchRetention }, feedRuns, nothing, atMillis);
  await sweep(NOW + 29_000);
  expect(read).toEqual([]);
  await sweep(NOW + 30_000);
  await sweep(NOW + 60_000);
  expect(read).toEqual([id, id]);
  await sweep(NOW + 86_400_000);
  expect(expired).toEqual([id]);
});

test('only started batches, and the next ones of each client, are read at every tick', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 60; i++) ids.push(await sealedBatch({ chunks: [1] }));
  let read: string[] = [];
  const reader = new BatchReader({
    underWay: () => batches.underWay(),
    async get(id) {
      read.push(id);
      return batches.get(id);
    },
  });
  await dispatch({ ...deps, reader });
  expect(read).toEqual(ids);
  read = [];
  await dispatch({ ...deps, reader });
  expect(read).toEqual(ids.slice(0, MAX_WINDOW));
});
