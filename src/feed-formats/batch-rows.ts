import type { RecordChunk, Splitter, UnreadableChunk } from './chunk.ts';
import { type Column, plainName } from './columns.ts';
import { csvSplitter } from './csv.ts';
import type { Encoding } from './encoding.ts';
import { FeedError } from './feed-error.ts';
import { type IdSet, idSet, takeId } from './id-set.ts';
import { linkError } from './links.ts';
import { ndjsonSplitter } from './ndjson.ts';
import { readChunks } from './read-chunks.ts';
import {
  BROKEN_TEXT,
  type Reason,
  type RowError,
  type RowPosition,
  rowError,
} from './row-error.ts';

/** How far an upload was read: enough to go on from there with its remaining bytes. */
export interface BatchCursor {
  /** Bytes read, so where the next row starts. */
  offset: number;
  /** The line that is next, from 1. */
  line: number;
  /** Rows read, faulty ones included. */
  rows: number;
}

/** The row of a CSV upload that names the columns; one that goes on later needs it again. */
export interface BatchHeader {
  kind: 'header';
  text: string;
}

/** One image to work on. */
export interface BatchRow extends RowPosition {
  kind: 'row';
  customId: string;
  /** An http(s) URL, or base64 as it was sent; nothing has been fetched or decoded. */
  image: { url: string } | { base64: string };
  /** All other columns, by the names that the upload gives them. */
  others: Readonly<Record<string, readonly string[]>>;
  end: BatchCursor;
}

export type BatchRowError = RowError & { end: BatchCursor };

export interface BatchReading {
  format: 'ndjson' | 'csv';
  /** Where an earlier part of the upload ended; `header` is the text of its BatchHeader. */
  from?: BatchCursor & { header?: string };
  limits?: BatchLimits;
  /** The customIds taken so far; an upload that goes on later brings them along. */
  ids?: IdSet;
}

export interface BatchLimits {
  /** Bytes of one row as written, base64 included. */
  maxRowBytes: number;
  maxIdChars: number;
  maxUrlChars: number;
}

/** A row holds an image of 20 MiB in base64. */
export const BATCH_LIMITS: Readonly<BatchLimits> = {
  maxRowBytes: 28 * 1024 * 1024,
  maxIdChars: 256,
  maxUrlChars: 2_000,
};

const COLUMNS: ReadonlyMap<string, Column> = new Map([
  ['customid', 'id'],
  ['imageurl', 'imageLink'],
]);
const columnOf = (label: string): Column | undefined => COLUMNS.get(plainName(label));

function openSplitter(encoding: Encoding, { format, from, limits }: BatchReading): Splitter {
  const { maxRowBytes } = limits ?? BATCH_LIMITS;
  if (encoding.name.startsWith('utf-16')) {
    throw new FeedError('encoding', 'Rows in UTF-16 are not read here; send UTF-8');
  }
  if (format === 'ndjson') return ndjsonSplitter({ encoding, maxRowBytes, columnOf });
  const required = { id: 'custom_id', imageLink: 'image_url' };
  const headerRow = from?.header === undefined ? undefined : encoding.encode(from.header);
  return csvSplitter({ encoding, maxRowBytes, columnOf, required, headerRow });
}

/** What a row says, before anyone asks whether it may. */
interface Said {
  customId: string;
  url: string;
  base64: string;
  others: Record<string, readonly string[]>;
}

function readCells({ cells }: RecordChunk): Said {
  const said: Said = { customId: '', url: '', base64: '', others: Object.create(null) };
  for (const { label, name, values } of cells) {
    const [value = ''] = values;
    if (name === 'id') said.customId = value.trim();
    else if (name === 'imageLink') said.url = value.trim();
    else if (plainName(label) === 'imagebase64') said.base64 = value;
    else said.others[label] = values;
  }
  return said;
}

function imageFault({ url, base64 }: Said, maxUrlChars: number): Reason | undefined {
  if (url === '' && base64 === '') {
    return { code: 'missing-image', detail: 'The row has neither imageUrl nor imageBase64' };
  }
  if (url !== '' && base64 !== '') {
    return { code: 'malformed', detail: 'The row has both imageUrl and imageBase64' };
  }
  return url === '' ? undefined : linkError(url, 'imageUrl', maxUrlChars);
}

function toItem(
  piece: RecordChunk | UnreadableChunk,
  at: RowPosition,
  ids: IdSet,
  limits: BatchLimits,
): RowError | Omit<BatchRow, 'end'> {
  if (piece.kind === 'unreadable') {
    const { code, detail } = piece;
    return rowError(at, undefined, [{ code, detail }]);
  }
  const said = readCells(piece);
  const { customId, url, base64, others } = said;
  const reasons = [
    takeId(ids, customId, 'customId', limits.maxIdChars),
    imageFault(said, limits.maxUrlChars),
    piece.broken ? BROKEN_TEXT : undefined,
  ].filter((reason) => reason !== undefined);
  if (reasons.length > 0) {
    return rowError(at, customId.slice(0, limits.maxIdChars) || undefined, reasons);
  }
  return { kind: 'row', ...at, customId, image: url === '' ? { base64 } : { url }, others };
}

/**
 * Blank lines of one byte each before an upload that goes on, lest the first bytes of a row be taken for those of
 * a file and tell its encoding.
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

/** Where reading starts: what is read again stands before the place it goes on from. */
function startOf({ from }: BatchReading): BatchCursor {
  if (!from) return { offset: 0, line: 1, rows: 0 };
  const { offset, line, rows } = from;
  return { offset: offset - LEAD.length, line: line - LEAD.length, rows };
}

/**
 * Reads the rows of a batch upload as a stream: NDJSON of `{"customId", "imageUrl" or "imageBase64"}`,
 * or CSV with the columns `custom_id` and `image_url`, in UTF-8. Each row comes once, as a row or as a
 * fault, with the place to go on from should the upload break off after it.
 * @throws FeedError encoding, no-header
 */
export async function* parseBatchRows(
  source: AsyncIterable<Uint8Array>,
  reading: BatchReading,
): AsyncGenerator<BatchHeader | BatchRow | BatchRowError> {
  const { from, limits = BATCH_LIMITS, ids = idSet() } = reading;
  const place = startOf(reading);

  const bytes = from ? withLead(source) : source;
  const pieces = readChunks(bytes, undefined, (encoding) => openSplitter(encoding, reading));
  for await (const piece of pieces) {
    const { line } = place;
    place.offset += piece.raw.length;
    place.line += lineBreaks(piece.raw);
    if (piece.kind !== 'between') {
      place.rows += 1;
      const item = toItem(piece, { line, index: place.rows - 1 }, ids, limits);
      yield { ...item, end: { ...place } };
    } else if (piece.header && !from) {
      yield { kind: 'header', text: Buffer.from(piece.raw, 'latin1').toString() };
    }
  }
}
