import type { Queue } from 'bullmq';
import { batchFiles } from '../../src/intake/batches/batch-files.ts';
import type { Batches, BatchRecord, Cursor } from '../../src/intake/batches/batches.ts';
import { JOBS, type JobData } from '../../src/queue/catalog.ts';
import { AcceptedRow } from '../../src/queue/job-data.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

export interface WindowDeps {
  batches: Batches;
  blobs: Blobs;
  /** The queue `bulk`. */
  queue: Queue;
}

/** A queued row's id: the same row is never in the queue twice. */
export const rowJobId = (batchId: string, row: number): string => `${batchId}-${row}`;

/** Rows that were rejected are none of the workers' business. */
const acceptedOf = (lines: readonly unknown[]): AcceptedRow[] =>
  lines.flatMap((line) => AcceptedRow.safeParse(line).data ?? []);

function jobOf(batch: BatchRecord, chunk: number, chunkRows: number, row: AcceptedRow) {
  const { id, client, operations, options, requestId, feedId, background, meter } = batch;
  const data: JobData<'run-row'> = {
    ...{ batchId: id, client, operations, chunk, chunkRows, row, requestId },
    ...(options && { options }),
    ...(feedId && meter && { feed: { id: feedId, background, meter } }),
  };
  const { attempts, backoffMillis: delay } = JOBS['run-row'];
  const opts = {
    ...{ jobId: rowJobId(id, row.row), attempts },
    backoff: { type: 'exponential', delay },
  };
  return { name: 'run-row', data, opts };
}

/** The chunk each batch is read in now; there are as many as batches under way, and no more. */
export function createWindow({ batches, blobs, queue }: WindowDeps) {
  const chunks = new Map<string, { chunk: number; lines: AcceptedRow[] }>();

  async function rowsOf({ id, client }: BatchRecord, chunk: number): Promise<AcceptedRow[]> {
    const known = chunks.get(id);
    if (known?.chunk === chunk) return known.lines;
    const lines = acceptedOf(await batchFiles(blobs, client, id).rows(chunk));
    chunks.set(id, { chunk, lines });
    return lines;
  }

  return {
    rowsOf,
    jobOf,

    /**
     * Hands a batch's next rows to the workers, of one chunk at most.
     * @returns how many, and where the batch now stands
     */
    async handOut(batch: BatchRecord, most: number): Promise<{ issued: number; cursor: Cursor }> {
      const from = batch.cursor;
      if (from.chunk >= batch.chunks || most <= 0) return { issued: 0, cursor: from };
      const rows = await rowsOf(batch, from.chunk);
      const next = rows.slice(from.line, from.line + most);
      const line = from.line + next.length;
      const to = line < rows.length ? { ...from, line } : { chunk: from.chunk + 1, line: 0 };
      await queue.addBulk(next.map((row) => jobOf(batch, from.chunk, rows.length, row)));
      const isFirst = await batches.advance(batch.id, from, to, next.length);
      return isFirst ? { issued: next.length, cursor: to } : { issued: 0, cursor: from };
    },

    /** Forgets the batches that are not under way any more. */
    keepOnly(ids: ReadonlySet<string>): void {
      for (const id of chunks.keys()) if (!ids.has(id)) chunks.delete(id);
    },
  };
}

export type Window = ReturnType<typeof createWindow>;
