import {
  BATCH_LIMITS,
  type BatchRow,
  type BatchRowError,
  parseBatchRows,
} from '../../../feed-formats/batch-rows.ts';
import { type IdSet, takeId } from '../../../feed-formats/id-set.ts';
import { collectBody } from '../../../http/body-stream.ts';
import type { FilePart } from '../../../http/file-parts.ts';
import { readJsonImage } from '../../../http/image-body.ts';
import { sniffFormat } from '../../../imaging/sniff.ts';
import type { Upload } from '../../../intake/batches/batches.ts';
import { Problem, type ProblemType } from '../../../platform/problem.ts';

/** A row of an upload as it came: read, but neither looked into nor stored. */
export interface IncomingRow {
  /** The line it starts on, or the file's number, from 1. */
  line: number;
  customId?: string | undefined;
  /** Bytes are worked out when they are asked for, and may then turn out to be no image at all. */
  content: { url: string } | { bytes(): Uint8Array } | { problem: Problem };
  /** Columns that nobody asked for. */
  others: readonly string[];
  /** Where the upload would go on after this row. */
  upload: Upload;
}

export interface IncomingLimits {
  maxImageBytes: number;
}

const FILLER = Buffer.alloc(64 * 1024, ' ');

/**
 * The same bytes. Where they break off, spaces push the last whole lines through the reader, which
 * reads in blocks; they belong to a line that has no end, and so to no row.
 */
async function* upToTheBreak(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    yield FILLER;
    throw error;
  }
}

/** What a fault of a row is called; a name for the fault itself would tell a client no more. */
const PROBLEM_OF: Readonly<Record<string, ProblemType>> = { 'too-large': 'payload-too-large' };

function contentOf(row: BatchRow | BatchRowError, { maxImageBytes }: IncomingLimits) {
  if (row.kind === 'fault') {
    const type = PROBLEM_OF[row.reasons[0]?.code ?? ''] ?? 'invalid-request';
    return { problem: new Problem(type, row.detail) };
  }
  const { image } = row;
  if ('url' in image) return image;
  const { base64: imageBase64 } = image;
  return {
    bytes(): Uint8Array {
      const read = readJsonImage({ imageBase64 }, maxImageBytes, sniffFormat, 'imageBase64');
      return read.image ?? new Uint8Array();
    },
  };
}

const placeOf = ({ offset, line, rows, header }: Upload) => ({
  ...{ offset, line, rows },
  ...(header !== undefined && { header }),
});

/** A header row is kept to go on with, in Redis. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * The rows of an upload in NDJSON or CSV.
 * @param from where an earlier part of it ended
 * @throws FeedError; Problem invalid-request; what the source throws, after the last whole row
 */
export async function* textRows(
  source: AsyncIterable<Uint8Array>,
  format: 'ndjson' | 'csv',
  from: Upload | undefined,
  ids: IdSet,
  limits: IncomingLimits,
): AsyncGenerator<IncomingRow> {
  let header = from?.header;
  const reading = { format, ids, ...(from && { from: placeOf(from) }) };
  for await (const item of parseBatchRows(upToTheBreak(source), reading)) {
    if (item.kind === 'header') {
      header = item.text;
      if (Buffer.byteLength(header) <= MAX_HEADER_BYTES) continue;
      throw new Problem('invalid-request', 'The header row is longer than 64 KiB');
    }
    yield {
      line: item.line,
      customId: item.kind === 'row' ? item.customId : item.id,
      content: contentOf(item, limits),
      others: item.kind === 'row' ? Object.keys(item.others) : [],
      upload: { format, ...item.end, ...(header !== undefined && { header }) },
    };
  }
}

async function fileContent(
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

/** The files of a form as rows; `offset` counts files here. Throws what the form throws. */
export async function* fileRows(
  files: AsyncIterable<FilePart>,
  from: Upload | undefined,
  ids: IdSet,
  limits: IncomingLimits,
): AsyncGenerator<IncomingRow> {
  let count = from?.rows ?? 0;
  for await (const part of files) {
    const content = await fileContent(part, ids, limits);
    count++;
    yield {
      line: count,
      customId: part.name.slice(0, BATCH_LIMITS.maxIdChars) || undefined,
      content,
      others: [],
      upload: { format: 'files', offset: count, line: count + 1, rows: count },
    };
  }
}
