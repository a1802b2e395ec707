import { z } from 'zod';
import type { Gateway } from '../../../gateway.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import { type DecisionName, decisionInEffect } from '../../../intake/review/decisions.ts';
import { type MendedRow, outcomeWithNewest } from '../../../intake/review/refined.ts';
import { carriedRefined, getCarried } from '../../../intake/review/review-files.ts';
import { thousandths, toReviewRow } from '../../../intake/review/review-rows.ts';
import { requireReview } from './actions.ts';

const EXPORT_POLICIES = ['all', 'passed', 'approved'] as const;
export type ExportPolicy = (typeof EXPORT_POLICIES)[number];

export const exportPolicyField = z
  .enum(EXPORT_POLICIES)
  .meta({
    id: 'ExportPolicy',
    default: 'all',
    description:
      '`passed`: only cut-outs that need no review and are not rejected, mended ones once they are approved. `approved`: these, and those that were approved. Needs the end of the processing',
  })
  .optional();

type ExportedRow = Pick<MendedRow, 'needed' | 'refinements'>;

/** A cut-out that nobody has approved is published only as it was made, and if it needs no review. */
const isPublished = ({ needed, refinements }: ExportedRow, decision: DecisionName): boolean =>
  decision === 'approved' || (decision === 'pending' && !needed && !refinements);

const IS_EXPORTED: Readonly<
  Record<ExportPolicy, (row: ExportedRow, decision: DecisionName) => boolean>
> = {
  all: () => true,
  passed: (row, decision) => !row.needed && isPublished(row, decision),
  approved: isPublished,
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

function withoutCutOut(outcome: RowOutcome): RowOutcome {
  const { result } = outcome;
  if (result?.status !== 'succeeded') return outcome;
  const { picture: _, results, ...rest } = result;
  const { cutout: __, ...others } = results;
  return { ...outcome, result: { ...rest, results: others } };
}

/**
 * Puts the newest version in the place of each mended cut-out, and removes the cut-outs that an export must not have;
 * the rows stay.
 * @throws Problem conflict if the batch or run has no review, unless all are exported
 */
export function applyExportPolicy(
  { blobs, reviews }: Pick<Gateway, 'blobs' | 'reviews'>,
  batch: BatchRecord,
  policy: ExportPolicy,
  outcomes: AsyncIterable<RowOutcome>,
): AsyncIterable<RowOutcome> {
  if (policy === 'all' && !batch.review) return outcomes;
  requireReview(batch);
  async function* filtered(): AsyncGenerator<RowOutcome> {
    const carried = await getCarried(blobs, batch);
    const mendedBefore = carriedRefined(carried);
    for await (const block of inBlocks(outcomes)) {
      const numbers = block.map(({ row }) => row.row);
      const decided = await reviews.read(batch.id, numbers);
      const known = { ...decided, carriedRefined: mendedBefore };
      for (const made of block) {
        const category = known.decisions.get(made.row.row)?.category;
        const outcome = { ...outcomeWithNewest(made, known), ...(category && { category }) };
        const row = toReviewRow(outcome);
        if (!row) {
          yield outcome;
          continue;
        }
        const own = known.decisions.get(row.row);
        const earlier = carried.get(row.sha256)?.decision;
        const decision = decisionInEffect(known, own, earlier, thousandths(row.confidence));
        const { refinements = 0 } = outcome;
        const isExported = IS_EXPORTED[policy]({ ...row, refinements }, decision);
        yield isExported ? outcome : withoutCutOut(outcome);
      }
    }
  }
  return filtered();
}
