import type { Gateway } from '../../../gateway.ts';
import type { Call, Reply } from '../../../http/route.ts';
import {
  BATCH_TERMINAL_STATUSES,
  type BatchRecord,
  batchReviewedEntry,
} from '../../../intake/batches/batch-record.ts';
import { putRule, readHistory } from '../../../intake/review/audit.ts';
import type { Decision } from '../../../intake/review/decisions.ts';
import { type MendedRow, withNewest } from '../../../intake/review/refined.ts';
import { carriedRefined, getCarried, getSummary } from '../../../intake/review/review-files.ts';
import { type ReviewRow, thousandths } from '../../../intake/review/review-rows.ts';
import { Problem } from '../../../platform/problem.ts';
import type { ImageRequests } from '../../removal/image-requests.ts';
import { reviewCounts } from '../batches/response.ts';
import { RETRY_SOON } from '../job-response.ts';
import { hasWholeAlpha } from '../refine-stored.ts';
import {
  actorOf,
  decideRow,
  decisionMembers,
  type Known,
  noReview,
  recordDecided,
  toHistoryLine,
} from './decide-row.ts';
import { readPhoto } from './photo.ts';
import { allBlocks, neededBlocks, readReviewRow } from './read-rows.ts';
import type {
  ApprovalRequest,
  DecisionRequest,
  ReviewQuery,
  ReviewRowResponse,
} from './schemas.ts';

/** A batch or run whose rows a request is about. */
export interface RowsTarget {
  batch: BatchRecord;
  links: { review: string; duplicates: string };
  /** Whether what is decided now has an effect: not about a run that a newer one has followed. */
  isOpen: boolean;
  /** Returns a link to a cut-out; undefined if it is not there any more. */
  linkOf(row: ReviewRow): string | undefined;
}

/** What the routes of a batch's rows and those of a run's rows differ in. */
export interface RowsRoutesOptions {
  /** Path of the batch or run, with parameters. */
  path: string;
  /** In operation ids, such as `getBatchDuplicates`. */
  name: 'Batch' | 'FeedRun';
  /** Returns the counts that events report, by default those of its rows. */
  countsOf?: (batch: BatchRecord) => Readonly<Record<string, number>>;
  /** @throws Problem not-found, gone, insufficient-scope */
  readTarget(call: Call): Promise<RowsTarget>;
}

/** Files read for one page: a rare reason or decision is found in several requests. */
const MAX_BLOCKS = 10;

/** @throws Problem conflict if the batch or run has no review */
export function requireReview({ status, review }: BatchRecord): void {
  if (review) return;
  if (BATCH_TERMINAL_STATUSES.includes(status)) throw noReview();
  const detail = 'The review begins when all rows are processed';
  throw new Problem('conflict', detail, { headers: RETRY_SOON });
}

/** @throws Problem conflict if nothing can be decided */
export function requireOpen({ batch, isOpen }: RowsTarget): void {
  requireReview(batch);
  if (isOpen) return;
  throw new Problem(
    'conflict',
    'This is not the last completed run of its feed; decide about the pictures of that one',
  );
}

/** Returns the picture that a decision is about. */
export const versionOf = ({ sha256, inputSha256, ...row }: MendedRow): Decision['version'] => ({
  cutout: sha256,
  input: inputSha256,
  ...(row.refinements !== undefined && { refinements: row.refinements }),
});

export class ReviewActions {
  readonly #services;
  readonly #images;

  constructor(services: Gateway, images: Pick<ImageRequests, 'fetchImage'>) {
    this.#services = services;
    this.#images = images;
  }

  /** @throws Problem not-found, upstream-unavailable */
  readRow(batch: BatchRecord, { params }: Pick<Call, 'params'>): Promise<ReviewRow> {
    return readReviewRow(this.#services, batch, params.row ?? '');
  }

  #toResponse({ batch, links, linkOf }: RowsTarget, made: ReviewRow, known: Known) {
    const row = withNewest(made, known);
    const { key: _, sha256, inputSha256: __, ...fields } = row;
    const url = linkOf(row);
    return {
      ...fields,
      ...decisionMembers(batch, row, known),
      ...(!hasWholeAlpha(batch.options) && { needsAlpha: true }),
      cutout: { sha256, ...(url !== undefined && { url }) },
      links: { self: `${links.review}/${row.row}` },
    };
  }

  /** Reads what earlier runs of the feed know. */
  async #readCarried(batch: BatchRecord) {
    const carried = await getCarried(this.#services.blobs, batch);
    return { carried, carriedRefined: carriedRefined(carried) };
  }

