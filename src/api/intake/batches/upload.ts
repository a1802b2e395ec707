import { type Meter, secondsToMidnight } from '../../../auth/quota.ts';
import type { Gateway } from '../../../gateway.ts';
import type { Caller } from '../../../http/route.ts';
import { batchKeys, putRows } from '../../../intake/batches/batch-files.ts';
import type { BatchRecord, Upload } from '../../../intake/batches/batch-record.ts';
import {
  expandRejected,
  isRejected,
  type RejectedRow,
  type RowLine,
} from '../../../intake/batches/rows.ts';
import { type ValidatedImage, validateImage } from '../../../intake/validate-image.ts';
import { Problem } from '../../../platform/problem.ts';
import type { AcceptedRow } from '../../../queue/job-data.ts';
import { throwUnavailable } from '../../common-problems.ts';
import type { IncomingRow } from './incoming-rows.ts';
import { byteLength, countRows, createPendingLines, type PendingLine } from './pending-lines.ts';
import { createRejectionCharge } from './rejection-charge.ts';
import type { ItemsResponse } from './response.ts';
import { createRowImages, storageUnavailable } from './row-images.ts';

/** A chunk ends here too, if the images of its rows are large. */
const CHUNK_IMAGE_BYTES = 64 * 1024 * 1024;
const MAX_REPORTED_ERRORS = 10;
const MAX_REPORTED_COLUMNS = 20;

export type UploadServices = Pick<
  Gateway,
  'batches' | 'blobs' | 'limits' | 'requestLimits' | 'storedBytes' | 'now'
>;

function quotaExceeded({ quotaPerDay }: Meter, nowMillis: number): Problem {
  return new Problem(
    'quota-exceeded',
    `Today's ${quotaPerDay} units are used up; resume from "offset" after midnight UTC`,
    { headers: { 'retry-after': String(secondsToMidnight(nowMillis)) } },
  );
}

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
  { batches, blobs, limits, requestLimits, storedBytes, now }: UploadServices,
  batch: BatchRecord,
  from: Upload | undefined,
  caller: Caller,
  renewLease: () => Promise<boolean>,
) {
  const { id, client } = batch;
  const keys = batchKeys(client, id);
  const images = createRowImages({ blobs, storedBytes }, batch, caller);
  const chargeRejection = createRejectionCharge(requestLimits, caller);
  const stored: Omit<ItemsResponse, 'warnings'> = {
    accepted: 0,
    rejected: 0,
    offset: from?.offset ?? 0,
    errors: [],
  };
  const unknownColumns = new Set<string>();
  let chunk = batch.chunks;
  let nextRow = batch.accepted + batch.rejected;
  const pending = createPendingLines();

  /** @throws Problem quota-exceeded if the day has no unit left for another row */
  async function checkQuota(): Promise<void> {
    if (await batches.hasQuota(caller, pending.accepted() + 1).catch(redisUnavailable)) return;
    throw quotaExceeded(caller, now());
  }

  async function toLine({ line, customId, content }: IncomingRow): Promise<RowLine> {
    const position = { row: nextRow, line };
    const reject = ({ type, detail }: Problem): RejectedRow => ({
      ...position,
      ...(customId !== undefined && { customId }),
      problem: { type, detail },
    });
    const accept = (source: AcceptedRow['source']) => ({
      ...position,
      customId: customId ?? '',
      source,
    });
    if ('problem' in content) return reject(content.problem);
    if ('url' in content) return accept(content);
    let image: ValidatedImage;
    try {
      image = validateImage(content.bytes(), limits);
    } catch (error) {
      if (error instanceof Problem) return reject(error);
      throw error;
    }
    await checkQuota();
    return accept({ key: await images.put(position.row, image) });
  }

  function tally(lines: readonly PendingLine[]): void {
    const { accepted, rejected } = countRows(lines.map(({ line }) => line));
    stored.accepted += accepted;
    stored.rejected += rejected;
    stored.offset = lines.at(-1)?.upload.offset ?? stored.offset;
    for (const { line } of lines) {
      if (!isRejected(line)) continue;
      for (const { row: _, ...error } of expandRejected(line)) {
        if (stored.errors.length === MAX_REPORTED_ERRORS) return;
        stored.errors.push(error);
      }
    }
  }

  /** Deletes the file of a chunk that was not appended, unless another upload has appended one of this number. */
  async function discardChunk(): Promise<void> {
    const current = await batches.get(id).catch(redisUnavailable);
    if (current && current.chunks > chunk) return;
    await blobs.delete(keys.rows(chunk)).catch(storageUnavailable);
  }

  async function putChunk(lines: readonly RowLine[], upload: Upload) {
    await putRows(blobs, keys.rows(chunk), lines, upload).catch(storageUnavailable);
    const newChunk = { chunk, first: lines[0]!.row, ...countRows(lines), upload };
    try {
      return await batches.append(id, newChunk, caller);
    } catch (error) {
      images.keep(lines); // Redis may have appended them
      return redisUnavailable(error);
    }
  }

  /** Appends lines as one chunk, or as many of the first lines as the quota allows. */
  async function appendChunk(lines: readonly PendingLine[]): Promise<void> {
    const last = lines.at(-1);
    if (!last) return;
    const current = (await renewLease())
      ? await batches.get(id).catch(redisUnavailable)
      : undefined;
    if (current?.status !== 'open' || current.chunks !== chunk) throw leaseLost();
    const rows = lines.map(({ line }) => line);
    const outcome = await putChunk(rows, last.upload);
    if (outcome === 'appended') {
      images.keep(rows);
      chunk++;
      tally(lines);
      return storedBytes.add(caller, byteLength(rows));
    }
    await discardChunk();
    if (outcome === 'conflict') throw leaseLost();
    if (lines.length === 1) throw quotaExceeded(caller, now());
    const half = Math.ceil(lines.length / 2);
    await appendChunk(lines.slice(0, half));
    await appendChunk(lines.slice(half));
  }

  const flush = (): Promise<void> => appendChunk(pending.take());

  async function add(row: IncomingRow): Promise<void> {
    if (pending.isEmpty()) await storedBytes.check(caller);
    const line = await toLine(row);
    nextRow++;
    for (const column of row.unknownColumns) {
      if (unknownColumns.size < MAX_REPORTED_COLUMNS) unknownColumns.add(column);
    }
    pending.add(line, row.upload);
    if (isRejected(line)) await chargeRejection(row);
    if (pending.isFull() || images.pendingBytes() >= CHUNK_IMAGE_BYTES) await flush();
  }

  return {
    /** @throws as `rows` throws; Problem quota-exceeded, rate-limit-exceeded, conflict, upstream-unavailable */
    async appendAll(rows: AsyncIterable<IncomingRow>): Promise<void> {
      try {
        for await (const row of rows) await add(row);
      } finally {
        // Rows that arrived completely are stored even if the rest of the body is lost.
        await flush().finally(images.discardPending);
      }
    },
    result(): ItemsResponse {
      const warnings = [...unknownColumns].map(
        (name) => `The column ${JSON.stringify(name)} is ignored`,
      );
      return { ...stored, warnings };
    },
  };
}
