import { beforeEach, expect, test } from 'vitest';
import { batchKeys, putJson } from '../../../src/intake/batches/batch-files.ts';
import { batchReviewedEntry } from '../../../src/intake/batches/batch-record.ts';
import { Batches } from '../../../src/intake/batches/batches.ts';
import type { RowOutcome } from '../../../src/intake/batches/row-reader.ts';
import {
  putDecision,
  putRule,
  readHistory,
  restoreReview,
} from '../../../src/intake/review/audit.ts';
import type { Decision, DecisionName } from '../../../src/intake/review/decisions.ts';
import { decisionInEffect, ReviewDecisions } from '../../../src/intake/review/decisions.ts';
import {
  type CarriedDecisions,
  carriedFrom,
  getCarried,
  getIndexPart,
  putReview,
  putReviewChunk,
} from '../../../src/intake/review/review-files.ts';
import { thousandths, toReviewRow } from '../../../src/intake/review/review-rows.ts';
import { OUTBOX } from '../../../src/intake/webhooks/outbox.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { cutOutLine } from '../../support/ended-batch.ts';
import { useBlobs } from '../../support/use-blobs.ts';
import { useRedis } from '../../support/use-redis.ts';

const AT = '2026-11-20T12:00:00.000Z';
const NOW = Date.parse(AT);
const SHA = 'a'.repeat(64);

const { redis } = await useRedis();
const blobs = await useBlobs();
const batches = new Batches(redis, hostClock);
const reviews = new ReviewDecisions(redis);
beforeEach(() => redis.flushall());

let batchNumber = 0;
const newBatch = () => ({
  id: `batch_${++batchNumber}`,
  kind: 'batch' as const,
  client: 'shop',
  requestId: 'r',
  operations: ['remove-background' as const],
  outputSeconds: 3600,
  createdAt: AT,
  expiresAt: AT,
  webhook: { url: 'https://shop.example/hook' },
});

/** The outcome of a row; its cut-out's sha256 is its number. */
const outcome = (row: number, confidence: number, needed = true, picture = row): RowOutcome => ({
  row: { row, line: row + 1, customId: `sku-${row}`, source: { url: 'http://shop.example/a' } },
  result: cutOutLine(row, {
    sha256: String(picture),
    confidence,
    review: { needed, reasons: needed ? ['low-confidence'] : [] },
  }),
});

/** Creates a batch whose review has begun. */
async function begun(outcomes: readonly RowOutcome[], carried: CarriedDecisions = new Map()) {
  const batch = newBatch();
  await batches.create(batch);
  await putJson(blobs, batchKeys(batch).manifest, batch);
  await putReviewChunk(blobs, batch, 0, outcomes);
  const summary = await putReview(blobs, batch, async () => carried);
  await reviews.begin(batch.id, summary, AT);
  return batch;
}

const decisionOf = (decision: DecisionName, revision: number, row = 0): Decision => ({
  revision,
  decision,
  keyId: 'key_1',
  at: AT,
  version: { cutout: String(row), input: SHA },
});

const inThousandths = (row: number, needed = true, confidence = 0.5) => ({
  row,
  needed,
  thousandths: thousandths(confidence),
  carried: undefined,
});

async function countsOf(id: string) {
  const { review, reviewApproved, reviewRejected, reviewedAt } = (await batches.get(id)) ?? {};
  return { needed: review?.needed, reviewApproved, reviewRejected, isDone: !!reviewedAt };
}

test('the index has the most doubtful rows first, and only those that need a review', async () => {
  const batch = await begun([
    outcome(0, 0.9),
    outcome(1, 0.99, false),
    outcome(2, 0.2),
    outcome(3, 0.2),
    { row: { row: 4, line: 5, problem: { type: 'x', detail: 'x' } }, result: undefined },
  ]);
  const rows = await getIndexPart(blobs, batch, 0);
  expect(rows.map(({ row }) => row)).toEqual([2, 3, 0]);
  expect(rows[0]).toMatchObject({ customId: 'sku-2', imageUrl: 'http://shop.example/a' });
  expect(await countsOf(batch.id)).toMatchObject({ needed: 3, reviewApproved: 0 });
});

test('the index has 50,000 rows at most; all are counted', async () => {
  const batch = newBatch();
  const total = 101_000;
  for (let first = 0; first < total; first += 500) {
    const rows = Array.from({ length: 500 }, (_, i) => outcome(first + i, 1 - (first + i) / total));
    await putReviewChunk(blobs, batch, first / 500, rows);
  }
  const summary = await putReview(blobs, batch, async () => new Map());
  expect(summary).toMatchObject({ needed: total, indexed: 50_000 });
  expect((await getIndexPart(blobs, batch, 0))[0]?.row).toBe(total - 1);
  expect((await getIndexPart(blobs, batch, 99)).at(-1)?.row).toBe(total - 50_000);
  expect(await getIndexPart(blobs, batch, 100)).toEqual([]);
});

