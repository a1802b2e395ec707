import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createReviewActions,
  type ReviewTarget,
} from '../../../../src/api/intake/review/actions.ts';
import { ReviewPage, ReviewQuery } from '../../../../src/api/intake/review/schemas.ts';
import type { Call } from '../../../../src/http/route.ts';
import { batchKeys, putLines } from '../../../../src/intake/batches/batch-files.ts';
import { type Batches, createBatches } from '../../../../src/intake/batches/batches.ts';
import { joinResults } from '../../../../src/intake/batches/row-reader.ts';
import type { ResultLine } from '../../../../src/intake/batches/rows.ts';
import {
  createReviewDecisions,
  type ReviewDecisions,
} from '../../../../src/intake/review/decisions.ts';
import { putReview, putReviewChunk, toStart } from '../../../../src/intake/review/review-files.ts';
import { reviewKeys } from '../../../../src/intake/review/review-rows.ts';
import { createStoredBytes } from '../../../../src/intake/stored-bytes.ts';
import { hostClock } from '../../../../src/platform/clock.ts';
import { createLog } from '../../../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../../../src/platform/redis.ts';
import { type Blobs, StorageError } from '../../../../src/storage/blobs.ts';
import { createFsBlobs } from '../../../../src/storage/fs-blobs.ts';
import { type RedisServer, startRedis } from '../../../support/redis-server.ts';

const AT = '2026-11-20T12:00:00.000Z';
/** More than one request looks at: parts of the index have 500 rows. */
const ROWS = 6000;

