import { expect, test } from 'vitest';
import { ReviewActions, type RowsTarget } from '../../../../src/api/intake/review/actions.ts';
import { ReviewPage, ReviewQuery } from '../../../../src/api/intake/review/schemas.ts';
import type { Gateway } from '../../../../src/gateway.ts';
import type { Call } from '../../../../src/http/route.ts';
import { Batches } from '../../../../src/intake/batches/batches.ts';
import { LearnedCategories } from '../../../../src/intake/learned-categories.ts';
import { ReviewDecisions } from '../../../../src/intake/review/decisions.ts';
import { reviewKeys } from '../../../../src/intake/review/review-rows.ts';
import { StoredBytes } from '../../../../src/intake/stored-bytes.ts';
import { hostClock } from '../../../../src/platform/clock.ts';
import { type Blobs, StorageError } from '../../../../src/storage/blobs.ts';
import { plantEndedBatch } from '../../../support/ended-batch.ts';
import { useBlobs } from '../../../support/use-blobs.ts';
import { useRedis } from '../../../support/use-redis.ts';

const AT = '2026-11-20T12:00:00.000Z';
/** More than one request looks at: parts of the index have 500 rows. */
const ROWS = 6000;

const { redis } = await useRedis();
const blobs = await useBlobs();
const batches = new Batches(redis, hostClock);
const reviews = new ReviewDecisions(redis);

/** An ended batch whose rows all need a review; the first ones are the most doubtful. */
async function endedBatch(id: string, rows: number): Promise<RowsTarget> {
  const planted = {
    id,
    client: 'shop',
    rows,
    at: AT,
    expiresAt: AT,
    cutout: { key: 'out/a', bytes: 1, sha256: 'a' },
  };
  const batch = await plantEndedBatch({ batches, reviews, blobs }, planted);
  return {
    batch,
    links: { review: '/review', duplicates: '' },
    isOpen: true,
    linkOf: () => undefined,
  };
}

const actionsOn = (storage: Blobs) =>
  new ReviewActions(
    {
      batches,
      blobs: storage,
      reviews,
      storedBytes: new StoredBytes(redis, hostClock),
      learnedCategories: new LearnedCategories(redis, storage, hostClock),
      now: hostClock,
    } as Partial<Gateway> as Gateway,
    { fetchImage: () => Promise.reject(new Error('not scripted')) },
  );

/** The parts of a call that the actions read. */
const callOf = <Query, Body>(parts: Partial<Call<Query, Body>>): Call<Query, Body> =>
  ({
    client: 'shop',
    caller: { client: 'shop', keyId: 'key_1', meter: 'm', bytesPerDay: 1_000_000 },
    params: {},
    ...parts,
  }) as unknown as Call<Query, Body>;

test('a rare decision is found in several requests, which end', async () => {
  const target = await endedBatch('batch_rare', ROWS);
  const actions = actionsOn(blobs);
  const body = { decision: 'rejected' as const, revision: 0 };
  await actions.decide(target, callOf({ params: { row: String(ROWS - 1) }, body }));
  const found: number[] = [];
  let cursor: string | null = '0';
  let requests = 0;
  while (cursor !== null) {
    const query = ReviewQuery.parse({ decision: 'rejected', reason: 'blurred', cursor });
    const { rows, links } = ReviewPage.parse(await actions.list(target, callOf({ query })));
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
  const actions = actionsOn(blobs);
  const body = { decision: 'approved' as const, revision: 0 };
  await actions.decide(target, callOf({ params: { row: '0' }, body }));
  expect(await actions.counts(target)).toMatchObject({
    reasons: { blurred: 6, 'gap-unsure': 6 },
    pending: [0.083, 0.167, 0.25, 0.333, 0.417, 0.5, 0.583, 0.667, 0.75, 0.833, 0.917].map(
      (confidence) => ({ confidence, rows: 1 }),
    ),
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
  const key = reviewKeys({ client: 'shop', id: 'batch_retry' }).decision(0, 1);
  expect(await blobs.head(key)).toBeUndefined();
  const expected = { decision: 'approved', revision: 1 };
  expect(await actionsOn(blobs).decide(target, call)).toMatchObject(expected);
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
  const { prefix } = reviewKeys({ client: 'shop', id: 'batch_erased' });
  for await (const { key } of blobs.list(prefix)) left.push(key);
  expect(left).toEqual([]);
});

test('a run that a newer one has followed takes no decisions', async () => {
  const target = { ...(await endedBatch('batch_closed', 1)), isOpen: false };
  const actions = actionsOn(blobs);
  const row = { params: { row: '0' } };
  const one = callOf({ ...row, body: { decision: 'approved' as const, revision: 0 } });
  await expect(actions.decide(target, one)).rejects.toMatchObject({ type: 'conflict' });
  const all = callOf({ body: { decision: 'approved' as const, minConfidence: 0 } });
  await expect(actions.approve(target, all)).rejects.toMatchObject({ type: 'conflict' });
  const expected = { decision: 'pending', history: [] };
  expect(await actions.show(target, callOf(row))).toMatchObject(expected);
});
