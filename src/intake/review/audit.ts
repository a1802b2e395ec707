import { z } from 'zod';
import type { Blobs } from '../../storage/blobs.ts';
import { type BatchRef, getJson, putJson } from '../batches/batch-files.ts';
import type { ReviewDecisions, StoredRule } from './decisions.ts';
import { ApprovalRule, DECISIONS, Decision } from './decisions.ts';
import { Refined } from './refined.ts';
import { getSummary } from './review-files.ts';
import { reviewKeys } from './review-rows.ts';

/*
 * The audit trail of reviews in object storage. Redis decides; it is rebuilt from here if it lost its data.
 */

/** Decisions about one row that are retained. */
const MAX_HISTORY = 20;

const StoredRuleFile = ApprovalRule.extend({ sequence: z.number() });

/** A decision with everything it needs to be made again. */
const AuditEntry = Decision.extend({
  sequence: z.number(),
  row: z.number(),
  needed: z.boolean(),
  /** Of its confidence. */
  thousandths: z.number(),
  carried: z.enum(DECISIONS).optional(),
  /** The row's mended cut-outs since this decision. */
  refined: Refined.optional(),
});
type AuditEntry = z.infer<typeof AuditEntry>;

/** Records a decision, and forgets the oldest about the row if there are too many. */
export async function putDecision(blobs: Blobs, batch: BatchRef, entry: AuditEntry): Promise<void> {
  const keys = reviewKeys(batch);
  const { row, revision } = entry;
  await putJson(blobs, keys.decision(row, revision), entry);
  if (revision > MAX_HISTORY) await blobs.delete(keys.decision(row, revision - MAX_HISTORY));
}

/** Records a bulk approval. An earlier one from the same confidence on has no effect any more. */
export const putRule = (blobs: Blobs, batch: BatchRef, rule: StoredRule): Promise<void> =>
  putJson(blobs, reviewKeys(batch).rule(rule.min), rule);

/** Deletes what was recorded about a batch that was deleted meanwhile. */
export const dropRecorded = (blobs: Blobs, batch: BatchRef): Promise<number> =>
  blobs.deleteAll(reviewKeys(batch).prefix);

/** Returns the latest decisions about a row, the newest first. @param revision of the newest */
export async function readHistory(
  blobs: Blobs,
  batch: BatchRef,
  row: number,
  revision: number,
): Promise<AuditEntry[]> {
  const keys = reviewKeys(batch);
  const revisions = Array.from({ length: Math.min(revision, MAX_HISTORY) }, (_, i) => revision - i);
  const found = await Promise.all(
    revisions.map((number) => getJson(blobs, keys.decision(row, number))),
  );
  return found.flatMap((entry) => AuditEntry.safeParse(entry).data ?? []);
}

/** Returns the key of the newest decision about each row. */
async function newestDecisions(blobs: Blobs, prefix: string): Promise<string[]> {
  const newest = new Map<string, { key: string; revision: number }>();
  for await (const { key } of blobs.list(prefix)) {
    const [, row = '', digits = ''] = /\/(\d+)-(\d+)\.json$/.exec(key) ?? [];
    const revision = Number(digits);
    if (revision > (newest.get(row)?.revision ?? 0)) newest.set(row, { key, revision });
  }
  return [...newest.values()].map(({ key }) => key);
}

async function readAll<T>(blobs: Blobs, keys: Iterable<string>, schema: z.ZodType<T>) {
  const found: T[] = [];
  for (const key of keys) found.push(schema.parse(await getJson(blobs, key)));
  return found;
}

async function listKeys(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys;
}

/** Makes the review of a batch again, from object storage, beside a record that was restored. */
export async function restoreReview(
  decisions: ReviewDecisions,
  blobs: Blobs,
  batch: BatchRef,
  nowMillis: number,
): Promise<void> {
  const summary = await getSummary(blobs, batch);
  if (!summary) return;
  const { id } = batch;
  await decisions.begin(id, summary, new Date(nowMillis).toISOString());
  const keys = reviewKeys(batch);
  const entries = await readAll(blobs, await newestDecisions(blobs, keys.decisions), AuditEntry);
  const rules = await readAll(blobs, await listKeys(blobs, keys.rules), StoredRuleFile);
  const inOrder = [...entries, ...rules].sort((a, b) => a.sequence - b.sequence);
  for (const { sequence, ...made } of inOrder) {
    if ('min' in made) await decisions.approve(id, made, { sequence });
    else {
      const { row, needed, thousandths, carried, refined, ...decision } = made;
      const decided = { row, needed, thousandths, carried };
      const change = refined && { refined, added: refined.versions.length };
      await decisions.decide(id, decided, decision, { sequence, change });
    }
  }
}
