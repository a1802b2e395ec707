import { type Meter, secondsToMidnight } from '../../../auth/key-record.ts';
import type { Gateway } from '../../../gateway.ts';
import type { Caller } from '../../../http/route.ts';
import type { RejectedRow, RowLine } from '../../../intake/batches/batch-files.ts';
import {
  batchKeys,
  expandRejected,
  isRejected,
  mergeRejected,
  putRows,
  rowCount,
} from '../../../intake/batches/batch-files.ts';
import type { BatchRecord, Upload } from '../../../intake/batches/batch-record.ts';
import { type ValidatedImage, validateImage } from '../../../intake/validate-image.ts';
import { Problem } from '../../../platform/problem.ts';
import type { AcceptedRow } from '../../../queue/job-data.ts';
import { type IncomingRow, RowImages } from './incoming-rows.ts';
import type { ItemsResponse } from './response.ts';

/** A chunk ends at the first of these limits. One line may hold many rejected rows. */
const CHUNK_LINES = 500;
const CHUNK_ROWS = 10_000;
const CHUNK_CHARS = 1024 * 1024;

interface PendingLine {
  line: RowLine;
  upload: Upload;
}

const sumOf = <T>(all: readonly T[], value: (one: T) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0);

function countRows(lines: readonly RowLine[]): { accepted: number; rejected: number } {
  const rejected = sumOf(lines.filter(isRejected), rowCount);
  return { accepted: sumOf(lines, rowCount) - rejected, rejected };
}

const byteLength = (lines: readonly RowLine[]): number =>
  sumOf(lines, (line) => Buffer.byteLength(JSON.stringify(line)) + 1);

/** Collects the lines of the next chunk of an upload; rows that are rejected alike share a line. */
class PendingLines {
  readonly lines: PendingLine[] = [];
  accepted = 0;
  #rows = 0;
  #chars = 0;

  /** @param upload the state of the upload after the row */
  add(row: RowLine, upload: Upload): void {
    this.#rows += 1;
    this.accepted += isRejected(row) ? 0 : 1;
    const last = this.lines.at(-1);
    const merged = last && mergeRejected(last.line, row);
    if (merged) {
      this.lines[this.lines.length - 1] = { line: merged, upload };
      return;
    }
    this.lines.push({ line: row, upload });
    this.#chars += JSON.stringify(row).length;
  }

  isFull(): boolean {
    return (
      this.lines.length >= CHUNK_LINES || this.#rows >= CHUNK_ROWS || this.#chars >= CHUNK_CHARS
    );
  }
}

/** A chunk ends here too, if the images of its rows are large. */
const CHUNK_IMAGE_BYTES = 64 * 1024 * 1024;
const MAX_REPORTED_ERRORS = 10;
const MAX_REPORTED_COLUMNS = 20;
/** Rejected rows that cost as much of the rate limit as one request. A row that brings an image costs as much alone. */
const ROWS_PER_REQUEST = 50;

function quotaExceeded({ quotaPerDay }: Meter, nowMillis: number): Problem {
  return new Problem(
    'quota-exceeded',
    `Today's ${quotaPerDay} units are used up; resume from "offset" after midnight UTC`,
    { headers: { 'retry-after': String(secondsToMidnight(nowMillis)) } },
  );
}

const leaseLost = (): Problem =>
  new Problem('conflict', 'The batch accepts no more rows, or another upload has taken over');

/**
 * Appends the rows of one upload to a batch, chunk by chunk: each chunk is durable and its quota
 * charged before the next row is read.
 * @param from the upload to resume
 * @param renewLease returns false if another upload has the lease
 */
export class RowUpload {
  readonly #services;
  readonly #batch;
  readonly #caller;
  readonly #renewLease;
  readonly #keys;
  readonly #images;
  readonly #stored: Omit<ItemsResponse, 'warnings'>;
  readonly #unknownColumns = new Set<string>();
  #chunk;
  #nextRow;
  #uncharged = 0;
  #pending = new PendingLines();

  constructor(
    services: Gateway,
    batch: BatchRecord,
    from: Upload | undefined,
    caller: Caller,
    renewLease: () => Promise<boolean>,
  ) {
    this.#services = services;
    this.#batch = batch;
    this.#caller = caller;
    this.#renewLease = renewLease;
    this.#keys = batchKeys(batch);
    this.#images = new RowImages(services, batch, caller);
    this.#stored = { accepted: 0, rejected: 0, offset: from?.offset ?? 0, errors: [] };
    this.#chunk = batch.chunks;
    this.#nextRow = batch.accepted + batch.rejected;
  }

