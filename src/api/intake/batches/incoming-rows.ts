import { randomUUID } from 'node:crypto';
import type { BatchRow, BatchRowError } from '../../../feed-formats/batch-rows.ts';
import { BATCH_LIMITS, parseBatchRows } from '../../../feed-formats/batch-rows.ts';
import { feedImages } from '../../../feed-formats/feed-images.ts';
import { type IdSet, takeId } from '../../../feed-formats/id-set.ts';
import type { FeedHints } from '../../../feed-formats/sniff.ts';
import type { Gateway } from '../../../gateway.ts';
import { type BodyStream, collectBody, type FilePart } from '../../../http/body-stream.ts';
import { readJsonImage } from '../../../http/image-body.ts';
import { batchKeys, type RowLine } from '../../../intake/batches/batch-files.ts';
import { type BatchRecord, PROGRESS, type Upload } from '../../../intake/batches/batch-record.ts';
import type { BytesAllowance, BytesReservation } from '../../../intake/stored-bytes.ts';
import type { ValidatedImage } from '../../../intake/validate-image.ts';
import { Problem, type ProblemType } from '../../../platform/problem.ts';

interface PendingImage {
  key: string;
  reservation: BytesReservation;
}

/** Stores the images that come with the rows of one upload, and deletes those whose rows are not appended. */
export class RowImages {
  readonly #services;
  readonly #allowance;
  readonly #uploadId = randomUUID();
  readonly #keys;
  readonly #pending = new Map<number, PendingImage>();

  constructor(
    services: Pick<Gateway, 'blobs' | 'storedBytes'>,
    batch: Pick<BatchRecord, 'client' | 'id'>,
    allowance: BytesAllowance,
  ) {
    this.#services = services;
    this.#allowance = allowance;
    this.#keys = batchKeys(batch);
  }

  /** @throws Problem quota-exceeded, upstream-unavailable */
  async put(row: number, { bytes, format }: ValidatedImage): Promise<string> {
    const key = this.#keys.input(row, this.#uploadId);
    const reservation = await this.#services.storedBytes.reserve(this.#allowance, bytes.length);
    this.#pending.set(row, { key, reservation });
    await this.#services.blobs.put(key, bytes, { mediaType: `image/${format}` });
    return key;
  }

  /** Keeps the images of rows that are appended, or may be. */
  keep(lines: readonly RowLine[]): void {
    for (const { row } of lines) this.#pending.delete(row);
  }

  pendingBytes(): number {
    return [...this.#pending.values()].reduce((sum, { reservation }) => sum + reservation.bytes, 0);
  }

  /** Deletes the images of the rows that were not appended. What cannot be deleted now goes with the batch. */
  readonly discardPending = async (): Promise<void> => {
    const deletions = [...this.#pending.values()].map(async ({ key, reservation }) => {
      await this.#services.blobs.delete(key);
      await this.#services.storedBytes.release(reservation);
    });
    this.#pending.clear();
    await Promise.allSettled(deletions);
  };
}

/** A parsed row of an upload, not yet validated or stored. */
export interface IncomingRow {
  /** The line where it starts, or the number of the file, from 1. */
  line: number;
  customId?: string | undefined;
  /** Bytes are decoded on demand and may turn out not to be an image. */
  content: { url: string } | { bytes(): Uint8Array } | { problem: Problem };
  /** Whether the row is as long as one with an image. */
  bringsImage: boolean;
  /** Columns that are ignored. */
  unknownColumns: readonly string[];
  /** The state to resume the upload from after this row. */
  upload: Upload;
}

type TextBody = Pick<Extract<BodyStream, { kind: 'bytes' }>, 'stream' | 'hold'>;

interface IncomingLimits {
  maxImageBytes: number;
}

const PADDING = Buffer.alloc(64 * 1024, ' ');

/**
 * Passes the bytes through. If the source fails, spaces flush the last whole lines through the
 * parser, which reads in blocks; the spaces are part of an unterminated line and thus of no row.
 */
async function* flushOnError(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    yield PADDING;
    throw error;
  }
}

/** The problem type for the code of a row's error; invalid-request for all others. */
const PROBLEM_TYPES: Readonly<Record<string, ProblemType>> = { 'too-large': 'payload-too-large' };

