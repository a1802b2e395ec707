import type { Call } from '../../../http/route.ts';
import {
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from '../../../intake/batches/batches.ts';
import { batchReviewedEntry } from '../../../intake/batches/links.ts';
import { dropRecorded, putDecision, putRule, readHistory } from '../../../intake/review/audit.ts';
import type {
  Decision,
  ReviewDecisions,
  StoredDecision,
} from '../../../intake/review/decisions.ts';
import { getCarried } from '../../../intake/review/review-files.ts';
import { type ReviewRow, thousandths } from '../../../intake/review/review-rows.ts';
import type { StoredBytes } from '../../../intake/stored-bytes.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { requireCaller } from '../../caller.ts';
import { throwUnavailable } from '../../common-problems.ts';
import { reviewMember } from '../batches/response.ts';
import { RETRY_SOON } from '../job-response.ts';
import { decisionConflict, decisionMembers, type Known, toHistoryLine } from './decision-view.ts';
import { allBlocks, neededBlocks, readReviewRow } from './read-rows.ts';
import type {
  ApprovalRequest,
  DecisionRequest,
  ReviewQuery,
  ReviewRowResponse,
} from './schemas.ts';

interface ReviewDeps {
  batches: Batches;
  blobs: Blobs;
  storedBytes: Pick<StoredBytes, 'check' | 'add'>;
  reviews: ReviewDecisions;
  now: Clock;
}

/** The batch or run that is reviewed. */
export interface ReviewTarget {
  batch: BatchRecord;
  /** Path of its review. */
  path: string;
  /** Whether what is decided now has an effect: not about a run that a newer one has followed. */
  isOpen: boolean;
  /** Returns a link to a cut-out; undefined if it is not there any more. */
  linkOf(row: ReviewRow): string | undefined;
}

/** Files read for one page: a rare reason or decision is found in several requests. */
const MAX_BLOCKS = 10;

const reviewUnavailable = throwUnavailable('The review cannot be read right now; try again');
const notRecorded = throwUnavailable(
  'The decision cannot be stored right now; send the same request again',
);

const noReview = (): Problem =>
  new Problem(
    'conflict',
    'There is no review: no row was processed, or by a release without reviews',
  );

/** @throws Problem conflict if the batch or run has no review */
export function requireReview({ status, review }: BatchRecord): void {
  if (review) return;
  if (BATCH_TERMINAL_STATUSES.includes(status)) throw noReview();
  const detail = 'The review begins when all rows are processed';
  throw new Problem('conflict', detail, { headers: RETRY_SOON });
}

/** @throws Problem conflict if nothing can be decided */
function requireOpen({ batch, isOpen }: ReviewTarget): void {
  requireReview(batch);
  if (isOpen) return;
  throw new Problem(
    'conflict',
    'This is not the last completed run of its feed; decide about the pictures of that one',
  );
}

const tooManyDecisions = (): Problem =>
  new Problem('conflict', 'Too many rows are decided one by one; approve the others in bulk');

/** Whether a request was repeated: the present decision is the one it has made. */
const isSame = (present: Decision, { revision, decision, note, keyId }: Decision): boolean =>
  present.revision === revision &&
  present.decision === decision &&
  present.note === note &&
  present.keyId === keyId;

/** Creates the actions behind the routes of reviews. */
export function createReviewActions({ batches, blobs, storedBytes, reviews, now }: ReviewDeps) {
  const deps = { batches, blobs };

  /** @throws Problem not-found, upstream-unavailable */
  const readRow = (batch: BatchRecord, { params }: Pick<Call, 'params'>): Promise<ReviewRow> =>
    readReviewRow(deps, batch, params.row ?? '').catch((error) => {
      if (error instanceof Problem) throw error;
      return reviewUnavailable(error);
    });

  function toResponse({ batch, path, linkOf }: ReviewTarget, row: ReviewRow, known: Known) {
    const { key: _, sha256, inputSha256: __, ...fields } = row;
    const url = linkOf(row);
    return {
      ...fields,
      ...decisionMembers(batch, row, known),
      cutout: { sha256, ...(url !== undefined && { url }) },
      links: { self: `${path}/${row.row}` },
    };
  }

  async function readKnown(batch: BatchRecord, rows: readonly ReviewRow[]): Promise<Known> {
    const numbers = rows.map(({ row }) => row);
    return { ...(await reviews.read(batch.id, numbers)), carried: await getCarried(blobs, batch) };
  }

  async function readPage(target: ReviewTarget, query: ReviewQuery) {
    const { batch } = target;
    const readBlock = await (query.needed === 'true' ? neededBlocks : allBlocks)(deps, batch);
    const carried = await getCarried(blobs, batch);
    const found: ReviewRowResponse[] = [];
    let cursor: number | undefined = query.cursor;
    for (let blocks = 0; blocks < MAX_BLOCKS && cursor !== undefined; blocks++) {
      const block = await readBlock(cursor);
      const numbers = block.rows.map(({ row }) => row.row);
      const known = { ...(await reviews.read(batch.id, numbers)), carried };
      for (const { row, cursor: after } of block.rows) {
        if (query.reason !== undefined && !row.reasons.includes(query.reason)) continue;
        const response = toResponse(target, row, known);
        if (query.decision !== undefined && response.decision !== query.decision) continue;
        if (found.length === query.limit) return { rows: found, next: cursor };
        found.push(response);
        cursor = after;
      }
      cursor = block.next;
    }
    return { rows: found, next: cursor };
  }

  /** Reads the counts again after a change. */
  async function countsOf({ id }: BatchRecord) {
    const batch = await batches.get(id).catch(reviewUnavailable);
    return batch ? reviewMember(batch).review : undefined;
  }

  function toDecision(call: Call<unknown, DecisionRequest>, row: ReviewRow): Decision {
    const { revision, ...request } = call.body;
    return {
      ...request,
      revision: revision + 1,
      keyId: requireCaller(call).keyId,
      at: new Date(now()).toISOString(),
      version: { cutout: row.sha256, input: row.inputSha256 },
    };
  }

  /** Decides about a row in Redis. A request that is repeated gets the decision it has made. */
  async function decideOnce(
    batch: BatchRecord,
    row: Parameters<ReviewDecisions['decide']>[1],
    decision: Decision,
  ): Promise<StoredDecision> {
    const outboxEntry = batchReviewedEntry(batch, batch.status, Date.parse(decision.at));
    const options = { expected: decision.revision - 1, outboxEntry };
    const reply = await reviews.decide(batch.id, row, decision, options).catch(reviewUnavailable);
    if (reply.outcome === 'decided') return { ...decision, sequence: reply.sequence };
    if (reply.outcome === 'no-review') throw noReview();
    if (reply.outcome === 'too-many') throw tooManyDecisions();
    const { present } = reply;
    if (present && isSame(present, decision)) return present;
    throw decisionConflict(batch.client, present);
  }

  /** Records what was decided, for a Redis that loses its data. @param put writes it to object storage */
  async function record(batch: BatchRecord, put: () => Promise<void>): Promise<void> {
    await put().catch(notRecorded);
    const current = await batches.get(batch.id).catch(notRecorded);
    if (!current || current.status === 'expired') await dropRecorded(blobs, batch);
  }

  return {
    async list(target: ReviewTarget, { query }: Call<ReviewQuery>): Promise<object> {
      requireReview(target.batch);
      const { rows, next } = await readPage(target, query).catch(reviewUnavailable);
      const { cursor: _, limit, needed, ...filters } = query;
      const parameters = new URLSearchParams({ limit: String(limit), needed });
      for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value);
      parameters.set('cursor', String(next));
      const links = next !== undefined && { links: { next: `${target.path}?${parameters}` } };
      return { ...reviewMember(target.batch), rows, ...links };
    },

    /** @throws Problem conflict, not-found */
    async show(target: ReviewTarget, call: Call): Promise<object> {
      const { batch } = target;
      requireReview(batch);
      const row = await readRow(batch, call);
      const known = await readKnown(batch, [row]).catch(reviewUnavailable);
      const response = toResponse(target, row, known);
      const newest = known.decisions.get(row.row);
      const older = newest
        ? await readHistory(blobs, batch, row.row, newest.revision - 1).catch(reviewUnavailable)
        : [];
      const history = newest ? [newest, ...older] : [];
      return { ...response, history: history.map((each) => toHistoryLine(batch.client, each)) };
    },

    /** Decides about one row. @throws Problem conflict with the present decision; not-found, quota-exceeded */
    async decide(target: ReviewTarget, call: Call<unknown, DecisionRequest>): Promise<object> {
      const { batch } = target;
      requireOpen(target);
      const caller = requireCaller(call);
      await storedBytes.check(caller);
      const row = await readRow(batch, call);
      const carried = await getCarried(blobs, batch).catch(reviewUnavailable);
      const decided = {
        row: row.row,
        needed: row.needed,
        thousandths: thousandths(row.confidence),
        carried: carried.get(row.sha256)?.decision,
      };
      const entry = { ...(await decideOnce(batch, decided, toDecision(call, row))), ...decided };
      await record(batch, () => putDecision(blobs, batch, entry));
      await storedBytes.add(caller, Buffer.byteLength(JSON.stringify(entry)));
      const known = await reviews.read(batch.id, [row.row]).catch(reviewUnavailable);
      return toResponse(target, row, { ...known, carried });
    },

    /** Approves what is pending from a confidence on. */
    async approve(target: ReviewTarget, call: Call<unknown, ApprovalRequest>): Promise<object> {
      const { batch } = target;
      requireOpen(target);
      const nowMillis = now();
      const { keyId } = requireCaller(call);
      const rule = {
        min: thousandths(call.body.minConfidence),
        keyId,
        at: new Date(nowMillis).toISOString(),
      };
      const outboxEntry = batchReviewedEntry(batch, batch.status, nowMillis);
      const made = await reviews.approve(batch.id, rule, { outboxEntry }).catch(reviewUnavailable);
      if (!made) throw noReview();
      const { sequence, approved } = made;
      await record(batch, () => putRule(blobs, batch, { ...rule, sequence }));
      return { approved, review: await countsOf(batch) };
    },
  };
}

export type ReviewActions = ReturnType<typeof createReviewActions>;
