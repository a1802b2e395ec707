import { type Meter, secondsToMidnight } from '../../../auth/quota.ts';
import { batchKeys, putLines } from '../../../intake/batches/batch-files.ts';
import type { Batches, BatchRecord, Upload } from '../../../intake/batches/batches.ts';
import type { RejectedRow, RowLine } from '../../../intake/batches/rows.ts';
import { type ImageLimits, validateImage } from '../../../intake/validate-image.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Problem } from '../../../platform/problem.ts';
import type { AcceptedRow } from '../../../queue/job-data.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { throwUnavailable } from '../../common-problems.ts';
import type { IncomingRow } from './incoming-rows.ts';

const CHUNK_ROWS = 500;
const CHUNK_CHARS = 1024 * 1024;
const MAX_REPORTED_ERRORS = 10;
const MAX_REPORTED_COLUMNS = 20;

export interface UploadDeps {
  batches: Batches;
  blobs: Blobs;
  limits: ImageLimits;
  now: Clock;
}

/** The part of an upload that is stored. */
export interface UploadResult {
  accepted: number;
  rejected: number;
  /** Where to resume. */
  offset: number;
  /** The first rows that were rejected. */
  errors: Omit<RejectedRow, 'row'>[];
  warnings: string[];
}

/** A row to be stored, and the state of the upload after it. */
interface PendingRow {
  line: RowLine;
  upload: Upload;
}

const isRejected = (line: RowLine): line is RejectedRow => 'problem' in line;

function quotaExceeded({ quotaPerDay }: Meter, nowMillis: number): Problem {
  return new Problem(
    'quota-exceeded',
    `Today's ${quotaPerDay} units are used up; resume from "offset" after midnight UTC`,
    { headers: { 'retry-after': String(secondsToMidnight(nowMillis)) } },
  );
}

export const storageUnavailable = throwUnavailable(
  'Object storage does not respond; resume from "offset" later',
);

export const redisUnavailable = throwUnavailable(
  'Batches cannot be changed right now; resume from "offset" later',
);

const leaseLost = (): Problem =>
  new Problem('conflict', 'The batch accepts no more rows, or another upload has taken over');

/**
 * Appends the rows of one upload to a batch, chunk by chunk: each chunk is durable and its quota
 * charged before the next row is read.
 * @param from the upload to resume
 * @param renewLease returns false if another upload has the lease
 */
export function createUpload(
  { batches, blobs, limits, now }: UploadDeps,
  batch: BatchRecord,
  from: Upload | undefined,
  meter: Meter,
  renewLease: () => Promise<boolean>,
) {
  const { id, client } = batch;
  const keys = batchKeys(client, id);
  const stored: Omit<UploadResult, 'warnings'> = {
    accepted: 0,
    rejected: 0,
    offset: from?.offset ?? 0,
    errors: [],
  };
  const unknownColumns = new Set<string>();
  let chunk = batch.chunks;
  let nextRow = batch.accepted + batch.rejected;
  let pending: PendingRow[] = [];
  let pendingChars = 0;

  /** Converts a row to the line to store, and stores its image if the row contains one. */
  async function toLine({ line, customId, content }: IncomingRow): Promise<RowLine> {
    const position = { row: nextRow, line };
    const reject = ({ type, detail }: Problem): RejectedRow => ({
      ...position,
      ...(customId !== undefined && { customId }),
      problem: { type, detail },
    });
    if ('problem' in content) return reject(content.problem);
    const accept = (source: AcceptedRow['source']) => ({
      ...position,
      customId: customId ?? '',
      source,
    });
    if ('url' in content) return accept(content);
    try {
      const { bytes, format } = validateImage(content.bytes(), limits);
      const key = keys.input(position.row);
      await blobs.put(key, bytes, { mediaType: `image/${format}` }).catch(storageUnavailable);
      return accept({ key });
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return reject(error);
      throw error;
    }
  }

  function tally(rows: readonly PendingRow[]): void {
    const rejected = rows.map(({ line }) => line).filter(isRejected);
    stored.accepted += rows.length - rejected.length;
    stored.rejected += rejected.length;
    stored.offset = rows.at(-1)?.upload.offset ?? stored.offset;
    const room = MAX_REPORTED_ERRORS - stored.errors.length;
    stored.errors.push(...rejected.slice(0, room).map(({ row: _, ...error }) => error));
  }

  /** Appends rows as one chunk, or as many of the first rows as the quota allows. */
  async function appendChunk(rows: readonly PendingRow[]): Promise<void> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    const current = (await renewLease())
      ? await batches.get(id).catch(redisUnavailable)
      : undefined;
    if (current?.status !== 'open' || current.chunks !== chunk) throw leaseLost();
    const lines = rows.map(({ line }) => line);
    await putLines(blobs, keys.rows(chunk), lines).catch(storageUnavailable);
    const rejected = lines.filter(isRejected).length;
    const counts = { accepted: lines.length - rejected, rejected };
    const newChunk = { chunk, first: first.line.row, ...counts, upload: last.upload };
    const outcome = await batches.append(id, newChunk, meter).catch(redisUnavailable);
    if (outcome === 'appended') {
      chunk++;
      tally(rows);
      return;
    }
    if (outcome === 'conflict') throw leaseLost();
    if (rows.length === 1) {
      await blobs.delete(keys.rows(chunk)).catch(storageUnavailable);
      throw quotaExceeded(meter, now());
    }
    const half = Math.ceil(rows.length / 2);
    await appendChunk(rows.slice(0, half));
    await appendChunk(rows.slice(half));
  }

  async function flush(): Promise<void> {
    const rows = pending;
    pending = [];
    pendingChars = 0;
    await appendChunk(rows);
  }

  async function add(row: IncomingRow): Promise<void> {
    const line = await toLine(row);
    nextRow++;
    for (const column of row.unknownColumns) {
      if (unknownColumns.size < MAX_REPORTED_COLUMNS) unknownColumns.add(column);
    }
    pending.push({ line, upload: row.upload });
    pendingChars += JSON.stringify(line).length;
    if (pending.length >= CHUNK_ROWS || pendingChars >= CHUNK_CHARS) await flush();
  }

  return {
    /** @throws as `rows` throws; Problem quota-exceeded, conflict, upstream-unavailable */
    async appendAll(rows: AsyncIterable<IncomingRow>): Promise<void> {
      try {
        for await (const row of rows) await add(row);
      } finally {
        // Rows that arrived completely are stored even if the rest of the body is lost.
        await flush();
      }
    },
    result(): UploadResult {
      const warnings = [...unknownColumns].map(
        (name) => `The column ${JSON.stringify(name)} is ignored`,
      );
      return { ...stored, warnings };
    },
  };
}