function toContent(row: BatchRow | BatchRowError, { maxImageBytes }: IncomingLimits) {
  if (row.kind === 'error') {
    const type = PROBLEM_TYPES[row.reasons[0]?.code ?? ''] ?? 'invalid-request';
    return { problem: new Problem(type, row.detail) };
  }
  const { image } = row;
  if ('url' in image) return image;
  const { base64: imageBase64 } = image;
  return {
    bytes(): Uint8Array {
      const form = readJsonImage({ imageBase64 }, maxImageBytes, 'imageBase64');
      return form.image ?? new Uint8Array();
    },
  };
}

/**
 * Takes memory for the bytes that are read but not yet part of a row, at most for the longest row: the
 * parser drops what is longer.
 * @param bytesUsed returns how many bytes the rows so far had
 */
async function* holdUnused({ stream, hold }: TextBody, bytesUsed: () => number) {
  let bytesRead = 0;
  for await (const bytes of stream) {
    bytesRead += bytes.length;
    hold(Math.min(bytesRead - bytesUsed(), BATCH_LIMITS.maxRowBytes));
    yield bytes;
  }
}

const toCursor = ({ offset, line, rows, header }: Upload) => ({
  offset,
  line,
  rows,
  ...(header !== undefined && { header }),
});

/** The header row is stored in Redis to resume from. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A longer row of text is taken for one with an image: no other column is that long. */
const LONG_ROW_BYTES = 16 * 1024;

/**
 * Parses the rows of an upload in NDJSON or CSV.
 * @param from the upload to resume
 * @throws FeedError; Problem invalid-request; as the body throws, after the last whole row
 */
export async function* textRows(
  body: TextBody,
  format: 'ndjson' | 'csv',
  from: Upload | undefined,
  ids: IdSet,
  limits: IncomingLimits,
): AsyncGenerator<IncomingRow> {
  let header = from?.header;
  const start = from?.offset ?? 0;
  let offset = start;
  const source = holdUnused(body, () => offset - start);
  const options = { format, ids, ...(from && { from: toCursor(from) }) };
  for await (const item of parseBatchRows(flushOnError(source), options)) {
    if (item.kind === 'header') {
      header = item.text;
      if (Buffer.byteLength(header) <= MAX_HEADER_BYTES) continue;
      throw new Problem('invalid-request', 'The header row is longer than 64 KiB');
    }
    yield {
      line: item.line,
      customId: item.kind === 'row' ? item.customId : item.id,
      content: toContent(item, limits),
      bringsImage: item.end.offset - offset > LONG_ROW_BYTES,
      unknownColumns: item.kind === 'row' ? Object.keys(item.others) : [],
      upload: { format, ...item.end, ...(header !== undefined && { header }) },
    };
    offset = item.end.offset;
  }
}

/** Reads the images of a feed as rows; here `offset` counts images, and a resumed feed is sent whole again. */
export async function* feedRows(
  body: AsyncIterable<Uint8Array>,
  hints: FeedHints,
  from: Upload | undefined,
  ids: IdSet,
): AsyncGenerator<IncomingRow> {
  let count = 0;
  for await (const { line, customId, ...image } of feedImages(body, hints, ids)) {
    count++;
    if (count <= (from?.rows ?? 0)) continue;
    const content =
      'url' in image ? image : { problem: new Problem('invalid-request', image.detail) };
    const upload = { format: 'feed' as const, offset: count, line: line + 1, rows: count };
    yield { line, customId, content, bringsImage: false, unknownColumns: [], upload };
  }
}

async function readFileContent(
  { name, stream, isTruncated }: FilePart,
  ids: IdSet,
  { maxImageBytes }: IncomingLimits,
): Promise<IncomingRow['content']> {
  const bytes = await collectBody(stream, maxImageBytes);
  const reason = takeId(ids, name, 'file name', BATCH_LIMITS.maxIdChars);
  if (reason) return { problem: new Problem('invalid-request', reason.detail) };
  if (!isTruncated()) return { bytes: () => bytes };
  const detail = `The image is larger than ${maxImageBytes} bytes`;
  return { problem: new Problem('payload-too-large', detail) };
}

/** Reads the files of a form as rows; here `offset` counts files. Throws as the form throws. */
export async function* fileRows(
  files: AsyncIterable<FilePart>,
  from: Upload | undefined,
  ids: IdSet,
  limits: IncomingLimits,
): AsyncGenerator<IncomingRow> {
  let count = from?.rows ?? 0;
  for await (const part of files) {
    const content = await readFileContent(part, ids, limits);
    count++;
    yield {
      line: count,
      customId: part.name.slice(0, BATCH_LIMITS.maxIdChars) || undefined,
      content,
      bringsImage: true,
      unknownColumns: [],
      upload: PROGRESS.batch(count, count),
    };
  }
}
