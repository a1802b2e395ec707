import { z } from 'zod';
import { AcceptedRow, PreviousImage, RowPosition, SourceObject } from '../../queue/job-data.ts';
import { BATCHES_PREFIX, segment } from '../../storage/blob-keys.ts';
import { type Blobs, ifPresent, toAsciiJson } from '../../storage/blobs.ts';

/** `code` is one word for the same reason in all rows, such as `http-503`; older rows lack it. */
const RowProblem = z.object({ type: z.string(), detail: z.string(), code: z.string().optional() });
export type RowProblem = z.infer<typeof RowProblem>;

/** A row that cannot be processed, and why. */
export const RejectedRow = z.object({
  ...RowPosition,
  customId: z.string().optional(),
  problem: RowProblem,
  object: SourceObject.optional(),
  /** Rows without an id that follow and are rejected for the same reason: a million of them take one line. */
  more: z
    .object({
      rows: z.number(),
      /** Lines of the upload from each to the next. */
      lineStep: z.number(),
    })
    .optional(),
});
export type RejectedRow = z.infer<typeof RejectedRow>;

/** One line of a file of rows. */
export const RowLine = z.union([AcceptedRow, RejectedRow]);
export type RowLine = z.infer<typeof RowLine>;

export const isRejected = (line: RowLine): line is RejectedRow => 'problem' in line;

export const rowCount = (line: RowLine): number =>
  isRejected(line) ? 1 + (line.more?.rows ?? 0) : 1;

/** Yields the rejected rows of a line one by one. */
export function* expandRejected({ more, ...first }: RejectedRow): Generator<RejectedRow> {
  const { rows, lineStep } = more ?? { rows: 0, lineStep: 0 };
  for (let i = 0; i <= rows; i++)
    yield { ...first, row: first.row + i, line: first.line + i * lineStep };
}

/** Returns a line that holds the next row as well, or undefined if one line cannot. */
export function mergeRejected(line: RowLine, next: RowLine): RejectedRow | undefined {
  if (!isRejected(line) || !isRejected(next)) return undefined;
  if (line.customId !== undefined || next.customId !== undefined) return undefined;
  if (line.problem.type !== next.problem.type || line.problem.detail !== next.problem.detail)
    return undefined;
  const { rows, lineStep } = line.more ?? { rows: 0, lineStep: next.line - line.line };
  if (next.line !== line.line + (rows + 1) * lineStep) return undefined;
  return { ...line, more: { rows: rows + 1, lineStep } };
}

/** The result of a row: one line of a file of results. */
export const ResultLine = z.discriminatedUnion('status', [
  PreviousImage.extend({
    row: z.number(),
    status: z.literal('succeeded'),
    /** The image had not changed: input and results are those of the run before. */
    unchanged: z.boolean(),
    /** Why it is stale, in one word. */
    code: z.string().optional(),
    /** It has used a unit: a feed is charged for new pictures only. */
    charged: z.boolean().optional(),
  }),
  z.object({ row: z.number(), status: z.literal('failed'), problem: RowProblem }),
]);
export type ResultLine = z.infer<typeof ResultLine>;

/** Why a row is not as good as it should be, in one word; undefined if it is. */
export const reasonCode = (line: RowLine | ResultLine): string | undefined => {
  if ('problem' in line) return line.problem.code ?? line.problem.type;
  return 'code' in line ? line.code : undefined;
};

/** Adds to a histogram. */
export function countReason(
  reasons: Record<string, number>,
  code: string | undefined,
  count = 1,
): void {
  if (code !== undefined) reasons[code] = (reasons[code] ?? 0) + count;
}

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