let server: RedisServer;
let redis: Redis;
let folder: string;
let blobs: Blobs;
let batches: Batches;
let reviews: ReviewDecisions;
beforeAll(async () => {
  server = await startRedis();
  redis = commandConnection(server.url, createLog('test', 'silent'));
  await untilReady(redis, AbortSignal.timeout(5000));
  folder = await mkdtemp(join(tmpdir(), 'selvage-review-actions-'));
  blobs = await createFsBlobs({ dir: folder });
  batches = createBatches(redis, hostClock);
  reviews = createReviewDecisions(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const resultOf = (row: number): ResultLine => ({
  row,
  status: 'succeeded',
  unchanged: false,
  input: { sha256: 'a', bytes: 1, width: 1, height: 1 },
  results: {
    cutout: {
      width: 1,
      height: 1,
      bytes: 1,
      mediaType: 'image/png',
      sha256: `cutout-${row}`,
      model: 'm@1',
      confidence: row / ROWS,
      review: { needed: true, reasons: row % 2 ? ['blurred'] : ['gap-unsure'] },
      key: 'out/a',
    },
  },
});

/** An ended batch whose rows all need a review; the first ones are the most doubtful. */
async function endedBatch(id: string, rows: number): Promise<ReviewTarget> {
  const batch = {
    id,
    kind: 'batch' as const,
    client: 'shop',
    requestId: 'r',
    operations: ['remove-background' as const],
    outputSeconds: 3600,
    createdAt: AT,
    expiresAt: AT,
  };
  await batches.create(batch);
  const keys = batchKeys(batch.client, id);
  for (let first = 0, chunk = 0; first < rows; first += 500, chunk++) {
    const numbers = Array.from({ length: Math.min(500, rows - first) }, (_, i) => first + i);
    const lines = numbers.map((row) => ({
      row,
      line: row + 1,
      customId: `sku-${row}`,
      source: { url: 'http://shop.example/a.jpg' },
    }));
    const results = numbers.map(resultOf);
    await putLines(blobs, keys.rows(chunk), lines);
    await putLines(blobs, keys.results(chunk), results);
    await putReviewChunk(blobs, batch, chunk, joinResults(lines, results));
    const upload = { format: 'ndjson' as const, offset: 0, line: 0, rows: 0 };
    const appended = { chunk, first, accepted: lines.length, rejected: 0, upload };
    await batches.append(id, appended, undefined);
  }
  const start = toStart(await putReview(blobs, batch, async () => new Map()));
  await reviews.begin(id, start, AT);
  const record = await batches.get(id);
  if (!record) throw new Error('the batch was not created');
  return { batch: record, path: '/review', isOpen: true, linkOf: () => undefined };
}

const actionsOn = (storage: Blobs) =>
  createReviewActions({
    batches,
    blobs: storage,
    reviews,
    storedBytes: createStoredBytes(redis, hostClock),
    now: hostClock,
    images: { fetchImage: () => Promise.reject(new Error('not scripted')) },
  });

/** The parts of a call that the actions read. */
const callOf = <Query, Body>(parts: Partial<Call<Query, Body>>): Call<Query, Body> =>
  ({
    caller: { client: 'shop', keyId: 'key_1', meter: 'm', bytesPerDay: 1_000_000 },
    params: {},
    ...parts,
  }) as unknown as Call<Query, Body>;

test('a rare decision is found in several requests, which end', async () => {
  const target = await endedBatch('batch_rare', ROWS);
  const { decide, list } = actionsOn(blobs);
  const body = { decision: 'rejected' as const, revision: 0 };
  await decide(target, callOf({ params: { row: String(ROWS - 1) }, body }));
  const found: number[] = [];
  let cursor: string | null = '0';
  let requests = 0;
  while (cursor !== null) {
    const query = ReviewQuery.parse({ decision: 'rejected', reason: 'blurred', cursor });
    const { rows, links } = ReviewPage.parse(await list(target, callOf({ query })));
    found.push(...rows.map(({ row }) => row));
    cursor = new URLSearchParams(links?.next.split('?')[1]).get('cursor');
    requests++;
  }
  expect({ found, requests }).toEqual({ found: [ROWS - 1], requests: 2 });
});

test('pages have every row once, across the parts of the index and chunks', async () => {
  const target = await endedBatch('batch_pages', 1201);
  for (const needed of ['true', 'false']) {
    const found: number[] = [];
    let cursor: string | null = '0';
    while (cursor !== null) {
      const query = ReviewQuery.parse({ needed, limit: 90, cursor });
      const page = ReviewPage.parse(await actionsOn(blobs).list(target, callOf({ query })));
      found.push(...page.rows.map(({ row }) => row));
      cursor = new URLSearchParams(page.links?.next.split('?')[1]).get('cursor');
    }
    expect(found).toEqual(Array.from({ length: 1201 }, (_, row) => row));
  }
});

test('the summary counts rows by reason, and pending ones by confidence', async () => {
  const target = await endedBatch('batch_summary', 12);
  const { counts, decide } = actionsOn(blobs);
  const body = { decision: 'approved' as const, revision: 0 };
  await decide(target, callOf({ params: { row: '0' }, body }));
  expect(await counts(target)).toMatchObject({
    reasons: { blurred: 6, 'gap-unsure': 6 },
    pending: [
      { confidence: 0, rows: 2 },
      { confidence: 0.001, rows: 6 },
      { confidence: 0.002, rows: 3 },
    ],
  });
});

test('a decision that storage does not take is 503, and the same request again succeeds', async () => {
  const target = await endedBatch('batch_retry', 2);
  const call = callOf({
    params: { row: '0' },
    body: { decision: 'approved' as const, note: 'fine', revision: 0 },
  });
  const failing: Blobs = {
    ...blobs,
    put: async () => {
      throw new StorageError('put', new Error('no disk'));
    },
  };
  await expect(actionsOn(failing).decide(target, call)).rejects.toMatchObject({
    type: 'upstream-unavailable',
  });
  const key = reviewKeys('shop', 'batch_retry').decision(0, 1);
  expect(await blobs.head(key)).toBeUndefined();
  expect(await actionsOn(blobs).decide(target, call)).toMatchObject({
    decision: 'approved',
    revision: 1,
  });
  expect(await blobs.head(key)).toBeDefined();
  expect(await actionsOn(blobs).show(target, call)).toMatchObject({
    history: [{ revision: 1, note: 'fine', decidedBy: { client: 'shop', keyId: 'key_1' } }],
  });
});

test('nothing stays of a decision about a batch that is erased meanwhile', async () => {
  const target = await endedBatch('batch_erased', 2);
  const erasing: Blobs = {
    ...blobs,
    async put(key, ...rest) {
      const fields = { buriedAt: AT };
      const move = { from: ['open'] as const, to: 'expired' as const, fields, dueAtMillis: 0 };
      await batches.move('batch_erased', move);
      await blobs.put(key, ...rest);
    },
  };
  const body = { decision: 'approved' as const, revision: 0 };
  await actionsOn(erasing).decide(target, callOf({ params: { row: '0' }, body }));
  const left: string[] = [];
  const { prefix } = reviewKeys('shop', 'batch_erased');
  for await (const { key } of blobs.list(prefix)) left.push(key);
  expect(left).toEqual([]);
});

test('a run that a newer one has followed takes no decisions', async () => {
  const target = { ...(await endedBatch('batch_closed', 1)), isOpen: false };
  const { decide, approve, show } = actionsOn(blobs);
  const row = { params: { row: '0' } };
  const one = callOf({ ...row, body: { decision: 'approved' as const, revision: 0 } });
  await expect(decide(target, one)).rejects.toMatchObject({ type: 'conflict' });
  const all = callOf({ body: { decision: 'approved' as const, minConfidence: 0 } });
  await expect(approve(target, all)).rejects.toMatchObject({ type: 'conflict' });
  expect(await show(target, callOf(row))).toMatchObject({ decision: 'pending', history: [] });
});
