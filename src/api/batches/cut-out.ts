import type { Readable } from 'node:stream';
import { BATCH_ENDED, type Batches, type BatchRecord } from '../../jobs/batches/batches.ts';
import { ResultLine, RowLine, type StoredCutOut } from '../../jobs/batches/lines.ts';
import { Problem, unavailable } from '../../problem.ts';
import { batchFiles } from '../../store/batch-files.ts';
import { BlobMissing, type Blobs } from '../../store/blobs.ts';
import { ASK_AGAIN, failureProblem } from '../job-answer.ts';
import { chunkOf } from './reports.ts';

export interface CutOutParts {
  batches: Batches;
  blobs: Blobs;
}

const noRow = (): Problem => new Problem('not-found', 'The batch has no such row');

export const gone = (): Problem =>
  new Problem('gone', 'The results of this batch have expired or were erased');

const down = (cause: unknown): never => {
  throw unavailable('The batch cannot be read right now; try again', 1, cause);
};

/** What a row came to, from Redis or the store, wherever it is now. */
async function resultOf(
  { batches, blobs }: CutOutParts,
  { id, client }: BatchRecord,
  chunk: number,
  row: number,
): Promise<ResultLine | undefined> {
  const open = await batches.results(id, chunk).catch(down);
  const known = open.find((result) => result.row === row);
  if (known) return known;
  const written = await batchFiles(blobs, client, id).results(chunk).catch(down);
  return written.map((line) => ResultLine.parse(line)).find((result) => result.row === row);
}

/** @throws Problem not-found, conflict */
async function withoutResult(
  { blobs }: CutOutParts,
  { id, client, status }: BatchRecord,
  chunk: number,
  row: number,
): Promise<never> {
  const rows = await batchFiles(blobs, client, id).rows(chunk).catch(down);
  const line = rows.map((each) => RowLine.parse(each)).find((each) => each.row === row);
  if (!line) throw noRow();
  if ('problem' in line)
    throw new Problem('not-found', `The row was rejected: ${line.problem.detail}`);
  if (BATCH_ENDED.includes(status)) throw new Problem('conflict', 'The row was not done');
  throw new Problem('conflict', 'The row is not done yet', { headers: ASK_AGAIN });
}

/**
 * The cut-out of one row as a stream.
 * @throws Problem not-found, conflict while there is none yet, gone, or the row's own
 */
export async function openCutOut(
  parts: CutOutParts,
  batch: BatchRecord,
  row: number,
  signal: AbortSignal,
): Promise<{ body: Readable; cutout: StoredCutOut }> {
  if (!Number.isSafeInteger(row) || row < 0) throw noRow();
  const chunk = chunkOf(await parts.batches.firstRows(batch.id).catch(down), row);
  if (chunk < 0) throw noRow();
  const result =
    (await resultOf(parts, batch, chunk, row)) ?? (await withoutResult(parts, batch, chunk, row));
  if (result.status === 'failed') throw failureProblem(result.problem);
  const { cutout } = result.results;
  if (!cutout) throw new Problem('not-found', 'This batch makes no images; see its results');
  const body = await parts.blobs.open(cutout.key, signal).catch((error) => {
    if (error instanceof BlobMissing) throw gone();
    throw unavailable('The store does not answer; try again', 1, error);
  });
  return { body, cutout };
}
