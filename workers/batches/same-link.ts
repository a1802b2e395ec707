import { setTimeout as sleep } from 'node:timers/promises';
import { batchFiles, type ResultLine } from '../../src/intake/batches/batch-files.ts';
import type { JobData } from '../../src/queue/catalog.ts';
import type { Services } from '../../src/services.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { AttemptContext } from '../consume-jobs.ts';
import { PoolBusy } from '../fetch/fetch-pool.ts';

const POLL_MILLIS = 200;
/** A row that waits longer is queued again, so that others pass. */
const MAX_WAIT_MILLIS = 10_000;

type RowJob = JobData<'run-row'>;

type BatchRef = Pick<RowJob, 'batchId' | 'client'>;

interface Rows extends Pick<Services, 'batches'> {
  written: WrittenResults;
}

interface RowPlace {
  chunk: number;
  row: number;
}

type Chunk = ReadonlyMap<number, ResultLine>;

/** Rows with the links of one chunk come one after another, from a few batches at a time. */
const MAX_CHUNKS = 4;

/** Results in storage, by row. The chunks that were read last are kept: many rows ask for a line of the same one. */
export class WrittenResults {
  readonly #blobs: Blobs;
  readonly #chunks = new Map<string, Promise<Chunk>>();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** Reads the result of a row; undefined unless all rows of its chunk have ended. */
  async find(batch: BatchRef, { chunk, row }: RowPlace): Promise<ResultLine | undefined> {
    const id = `${batch.batchId}/${chunk}`;
    const reading = this.#chunks.get(id) ?? this.#read(batch, chunk);
    this.#chunks.delete(id);
    this.#chunks.set(id, reading);
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= MAX_CHUNKS) break;
      this.#chunks.delete(oldest);
    }
    const forget = () => this.#chunks.delete(id);
    const results = await reading.catch((error) => {
      forget();
      throw error;
    });
    if (results.size === 0) forget(); // it may be written later
    return results.get(row);
  }

  async #read({ batchId, client }: BatchRef, chunk: number): Promise<Chunk> {
    const lines = await batchFiles(this.#blobs, { client, id: batchId }).results(chunk);
    return new Map(lines.map((line) => [line.row, line]));
  }
}

/** Reads the result of the first row with the same link; undefined while it is processed. */
async function readResult(
  { batches, written }: Rows,
  job: RowJob,
  first: RowPlace,
): Promise<ResultLine | undefined> {
  const result = await batches.result(job.batchId, first.chunk, first.row);
  if (result || !(await batches.isWritten(job.batchId, first.chunk))) return result;
  return written.find(job, first);
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
