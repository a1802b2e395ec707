import type { RecordChunk, Splitter, UnreadableChunk } from './chunk.ts';
import { type Column, plainName } from './columns.ts';
import { csvSplitter } from './csv.ts';
import type { Encoding } from './encoding.ts';
import type { Reason, RowError, RowPosition } from './feed-error.ts';
import { BROKEN_TEXT, FeedError, rowError } from './feed-error.ts';
import { type IdSet, idSet, takeId } from './id-set.ts';
import { linkError } from './links.ts';
import { ndjsonSplitter } from './ndjson.ts';
import { readChunks } from './parse.ts';

/** How far an upload was read: enough to resume with its remaining bytes. */
interface BatchCursor {
  /** Bytes read: the offset of the next row. */
  offset: number;
  /** The next line, from 1. */
  line: number;
  /** Rows read, including invalid ones. */
  rows: number;
}

/** The header row of a CSV upload; resuming needs it again. */
export interface BatchHeader {
  kind: 'header';
  text: string;
}

/** One image to process. */
export interface BatchRow extends RowPosition {
  kind: 'row';
  customId: string;
  /** An http(s) URL, or base64 as sent; neither fetched nor decoded yet. */
  image: { url: string } | { base64: string };
  /** All other columns, by the upload's own names. */
  others: Readonly<Record<string, readonly string[]>>;
  end: BatchCursor;
}

export type BatchRowError = RowError & { end: BatchCursor };

export interface BatchReadOptions {
  format: 'ndjson' | 'csv';
  /** Resumes after an earlier part of the upload; `header` is the text of its BatchHeader. */
  from?: BatchCursor & { header?: string };
  limits?: BatchLimits;
  /** The customIds seen so far; pass those of earlier parts when resuming. */
  ids?: IdSet;
}

export const BATCH_LIMITS = {
  /** Bytes of one row as written, including base64: it may hold an image of 20 MiB. */
  maxRowBytes: 28 * 1024 * 1024,
  maxIdChars: 256,
  maxUrlChars: 2_000,
};
type BatchLimits = Readonly<typeof BATCH_LIMITS>;

const COLUMNS: ReadonlyMap<string, Column> = new Map([
  ['customid', 'id'],
  ['imageurl', 'imageLink'],
]);
const columnOf = (label: string): Column | undefined => COLUMNS.get(plainName(label));

function openSplitter(encoding: Encoding, { format, from, limits }: BatchReadOptions): Splitter {
  const { maxRowBytes } = limits ?? BATCH_LIMITS;
  if (encoding.name.startsWith('utf-16'))
    throw new FeedError('encoding', 'UTF-16 is not supported for rows; send UTF-8');
  if (format === 'ndjson') return ndjsonSplitter({ encoding, maxRowBytes, columnOf });
  const required = { id: 'custom_id', imageLink: 'image_url' };
  const headerRow = from?.header === undefined ? undefined : encoding.encode(from.header);
  return csvSplitter({ encoding, maxRowBytes, columnOf, required, headerRow });
}

/** The fields of a row, before validation. */
interface RowFields {
  customId: string;
  url: string;
  base64: string;
  others: Record<string, readonly string[]>;
}

function readFields({ cells }: RecordChunk): RowFields {
  const fields: RowFields = { customId: '', url: '', base64: '', others: Object.create(null) };
  for (const { label, name, values } of cells) {
    const [value = ''] = values;
    if (name === 'id') fields.customId = value.trim();
    else if (name === 'imageLink') fields.url = value.trim();
    else if (plainName(label) === 'imagebase64') fields.base64 = value;
    else fields.others[label] = values;
  }
  return fields;
}

function imageError({ url, base64 }: RowFields, maxUrlChars: number): Reason | undefined {
  if (url === '' && base64 === '')
    return { code: 'missing-image', detail: 'The row has neither imageUrl nor imageBase64' };
  if (url !== '' && base64 !== '')
    return { code: 'malformed', detail: 'The row has both imageUrl and imageBase64' };
  return url === '' ? undefined : linkError(url, 'imageUrl', maxUrlChars);
}

function toItem(
  chunk: RecordChunk | UnreadableChunk,
  at: RowPosition,
  ids: IdSet,
  limits: BatchLimits,
): RowError | Omit<BatchRow, 'end'> {
  if (chunk.kind === 'unreadable') {
    const { code, detail } = chunk;
    return rowError(at, undefined, [{ code, detail }]);
  }
  const fields = readFields(chunk);
  const { customId, url, base64, others } = fields;
  const reasons = [
    takeId(ids, customId, 'customId', limits.maxIdChars),
    imageError(fields, limits.maxUrlChars),
    chunk.broken ? BROKEN_TEXT : undefined,
  ].filter((reason) => reason !== undefined);
  if (reasons.length > 0)
    return rowError(at, customId.slice(0, limits.maxIdChars) || undefined, reasons);
  return { kind: 'row', ...at, customId, image: url === '' ? { base64 } : { url }, others };
}

/**
 * Blank lines of one byte each in front of a resumed upload: encoding detection must not take a row's first bytes
 * for the start of a file.
 */
const LEAD = '\n\n';

async function* withLead(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(LEAD);
  yield* source;
}

const lineBreaks = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** Returns the cursor at which reading starts: before the lead, which is counted as read. */
function startCursor({ from }: BatchReadOptions): BatchCursor {
  if (!from) return { offset: 0, line: 1, rows: 0 };
  const { offset, line, rows } = from;
  return { offset: offset - LEAD.length, line: line - LEAD.length, rows };
}

/**
 * Reads the rows of a batch upload as a stream: NDJSON of `{"customId", "imageUrl" or "imageBase64"}`,
 * or CSV with the columns `custom_id` and `image_url`, in UTF-8. Yields each row once, as a row or as an
 * error, with the cursor to resume from if the upload breaks off after it.
 * @throws FeedError encoding, no-header
 */
export async function* parseBatchRows(
  source: AsyncIterable<Uint8Array>,
  options: BatchReadOptions,
): AsyncGenerator<BatchHeader | BatchRow | BatchRowError> {
  const { from, limits = BATCH_LIMITS, ids = idSet() } = options;
  const cursor = startCursor(options);

  const bytes = from ? withLead(source) : source;
  // What is in a row must not depend on where an upload is resumed.
  const chunks = readChunks(bytes, { certain: 'utf-8' }, (encoding) =>
    openSplitter(encoding, options),
  );
  for await (const chunk of chunks) {
    const { line } = cursor;
    cursor.offset += chunk.raw.length;
    cursor.line += lineBreaks(chunk.raw);
    if (chunk.kind !== 'between') {
      cursor.rows += 1;
      const item = toItem(chunk, { line, index: cursor.rows - 1 }, ids, limits);
      yield { ...item, end: { ...cursor } };
    } else if (chunk.header && !from) {
      yield { kind: 'header', text: Buffer.from(chunk.raw, 'latin1').toString() };
    }
  }
}