test('the last decision that was needed is reported once', async () => {
  const { id, ...batch } = await begun([outcome(0, 0.5), outcome(1, 0.5)]);
  const outboxEntry = batchReviewedEntry({ id, ...batch }, 'completed', NOW);
  const decide = (row: number, decision: DecisionName, expected: number) =>
    reviews.decide(id, inThousandths(row), decisionOf(decision, expected + 1), {
      expected,
      outboxEntry,
    });
  await decide(0, 'approved', 0);
  expect(await countsOf(id)).toMatchObject({ isDone: false });
  await decide(1, 'rejected', 0);
  const expectedCounts = { needed: 2, reviewApproved: 1, reviewRejected: 1, isDone: true };
  expect(await countsOf(id)).toEqual(expectedCounts);
  await decide(1, 'pending', 1);
  await decide(1, 'approved', 2);
  const entries = await redis.lrange(OUTBOX, 0, -1);
  expect(entries.map((entry) => JSON.parse(entry))).toEqual([
    expect.objectContaining({ type: 'batch.reviewed', url: batch.webhook.url }),
  ]);
});

test('a batch in which nothing needs a review is not reported as reviewed', async () => {
  const { id } = await begun([outcome(0, 0.99, false)]);
  const entry = batchReviewedEntry({ ...newBatch(), id }, 'completed', NOW);
  const decision = decisionOf('approved', 1);
  await reviews.decide(id, inThousandths(0, false), decision, { expected: 0, outboxEntry: entry });
  expect(await countsOf(id)).toMatchObject({ needed: 0, isDone: false });
  expect(await redis.llen(OUTBOX)).toBe(0);
});

test('an expired batch takes no decision', async () => {
  const { id } = await begun([outcome(0, 0.5)]);
  await batches.move(id, { from: ['open'], to: 'expired', fields: {}, dueAtMillis: NOW });
  const made = reviews.decide(id, inThousandths(0), decisionOf('approved', 1), { expected: 0 });
  expect(await made).toEqual({ outcome: 'no-review' });
  expect(await reviews.approve(id, { min: 0, keyId: 'k', at: AT }, {})).toBeUndefined();
});

test('a row keeps its last 20 decisions, and rules that a later one includes are dropped', async () => {
  const batch = await begun([outcome(0, 0.5)]);
  for (let revision = 1; revision <= 25; revision++) {
    const decision = decisionOf(revision % 2 ? 'approved' : 'pending', revision);
    const row = inThousandths(0);
    const reply = await reviews.decide(batch.id, row, decision, { expected: revision - 1 });
    expect(reply).toEqual({ outcome: 'decided', sequence: revision });
    await putDecision(blobs, batch, { ...decision, ...row, sequence: revision });
  }
  const history = await readHistory(blobs, batch, 0, 25);
  expect(history.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 20 }, (_, i) => 25 - i),
  );
  for (const min of [300, 500, 400, 400]) {
    await reviews.approve(batch.id, { min, keyId: 'k', at: AT }, {});
  }
  const { rules } = await reviews.readAll(batch.id);
  expect(rules.map(({ min }) => min)).toEqual([300, 400]);
});

/** A generator of numbers that is the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const SEEDS = [1, 2, 3];
test.each(SEEDS)('counts are right, and survive a Redis that loses its data (%i)', async (seed) => {
  const next = numbers(seed);
  const outcomes = Array.from({ length: 12 }, (_, row) =>
    outcome(row, next(1000) / 1000, row % 4 > 0),
  );
  const batch = await begun(outcomes);
  const rows = outcomes.map((each) => toReviewRow(each)!);
  const inEffect = async () => {
    const decided = await reviews.read(
      batch.id,
      rows.map(({ row }) => row),
    );
    return rows.map(({ row, confidence }) =>
      decisionInEffect(decided, decided.decisions.get(row), undefined, thousandths(confidence)),
    );
  };
  /** What the rows should be: decided one by one, or approved because they were pending. */
  const expected: DecisionName[] = rows.map(() => 'pending');
  for (let step = 0; step < 60; step++) {
    const row = next(rows.length);
    if (next(5) === 0) {
      const rule = { min: next(1001), keyId: 'key_1', at: AT };
      const made = await reviews.approve(batch.id, rule, {});
      await putRule(blobs, batch, { ...rule, sequence: made!.sequence });
      for (const [i, { confidence }] of rows.entries()) {
        if (expected[i] === 'pending' && thousandths(confidence) >= rule.min)
          expected[i] = 'approved';
      }
    } else {
      const decision = (['pending', 'approved', 'rejected'] as const)[next(3)]!;
      const { decisions } = await reviews.read(batch.id, [row]);
      const revision = decisions.get(row)?.revision ?? 0;
      const made = decisionOf(decision, revision + 1);
      const { needed, confidence } = rows[row]!;
      const decided = inThousandths(row, needed, confidence);
      const reply = await reviews.decide(batch.id, decided, made, { expected: revision });
      if (reply.outcome !== 'decided') throw new Error(reply.outcome);
      await putDecision(blobs, batch, { ...made, ...decided, sequence: reply.sequence });
      expected[row] = decision;
    }
    expect(await inEffect()).toEqual(expected);
    const needed = expected.filter((_, i) => rows[i]!.needed);
    expect(await countsOf(batch.id)).toMatchObject({
      reviewApproved: needed.filter((each) => each === 'approved').length,
      reviewRejected: needed.filter((each) => each === 'rejected').length,
    });
  }
  const before = await countsOf(batch.id);
  await redis.flushall();
  await batches.create(batch);
  await restoreReview(reviews, blobs, batch, NOW);
  expect(await inEffect()).toEqual(expected);
  const { isDone: _, ...counts } = before;
  expect(await countsOf(batch.id)).toMatchObject(counts);
  // New decisions come after the restored ones.
  await reviews.approve(batch.id, { min: 0, keyId: 'k', at: AT }, {});
  expect(await inEffect()).toEqual(
    expected.map((each) => (each === 'pending' ? 'approved' : each)),
  );
});

