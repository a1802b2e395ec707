import { z } from 'zod';
import type { BatchRecord } from '../../../intake/batches/batches.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import {
  type DecisionName,
  decisionInEffect,
  type ReviewDecisions,
} from '../../../intake/review/decisions.ts';
import { getCarried } from '../../../intake/review/review-files.ts';
import { type ReviewRow, thousandths, toReviewRow } from '../../../intake/review/review-rows.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { requireReview } from './actions.ts';

/** Which cut-outs an export has. */
const EXPORT_POLICIES = ['all', 'passed', 'approved'] as const;
type ExportPolicy = (typeof EXPORT_POLICIES)[number];

/** The query parameter `export`. */
export const exportPolicyField = z.enum(EXPORT_POLICIES).default('all').meta({
  description:
    '`passed`: only cut-outs that need no review and are not rejected. `approved`: these, and those that were approved. Needs the end of the processing',
});

const IS_EXPORTED: Readonly<
  Record<ExportPolicy, (row: Pick<ReviewRow, 'needed'>, decision: DecisionName) => boolean>
> = {
  all: () => true,
  passed: ({ needed }, decision) => !needed && decision !== 'rejected',
  approved: ({ needed }, decision) =>
    decision === 'approved' || (!needed && decision === 'pending'),
};

/** Rows whose decisions are read at once. */
const BLOCK_ROWS = 500;

/** Groups rows, so that their decisions are read together. */
async function* inBlocks(outcomes: AsyncIterable<RowOutcome>): AsyncGenerator<RowOutcome[]> {
  let block: RowOutcome[] = [];
  for await (const outcome of outcomes) {
    block.push(outcome);
    if (block.length < BLOCK_ROWS) continue;
    yield block;
    block = [];
  }
  yield block;
}

/** Returns a row without its cut-out and picture. */
function withoutCutOut(outcome: RowOutcome): RowOutcome {
  const { result } = outcome;
  if (result?.status !== 'succeeded') return outcome;
  const { picture: _, results, ...rest } = result;
  const { cutout: __, ...others } = results;
  return { ...outcome, result: { ...rest, results: others } };
}

interface ExportDeps {
  blobs: Blobs;
  reviews: Pick<ReviewDecisions, 'read'>;
}

/**
 * Removes the cut-outs that an export must not have; the rows stay.
 * @throws Problem conflict if the batch or run has no review
 */
export function applyExportPolicy(
  { blobs, reviews }: ExportDeps,
  batch: BatchRecord,
  policy: ExportPolicy,
  outcomes: AsyncIterable<RowOutcome>,
): AsyncIterable<RowOutcome> {
  if (policy === 'all') return outcomes;
  requireReview(batch);
  async function* filtered(): AsyncGenerator<RowOutcome> {
    const carried = await getCarried(blobs, batch);
    for await (const block of inBlocks(outcomes)) {
      const known = await reviews.read(
        batch.id,
        block.map(({ row }) => row.row),
      );
      for (const outcome of block) {
        const row = toReviewRow(outcome);
        if (!row) {
          yield outcome;
          continue;
        }
        const own = known.decisions.get(row.row);
        const earlier = carried.get(row.sha256)?.decision;
        const decision = decisionInEffect(known, own, earlier, thousandths(row.confidence));
        yield IS_EXPORTED[policy](row, decision) ? outcome : withoutCutOut(outcome);
      }
    }
  }
  return filtered();
}
