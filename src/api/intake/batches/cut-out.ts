import type { Readable } from 'node:stream';
import { batchFiles } from '../../../intake/batches/batch-files.ts';
import {
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from '../../../intake/batches/batches.ts';
import { ResultLine, RowLine } from '../../../intake/batches/rows.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import type { StoredCutOut } from '../../../queue/job-data.ts';
import { BlobMissing, type Blobs } from '../../../storage/blobs.ts';
import { failureProblem, RETRY_SOON } from '../job-response.ts';
import { chunkOf } from './reports.ts';

export interface CutOutDeps {
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
  { batches, blobs }: CutOutDeps,
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
  { blobs }: CutOutDeps,
  { id, client, status }: BatchRecord,
  chunk: number,
  row: number,
): Promise<never> {
  const rows = await batchFiles(blobs, client, id).rows(chunk).catch(down);
  const line = rows.map((each) => RowLine.parse(each)).find((each) => each.row === row);
  if (!line) throw noRow();
  if ('problem' in line)
    throw new Problem('not-found', `The row was rejected: ${line.problem.detail}`);
  if (BATCH_TERMINAL_STATUSES.includes(status))
    throw new Problem('conflict', 'The row was not done');
  throw new Problem('conflict', 'The row is not done yet', { headers: RETRY_SOON });
}

/**
 * The cut-out of one row as a stream.
 * @throws Problem not-found, conflict while there is none yet, gone, or the row's own
 */
export async function openCutOut(
  deps: CutOutDeps,
  batch: BatchRecord,
  row: number,
  signal: AbortSignal,
): Promise<{ body: Readable; cutout: StoredCutOut }> {
  if (!Number.isSafeInteger(row) || row < 0) throw noRow();
  const chunk = chunkOf(await deps.batches.firstRows(batch.id).catch(down), row);
  if (chunk < 0) throw noRow();
  const result =
    (await resultOf(deps, batch, chunk, row)) ?? (await withoutResult(deps, batch, chunk, row));
  if (result.status === 'failed') throw failureProblem(result.problem);
  const { cutout } = result.results;
  if (!cutout) throw new Problem('not-found', 'This batch makes no images; see its results');
  const body = await deps.blobs.open(cutout.key, signal).catch((error) => {
    if (error instanceof BlobMissing) throw gone();
    throw unavailable('The store does not answer; try again', 1, error);
  });
  return { body, cutout };
}