test('the next run has the decisions about pictures that are the same', async () => {
  const first = await begun([
    outcome(0, 0.9),
    outcome(1, 0.8),
    outcome(2, 0.2),
    outcome(3, 0.99, false),
    outcome(4, 0.95),
  ]);
  const decide = (row: number, decision: DecisionName, needed = true) =>
    reviews.decide(first.id, inThousandths(row, needed), decisionOf(decision, 1, row), {});
  await decide(1, 'rejected');
  await decide(3, 'rejected', false);
  await reviews.approve(first.id, { min: 700, keyId: 'key_2', at: AT }, {});
  await decide(4, 'pending');
  const carried = await carriedFrom({ blobs, reviews }, await batches.get(first.id));
  const decisions = [...carried.values()].map(({ sha256, decision }) => [sha256, decision]);
  expect(Object.fromEntries(decisions)).toEqual({ 0: 'approved', 1: 'rejected', 3: 'rejected' });

  // Picture 0 is gone, 1 and 2 are other rows now.
  const second = await begun([outcome(0, 0.8, true, 1), outcome(1, 0.2, true, 2)], carried);
  expect(await countsOf(second.id)).toMatchObject({ needed: 2, reviewRejected: 1 });
  expect([...(await getCarried(blobs, second)).keys()].sort()).toEqual(['1', '3']);
  const next = await carriedFrom({ blobs, reviews }, await batches.get(second.id));
  expect([...next.keys()].sort()).toEqual(['1', '3']);
});

/** A version of a cut-out that was mended. */
const versionOf = (name: string) => ({
  key: `refined/${name}.png`,
  sha256: name,
  bytes: 1,
  width: 1,
  height: 1,
  mediaType: 'image/png' as const,
});

test('mended cut-outs survive a Redis that loses its data, and hold in the next run', async () => {
  const first = await begun([outcome(0, 0.5), outcome(1, 0.6), outcome(2, 0.7)]);
  let sequence = 0;
  async function mend(row: number, versions: readonly string[], decision: DecisionName) {
    const refined = {
      original: String(row),
      thousandths: 500,
      versions: versions.map((name) => versionOf(name)),
    };
    const made = {
      ...decisionOf(decision, 1, row),
      version: { cutout: versions.at(-1) ?? String(row), input: 'i' },
    };
    const decided = inThousandths(row);
    const change = { refined, added: versions.length };
    await reviews.decide(first.id, decided, made, { change });
    await putDecision(blobs, first, { ...made, ...decided, refined, sequence: ++sequence });
  }
  await mend(0, ['a', 'b'], 'approved');
  await mend(1, ['c'], 'pending');
  await mend(2, [], 'pending');
  const before = await reviews.readAll(first.id);
  expect([...before.refined.values()].map(({ versions }) => versions.length)).toEqual([2, 1, 0]);
  await redis.flushall();
  await batches.create(first);
  await restoreReview(reviews, blobs, first, NOW);
  expect((await reviews.readAll(first.id)).refined).toEqual(before.refined);

  const carried = await carriedFrom({ blobs, reviews }, await batches.get(first.id));
  expect([...carried.values()]).toMatchObject([
    { sha256: 'b', decision: 'approved', refined: { original: '0', versions: [{ sha256: 'b' }] } },
    { sha256: 'c', decision: 'pending', refined: { original: '1', versions: [{ sha256: 'c' }] } },
  ]);
});

test('what is decided is deleted with the batch', async () => {
  const { id } = await begun([outcome(0, 0.5)]);
  await reviews.decide(id, inThousandths(0), decisionOf('approved', 1), { expected: 0 });
  await batches.remove(id);
  expect(await redis.keys('*')).toEqual([]);
});
