import type { Gateway } from '../../../gateway.ts';
import { batchFiles, isRejected, rowCount } from '../../../intake/batches/batch-files.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import { joinResults } from '../../../intake/batches/row-reader.ts';
import { getIndexPart, getSummary, INDEX_PART_ROWS } from '../../../intake/review/review-files.ts';
import { type ReviewRow, toReviewRow } from '../../../intake/review/review-rows.ts';
import { Problem } from '../../../platform/problem.ts';
import { findChunk } from '../batches/reports.ts';

type Services = Pick<Gateway, 'batches' | 'blobs'>;

/** Some rows of a list, and the cursor after each. */
interface RowBlock {
  rows: { row: ReviewRow; cursor: number }[];
  /** Where the next block begins; undefined after the last. */
  next: number | undefined;
}

/** Reads the rows that follow a cursor, as many as one file has. */
type ReadBlock = (cursor: number) => Promise<RowBlock>;

const NOTHING: RowBlock = { rows: [], next: undefined };

/** Reads rows that need a review, the most doubtful first. */
export async function neededBlocks({ blobs }: Services, batch: BatchRecord): Promise<ReadBlock> {
  const { indexed = 0 } = (await getSummary(blobs, batch)) ?? {};
  return async (cursor) => {
    if (cursor >= indexed) return NOTHING;
    const part = Math.floor(cursor / INDEX_PART_ROWS);
    const rows = await getIndexPart(blobs, batch, part);
    const first = part * INDEX_PART_ROWS;
    const end = first + rows.length;
    return {
      rows: rows.slice(cursor - first).map((row, i) => ({ row, cursor: cursor + i + 1 })),
      next: end < indexed ? end : undefined,
    };
  };
}

/** Reads the rows of a chunk, and those of them that have a cut-out. */
async function readChunk({ blobs }: Services, batch: BatchRecord, chunk: number) {
  const files = batchFiles(blobs, batch);
  const lines = await files.rows(chunk);
  const results = await files.results(chunk);
  const accepted = lines.filter((line) => !isRejected(line));
  const rows = [...joinResults(accepted, results)].flatMap((outcome) => toReviewRow(outcome) ?? []);
  return { lines, results, rows };
}

/** Reads all rows that have a cut-out, in upload order. */
export async function allBlocks(services: Services, batch: BatchRecord): Promise<ReadBlock> {
  const firstRows = await services.batches.firstRows(batch.id);
  return async (cursor) => {
    const chunk = findChunk(firstRows, cursor);
    if (chunk < 0) return NOTHING;
    const { rows } = await readChunk(services, batch, chunk);
    return {
      rows: rows.filter(({ row }) => row >= cursor).map((row) => ({ row, cursor: row.row + 1 })),
      next: firstRows[chunk + 1],
    };
  };
}

/** @throws Problem not-found if there is no such row, or if it has no cut-out */
export async function readReviewRow(
  services: Services,
  batch: BatchRecord,
  text: string,
): Promise<ReviewRow> {
  const missing = new Problem('not-found', 'There is no such row');
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  const chunk = findChunk(await services.batches.firstRows(batch.id), number);
  if (chunk < 0) throw missing;
  const { lines, results, rows } = await readChunk(services, batch, chunk);
  const found = rows.find(({ row }) => row === number);
  if (found) return found;
  const line = lines.find((each) => each.row <= number && number < each.row + rowCount(each));
  if (!line) throw missing;
  const result = results.find(({ row }) => row === number);
  if (isRejected(line))
    throw new Problem('not-found', `The row was rejected: ${line.problem.detail}`);
  if (result?.status === 'failed')
    throw new Problem('not-found', `The row failed: ${result.problem.detail}`);
  throw new Problem('not-found', 'The row has no cut-out, so there is nothing to decide about');
}
