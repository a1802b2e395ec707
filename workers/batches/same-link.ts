import { setTimeout as sleep } from 'node:timers/promises';
import { batchFiles } from '../../src/intake/batches/batch-files.ts';
import { ResultLine } from '../../src/intake/batches/rows.ts';
import type { JobData } from '../../src/queue/catalog.ts';
import type { Services } from '../../src/services.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { AttemptContext } from '../attempt.ts';
import { PoolBusy } from '../fetch/fetch-pool.ts';

const POLL_MILLIS = 200;
/** A row that waits longer is queued again, so that others pass. */
const MAX_WAIT_MILLIS = 10_000;

type RowJob = JobData<'run-row'>;

type Rows = Pick<Services, 'batches' | 'blobs'>;

interface RowPlace {
  chunk: number;
  row: number;
}

/** Reads the result of a row from storage, which has it when all rows of its chunk have ended. */
export async function writtenResult(
  blobs: Blobs,
  { batchId, client }: Pick<RowJob, 'batchId' | 'client'>,
  { chunk, row }: RowPlace,
): Promise<ResultLine | undefined> {
  const written = await batchFiles(blobs, client, batchId).results(chunk);
  return written.map((line) => ResultLine.parse(line)).find((line) => line.row === row);
}

/** Reads the result of the first row with the same link; undefined while it is processed. */
async function readResult(
  { batches, blobs }: Rows,
  job: RowJob,
  first: RowPlace,
): Promise<ResultLine | undefined> {
  const result = await batches.result(job.batchId, first.chunk, first.row);
  if (result || !(await batches.isWritten(job.batchId, first.chunk))) return result;
  return writtenResult(blobs, job, first);
}

/**
 * Waits for the result of the first row of the run with the same link: a link is fetched once a run. The first row
 * was handed out before, so it does not wait for this one.
 * @returns undefined if the run has ended
 * @throws PoolBusy if it takes long
 */
export const resultOfSameLink = (
  services: Rows,
  job: RowJob,
  first: RowPlace,
  { withoutSlot }: AttemptContext,
  signal: AbortSignal,
): Promise<ResultLine | undefined> =>
  withoutSlot(async () => {
    for (let waited = 0; waited < MAX_WAIT_MILLIS; waited += POLL_MILLIS) {
      const result = await readResult(services, job, first);
      if (result) return result;
      if (!(await services.batches.isRowPending(job.batchId, job.chunk, job.row.row)))
        return undefined;
      await sleep(POLL_MILLIS, undefined, { signal });
    }
    throw new PoolBusy();
  });
