import { batchFiles, isRejected } from '../../src/intake/batches/batch-files.ts';
import type { BatchRecord, Cursor } from '../../src/intake/batches/batch-record.ts';
import { type JobData, retriesOf } from '../../src/queue/catalog.ts';
import type { AcceptedRow } from '../../src/queue/job-data.ts';
import { addJobs, type NewQueueJob } from '../../src/queue/queue.ts';
import type { Services } from '../../src/services.ts';

/** The job id of a row. It is unique, so the same row is never queued twice. */
export const rowJobId = (batchId: string, row: number): string => `${batchId}-${row}`;

/** How long the images of a run are fetched. */
const MAX_RUN_MILLIS = 6 * 3_600_000;

const deadlineOf = ({ sealedAt }: BatchRecord) =>
  sealedAt === undefined ? {} : { endsAtMillis: Date.parse(sealedAt) + MAX_RUN_MILLIS };

/** Returns the job of a row. */
export function toJob(
  batch: BatchRecord,
  chunk: number,
  chunkRows: number,
  row: AcceptedRow,
): NewQueueJob<'run-row'> {
  const { id, client, weight = 1, operations, options, requestId } = batch;
  const { feedId, background, meter, access } = batch;
  const feed = feedId && meter && { id: feedId, background, meter, access, ...deadlineOf(batch) };
  const place = { batchId: id, chunk, chunkRows, row };
  const data: JobData<'run-row'> = {
    ...{ client, weight, operations, requestId, ...place },
    ...(options && { options }),
    ...(feed && { feed }),
  };
  return { name: 'run-row', data, opts: { jobId: rowJobId(id, row.row), ...retriesOf('run-row') } };
}

/** The rows of batches that are queued at a time. Caches one chunk for each batch in progress. */
export class Window {
  readonly #services;
  readonly #chunks = new Map<string, { chunk: number; rows: AcceptedRow[] }>();

  constructor(services: Pick<Services, 'batches' | 'blobs' | 'queues'>) {
    this.#services = services;
  }

  /** Returns the accepted rows of a chunk: rejected ones need no job. */
  async rowsOf(batch: BatchRecord, chunk: number): Promise<AcceptedRow[]> {
    const { id } = batch;
    const cached = this.#chunks.get(id);
    if (cached?.chunk === chunk) return cached.rows;
    const lines = await batchFiles(this.#services.blobs, batch).rows(chunk);
    const rows = lines.filter((line): line is AcceptedRow => !isRejected(line));
    this.#chunks.set(id, { chunk, rows });
    return rows;
  }

  /**
   * Queues the next rows of a batch, from one chunk at most.
   * @returns how many were queued, and the cursor after them
   */
  async enqueueRows(
    batch: BatchRecord,
    maxRows: number,
  ): Promise<{ issued: number; cursor: Cursor }> {
    const from = batch.cursor;
    if (from.chunk >= batch.chunks || maxRows <= 0) return { issued: 0, cursor: from };
    const rows = await this.rowsOf(batch, from.chunk);
    const next = rows.slice(from.line, from.line + maxRows);
    const line = from.line + next.length;
    const to = line < rows.length ? { ...from, line } : { chunk: from.chunk + 1, line: 0 };
    const jobs = next.map((row) => toJob(batch, from.chunk, rows.length, row));
    await addJobs(
      this.#services.queues.bulk,
      { client: batch.client, weight: batch.weight ?? 1 },
      jobs,
    );
    const isFirst = await this.#services.batches.advance(batch.id, from, to, next.length);
    return isFirst ? { issued: next.length, cursor: to } : { issued: 0, cursor: from };
  }

  /** Drops the cached chunks of all other batches. */
  retainOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#chunks.keys()) if (!ids.has(id)) this.#chunks.delete(id);
  }
}
