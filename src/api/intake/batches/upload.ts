import type { Meter } from '../../../auth/quota.ts';
import { batchKeys, putLines } from '../../../intake/batches/batch-files.ts';
import type { Batches, BatchRecord, Upload } from '../../../intake/batches/batches.ts';
import type { RejectedRow, RowLine } from '../../../intake/batches/rows.ts';
import { type ImageLimits, validateImage } from '../../../intake/validate-image.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import type { AcceptedRow } from '../../../queue/job-data.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import type { IncomingRow } from './incoming-rows.ts';

const CHUNK_ROWS = 500;
const CHUNK_CHARS = 1024 * 1024;
const SHOWN_ERRORS = 10;
const SHOWN_COLUMNS = 20;

export interface UploadDeps {
  batches: Batches;
  blobs: Blobs;
  limits: ImageLimits;
}

/** What of an upload is in. */
export interface UploadResult {
  accepted: number;
  rejected: number;
  /** Where it would go on. */
  offset: number;
  /** The first rows that were rejected. */
  errors: Omit<RejectedRow, 'row'>[];
  warnings: string[];
}

/** A row on its way into the store, and where the upload stands after it. */
interface Pending {
  line: RowLine;
  upload: Upload;
}

const isRejected = (line: RowLine): line is RejectedRow => 'problem' in line;

const DAY_SECONDS = 86_400;

function overQuota({ quotaPerDay }: Meter): Problem {
  const seconds = DAY_SECONDS - Math.floor((Date.now() / 1000) % DAY_SECONDS);
  return new Problem(
    'quota-exceeded',
    `The ${quotaPerDay} units of today are used up; go on from "offset" after midnight UTC`,
    { headers: { 'retry-after': String(seconds) } },
  );
}

export const storeDown = (cause: unknown): never => {
  throw unavailable('The store does not answer; go on from "offset" later', 1, cause);
};

export const redisDown = (cause: unknown): never => {
  throw unavailable('Batches cannot be changed right now; go on from "offset" later', 1, cause);
};

const lost = (): Problem =>
  new Problem('conflict', 'The batch takes no more rows, or another upload took over');

/**
 * Takes the rows of one upload in: chunk by chunk, each durable with its quota before the next row
 * is read.
 * @param from where an earlier part of it ended
 * @param isHeld renews the hold on the batch; false where another upload has it
 */
export function createUpload(
  { batches, blobs, limits }: UploadDeps,
  batch: BatchRecord,
  from: Upload | undefined,
  meter: Meter,
  isHeld: () => Promise<boolean>,
) {
  const { id, client } = batch;
  const keys = batchKeys(client, id);
  const taken: UploadResult = {
    accepted: 0,
    rejected: 0,
    offset: from?.offset ?? 0,
    errors: [],
    warnings: [],
  };
  const columns = new Set<string>();
  let chunk = batch.chunks;
  let nextRow = batch.accepted + batch.rejected;
  let pending: Pending[] = [];
  let chars = 0;

  /** A row as it is stored, and with it the image that it brought. */
  async function toLine({ line, customId, content }: IncomingRow): Promise<RowLine> {
    const place = { row: nextRow, line };
    const reject = ({ type, detail }: Problem): RejectedRow => ({
      ...place,
      ...(customId !== undefined && { customId }),
      problem: { type, detail },
    });
    if ('problem' in content) return reject(content.problem);
    const accept = (source: AcceptedRow['source']) => ({
      ...{ ...place, customId: customId ?? '', source },
    });
    if ('url' in content) return accept(content);
    try {
      const { bytes, format } = validateImage(content.bytes(), limits);
      const key = keys.input(place.row);
      await blobs.put(key, bytes, { mediaType: `image/${format}` }).catch(storeDown);
      return accept({ key });
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return reject(error);
      throw error;
    }
  }

  function tally(rows: readonly Pending[]): void {
    const rejected = rows.map(({ line }) => line).filter(isRejected);
    taken.accepted += rows.length - rejected.length;
    taken.rejected += rejected.length;
    taken.offset = rows.at(-1)?.upload.offset ?? taken.offset;
    const room = SHOWN_ERRORS - taken.errors.length;
    taken.errors.push(...rejected.slice(0, room).map(({ row: _, ...shown }) => shown));
  }

  /** Takes a chunk in, or as many of its first rows as the quota has room for. */
  async function takeIn(rows: readonly Pending[]): Promise<void> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    const now = (await isHeld()) ? await batches.get(id).catch(redisDown) : undefined;
    if (now?.status !== 'open' || now.chunks !== chunk) throw lost();
    const lines = rows.map(({ line }) => line);
    await putLines(blobs, keys.rows(chunk), lines).catch(storeDown);
    const rejected = lines.filter(isRejected).length;
    const counts = { accepted: lines.length - rejected, rejected };
    const facts = { chunk, first: first.line.row, ...counts, upload: last.upload };
    const answer = await batches.append(id, facts, meter).catch(redisDown);
    if (answer === 'taken') {
      chunk++;
      tally(rows);
      return;
    }
    if (answer === 'lost') throw lost();
    if (rows.length === 1) {
      await blobs.delete(keys.rows(chunk)).catch(storeDown);
      throw overQuota(meter);
    }
    const half = Math.ceil(rows.length / 2);
    await takeIn(rows.slice(0, half));
    await takeIn(rows.slice(half));
  }

  async function flush(): Promise<void> {
    const rows = pending;
    pending = [];
    chars = 0;
    await takeIn(rows);
  }

  async function add(row: IncomingRow): Promise<void> {
    const line = await toLine(row);
    nextRow++;
    for (const column of row.others) if (columns.size < SHOWN_COLUMNS) columns.add(column);
    pending.push({ line, upload: row.upload });
    chars += JSON.stringify(line).length;
    if (pending.length >= CHUNK_ROWS || chars >= CHUNK_CHARS) await flush();
  }

  return {
    /** @throws what the rows throw, and Problem quota-exceeded, conflict, upstream-unavailable */
    async takeAll(rows: AsyncIterable<IncomingRow>): Promise<void> {
      try {
        for await (const row of rows) await add(row);
      } finally {
        // What came whole is kept, however the rest was lost.
        await flush();
      }
    },
    taken(): UploadResult {
      const warnings = [...columns].map((name) => `The column ${JSON.stringify(name)} is not read`);
      return { ...taken, warnings };
    },
  };
}
