import { z } from 'zod';
import { BATCHES_PREFIX, segment } from '../../storage/blob-keys.ts';
import { type Blobs, ifPresent, toAsciiJson } from '../../storage/blobs.ts';
import { ResultLine, RowLine } from './rows.ts';

/** What names a batch in object storage. */
export interface BatchRef {
  client: string;
  id: string;
}

/** All blobs of a batch but its cut-outs have this prefix. */
export const batchPrefix = ({ client, id }: BatchRef): string =>
  `${BATCHES_PREFIX}${segment(client)}/${id}/`;

/** The name of a file whose parts are numbered from 0. */
export const chunkFile = (chunk: number): string => `${String(chunk).padStart(6, '0')}.ndjson`;

/** Keys of a batch's blobs. Rows and results are stored in chunks, counted from 0. */
export const batchKeys = (batch: BatchRef) => {
  const prefix = batchPrefix(batch);
  return {
    manifest: `${prefix}batch.json`,
    /** Exists once the batch is sealed. */
    sealed: `${prefix}sealed.json`,
    /** Exists once the batch has ended, and says how and when. */
    ended: `${prefix}ended.json`,
    rows: (chunk: number) => `${prefix}rows/${chunkFile(chunk)}`,
    results: (chunk: number) => `${prefix}results/${chunkFile(chunk)}`,
    /** Prefix of the results of all chunks. */
    allResults: `${prefix}results/`,
    /** Which rows of a chunk repeat the picture of another; exists once the batch has ended, if there are any. */
    duplicates: (chunk: number) => `${prefix}duplicates/rows/${chunkFile(chunk)}`,
    /** The background image, or its address. */
    background: `${prefix}background`,
    /**
     * An image uploaded with its row. An upload that has lost its batch to another one must not replace or delete
     * the other's images, so the key names the upload too.
     */
    input: (row: number, uploadId: string) => `${prefix}in/${row}-${uploadId}`,
    /** The photo of a row that needs a review. */
    photo: (row: number) => `${prefix}photos/${row}`,
  };
};

const NDJSON = 'application/x-ndjson';
const JSON_TYPE = { mediaType: 'application/json' };

export const putJson = (blobs: Pick<Blobs, 'put'>, key: string, value: object): Promise<void> =>
  blobs.put(key, Buffer.from(JSON.stringify(value)), JSON_TYPE);

/** Records in object storage that a batch is sealed, for a Redis that loses its data. */
export const putSealed = (blobs: Blobs, batch: BatchRef, nowMillis: number): Promise<void> =>
  putJson(blobs, batchKeys(batch).sealed, { sealedAt: new Date(nowMillis).toISOString() });

/** Reads a JSON blob without validating it; returns nothing if there is no such blob. */
export async function getJson(blobs: Blobs, key: string, signal?: AbortSignal): Promise<unknown> {
  const lines = await ifPresent(getLines(blobs, key, signal));
  return lines?.[0];
}

/** Writes objects as an NDJSON blob. */
export const putLines = (
  blobs: Blobs,
  key: string,
  lines: readonly object[],
  signal?: AbortSignal,
  meta: Readonly<Record<string, string>> = {},
): Promise<void> =>
  blobs.put(
    key,
    Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    { mediaType: NDJSON, meta },
    signal,
  );

/** A blob has 1.5 KiB of metadata. */
const MAX_UPLOAD_CHARS = 1400;

/** Writes a chunk of rows, and how far their upload has come if that is not too long: a header may be. */
export function putRows(
  blobs: Blobs,
  key: string,
  rows: readonly object[],
  upload: object,
): Promise<void> {
  const json = toAsciiJson(upload);
  const meta = json.length > MAX_UPLOAD_CHARS ? {} : { upload: json };
  return putLines(blobs, key, rows, undefined, meta);
}

/** Writes a line for each row of a chunk that has one; no blob if none has. Idempotent. */
export async function putChunk<T>(
  blobs: Blobs,
  key: string,
  rows: Iterable<T>,
  lineOf: (row: T) => object | undefined,
): Promise<void> {
  const lines: object[] = [];
  for (const row of rows) {
    const line = lineOf(row);
    if (line) lines.push(line);
  }
  if (lines.length > 0) await putLines(blobs, key, lines);
}

/** Reads the lines of an NDJSON blob without validating them. Throws `BlobMissing`. */
export async function getLines(
  blobs: Blobs,
  key: string,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const text = Buffer.from(await blobs.get(key, signal)).toString();
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
}

/** Reads and validates the lines of an NDJSON blob; none if there is no such blob. */
export const getRows = async <T>(blobs: Blobs, key: string, schema: z.ZodType<T>): Promise<T[]> =>
  z.array(schema).parse((await ifPresent(getLines(blobs, key))) ?? []);

/** Reads the lines of a batch's chunks from object storage. */
export function batchFiles(blobs: Blobs, batch: BatchRef) {
  const keys = batchKeys(batch);
  return {
    /** Throws `BlobMissing`: accepted rows must exist. */
    rows: async (chunk: number): Promise<RowLine[]> =>
      RowLines.parse(await getLines(blobs, keys.rows(chunk))),
    /** Returns no lines if none were written. */
    results: (chunk: number) => getRows(blobs, keys.results(chunk), ResultLine),
    /** Returns how far the upload of a chunk's rows had come, unvalidated; nothing if that is not known. */
    async upload(chunk: number): Promise<unknown> {
      const json = (await blobs.head(keys.rows(chunk)))?.meta.upload;
      return json === undefined ? undefined : JSON.parse(json);
    },
    /** Returns no lines past the last chunk, for callers that do not know how many there are. */
    rowsIfPresent: (chunk: number) => getRows(blobs, keys.rows(chunk), RowLine),
  };
}

const RowLines = z.array(RowLine);