  /** @throws Problem quota-exceeded if the day has no unit left for another row */
  async #checkQuota(): Promise<void> {
    const rows = this.#pending.accepted + 1;
    const { batches } = this.#services;
    if (await batches.hasQuota(this.#caller, rows)) return;
    throw quotaExceeded(this.#caller, this.#services.now());
  }

  /** Charges rejected rows to the rate limit: they use no quota. @throws Problem rate-limit-exceeded, upstream-unavailable */
  async #chargeRejection({ bringsImage }: IncomingRow): Promise<void> {
    this.#uncharged += bringsImage ? ROWS_PER_REQUEST : 1;
    if (this.#uncharged < ROWS_PER_REQUEST) return;
    this.#uncharged -= ROWS_PER_REQUEST;
    await this.#services.requestLimits.admit(this.#caller, 0).catch((error) => {
      if (!(error instanceof Problem) || error.type !== 'rate-limit-exceeded') throw error;
      const detail =
        'So many rows were rejected that they used up the rate limit; resume from "offset" after Retry-After';
      throw new Problem(error.type, detail, { headers: error.headers });
    });
  }

  async #toLine({ line, customId, content }: IncomingRow): Promise<RowLine> {
    const position = { row: this.#nextRow, line };
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
      image = validateImage(content.bytes(), this.#services.limits);
    } catch (error) {
      if (error instanceof Problem) return reject(error);
      throw error;
    }
    await this.#checkQuota();
    return accept({ key: await this.#images.put(position.row, image) });
  }

  #tally(lines: readonly PendingLine[]): void {
    const { accepted, rejected } = countRows(lines.map(({ line }) => line));
    this.#stored.accepted += accepted;
    this.#stored.rejected += rejected;
    this.#stored.offset = lines.at(-1)?.upload.offset ?? this.#stored.offset;
    for (const { line } of lines) {
      if (!isRejected(line)) continue;
      for (const { row: _, ...error } of expandRejected(line)) {
        if (this.#stored.errors.length === MAX_REPORTED_ERRORS) return;
        this.#stored.errors.push(error);
      }
    }
  }

  /** Deletes the file of a chunk that was not appended, unless another upload has appended one of this number. */
  async #discardChunk(): Promise<void> {
    const current = await this.#services.batches.get(this.#batch.id);
    if (current && current.chunks > this.#chunk) return;
    await this.#services.blobs.delete(this.#keys.rows(this.#chunk));
  }

  async #putChunk(lines: readonly RowLine[], upload: Upload) {
    const { blobs } = this.#services;
    const key = this.#keys.rows(this.#chunk);
    await putRows(blobs, key, lines, upload);
    const newChunk = { chunk: this.#chunk, first: lines[0]!.row, ...countRows(lines), upload };
    try {
      return await this.#services.batches.append(this.#batch.id, newChunk, this.#caller);
    } catch (error) {
      this.#images.keep(lines); // Redis may have appended them
      throw error;
    }
  }

  /** Appends lines as one chunk, or as many of the first lines as the quota allows. */
  async #appendChunk(lines: readonly PendingLine[]): Promise<void> {
    const last = lines.at(-1);
    if (!last) return;
    const current = (await this.#renewLease())
      ? await this.#services.batches.get(this.#batch.id)
      : undefined;
    if (current?.status !== 'open' || current.chunks !== this.#chunk) throw leaseLost();
    const rows = lines.map(({ line }) => line);
    const outcome = await this.#putChunk(rows, last.upload);
    if (outcome === 'appended') {
      this.#images.keep(rows);
      this.#chunk++;
      this.#tally(lines);
      return this.#services.storedBytes.add(this.#caller, byteLength(rows));
    }
    await this.#discardChunk();
    if (outcome === 'conflict') throw leaseLost();
    if (lines.length === 1) throw quotaExceeded(this.#caller, this.#services.now());
    const half = Math.ceil(lines.length / 2);
    await this.#appendChunk(lines.slice(0, half));
    await this.#appendChunk(lines.slice(half));
  }

  #flush(): Promise<void> {
    const { lines } = this.#pending;
    this.#pending = new PendingLines();
    return this.#appendChunk(lines);
  }

  async #add(row: IncomingRow): Promise<void> {
    if (this.#pending.lines.length === 0) await this.#services.storedBytes.check(this.#caller);
    const line = await this.#toLine(row);
    this.#nextRow++;
    for (const column of row.unknownColumns) {
      if (this.#unknownColumns.size < MAX_REPORTED_COLUMNS) this.#unknownColumns.add(column);
    }
    this.#pending.add(line, row.upload);
    if (isRejected(line)) await this.#chargeRejection(row);
    if (this.#pending.isFull() || this.#images.pendingBytes() >= CHUNK_IMAGE_BYTES)
      await this.#flush();
  }

  /** @throws as `rows` throws; Problem quota-exceeded, rate-limit-exceeded, conflict, upstream-unavailable */
  async appendAll(rows: AsyncIterable<IncomingRow>): Promise<void> {
    try {
      for await (const row of rows) await this.#add(row);
    } finally {
      // Rows that arrived completely are stored even if the rest of the body is lost.
      await this.#flush().finally(this.#images.discardPending);
    }
  }

  result(): ItemsResponse {
    const warnings = [...this.#unknownColumns].map(
      (name) => `The column ${JSON.stringify(name)} is ignored`,
    );
    return { ...this.#stored, warnings };
  }
}