  /** @throws Problem upstream-unavailable */
  async readKnown(batch: BatchRecord, { row }: ReviewRow): Promise<Known> {
    const earlier = await this.#readCarried(batch);
    return { ...(await this.#services.reviews.read(batch.id, [row])), ...earlier };
  }

  async #readPage(target: RowsTarget, query: ReviewQuery) {
    const { batch } = target;
    const blocksOf = query.needed === 'true' ? neededBlocks : allBlocks;
    const readBlock = await blocksOf(this.#services, batch);
    const earlier = await this.#readCarried(batch);
    const found: ReviewRowResponse[] = [];
    let cursor: number | undefined = query.cursor;
    for (let blocks = 0; blocks < MAX_BLOCKS && cursor !== undefined; blocks++) {
      const block = await readBlock(cursor);
      const numbers = block.rows.map(({ row }) => row.row);
      const known = { ...(await this.#services.reviews.read(batch.id, numbers)), ...earlier };
      for (const { row, cursor: after } of block.rows) {
        if (query.reason !== undefined && !row.reasons.includes(query.reason)) continue;
        const response = this.#toResponse(target, row, known);
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
  async #countsOf({ id }: BatchRecord) {
    const batch = await this.#services.batches.get(id);
    return batch && reviewCounts(batch);
  }

  async showRow(target: RowsTarget, row: ReviewRow): Promise<ReviewRowResponse> {
    return this.#toResponse(target, row, await this.readKnown(target.batch, row));
  }

  async list(target: RowsTarget, { query }: Call<ReviewQuery>): Promise<object> {
    requireReview(target.batch);
    const { rows, next } = await this.#readPage(target, query);
    const { cursor: _, limit, needed, ...filters } = query;
    const parameters = new URLSearchParams({ limit: String(limit), needed });
    for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value);
    parameters.set('cursor', String(next));
    const links = next !== undefined && { links: { next: `${target.links.review}?${parameters}` } };
    return { review: reviewCounts(target.batch), rows, ...links };
  }

  /** Counts the rows by reason, and those that are pending by confidence. */
  async counts({ batch }: RowsTarget): Promise<object> {
    requireReview(batch);
    const [summary, pending] = await Promise.all([
      getSummary(this.#services.blobs, batch),
      this.#services.reviews.pendingRows(batch.id),
    ]);
    return {
      review: reviewCounts(batch),
      reasons: summary?.reasons,
      pending: [...pending].map(([min, rows]) => ({ confidence: min / 1000, rows })),
    };
  }

  /** Returns the photo of a row. @throws Problem gone if it cannot be had any more */
  async photo({ batch }: RowsTarget, call: Call): Promise<Reply> {
    requireReview(batch);
    const row = await this.readRow(batch, call);
    return readPhoto(this.#images, this.#services.blobs, batch, row, call);
  }

  /** @throws Problem conflict, not-found */
  async show(target: RowsTarget, call: Call): Promise<object> {
    const { batch } = target;
    requireReview(batch);
    const row = await this.readRow(batch, call);
    const known = await this.readKnown(batch, row);
    const response = this.#toResponse(target, row, known);
    const newest = known.decisions.get(row.row);
    if (!newest) return { ...response, history: [] };
    const { blobs } = this.#services;
    const earlier = newest.revision - 1;
    const older = await readHistory(blobs, batch, row.row, earlier);
    const history = [newest, ...older].map((each) => toHistoryLine(batch.client, each));
    return { ...response, history };
  }

  /** @throws Problem conflict with the present decision; not-found, quota-exceeded */
  async decide(target: RowsTarget, call: Call<unknown, DecisionRequest>): Promise<object> {
    const { batch } = target;
    requireOpen(target);
    await this.#services.storedBytes.check(call.caller);
    const made = await this.readRow(batch, call);
    const known = await this.readKnown(batch, made);
    const row = withNewest(made, known);
    const { revision, ...request } = call.body;
    const decision = {
      ...request,
      revision: revision + 1,
      keyId: actorOf(call),
      at: new Date(this.#services.now()).toISOString(),
      version: versionOf(row),
    };
    await decideRow(this.#services, call.caller, { batch, row, known }, decision);
    return this.showRow(target, made);
  }

  /** Approves what is pending from a confidence on. */
  async approve(target: RowsTarget, call: Call<unknown, ApprovalRequest>): Promise<object> {
    const { batch } = target;
    requireOpen(target);
    const { reviews, blobs, now } = this.#services;
    const nowMillis = now();
    const rule = {
      min: thousandths(call.body.minConfidence),
      keyId: actorOf(call),
      at: new Date(nowMillis).toISOString(),
    };
    const outboxEntry = batchReviewedEntry(batch, batch.status, nowMillis);
    const made = await reviews.approve(batch.id, rule, { outboxEntry });
    if (!made) throw noReview();
    const { sequence, approved } = made;
    const put = () => putRule(blobs, batch, { ...rule, sequence });
    await recordDecided(this.#services, batch, put);
    return { approved, review: await this.#countsOf(batch) };
  }
}
