import { BATCHES_PREFIX, segment } from '../../storage/blob-keys.ts';
import { type BlobEntry, BlobMissing, type Blobs } from '../../storage/blobs.ts';

/** Everything that is kept of a batch but its cut-outs lies under one prefix. */
export const batchPrefix = (client: string, id: string): string =>
  `${BATCHES_PREFIX}${segment(client)}/${id}/`;

const INTENT = 'batch.json';

/** Where the intents of all batches are. */
export async function* batchManifests(
  blobs: Blobs,
  signal?: AbortSignal,
): AsyncGenerator<BlobEntry> {
  for await (const entry of blobs.list(BATCHES_PREFIX, signal)) {
    if (entry.key.endsWith(`/${INTENT}`)) yield entry;
  }
}

const numbered = (chunk: number): string => `${String(chunk).padStart(6, '0')}.ndjson`;

/** Names of a batch's blobs; rows and results are kept in chunks, counted from 0. */
export const batchKeys = (client: string, id: string) => {
  const prefix = batchPrefix(client, id);
  return {
    intent: `${prefix}${INTENT}`,
    /** There once no more rows come. */
    sealed: `${prefix}sealed.json`,
    /** There once the batch has ended, with how and when. */
    ended: `${prefix}ended.json`,
    rows: (chunk: number) => `${prefix}rows/${numbered(chunk)}`,
    results: (chunk: number) => `${prefix}results/${numbered(chunk)}`,
    /** What goes behind the subjects, or its address. */
    background: `${prefix}background`,
    /** An image that was sent with its row. */
    input: (row: number) => `${prefix}in/${row}`,
  };
};

const NDJSON = 'application/x-ndjson';

const JSON_TYPE = { mediaType: 'application/json' };

/** Writes one object as a blob. */
export const putJson = (blobs: Blobs, key: string, facts: object): Promise<void> =>
  blobs.put(key, Buffer.from(JSON.stringify(facts)), JSON_TYPE);

/** Notes that no more rows come: a Redis that was emptied is told of it. */
export const putSealed = (
  blobs: Blobs,
  { client, id }: { client: string; id: string },
  nowMillis: number,
): Promise<void> =>
  putJson(blobs, batchKeys(client, id).sealed, { sealedAt: new Date(nowMillis).toISOString() });

/** Such an object, not checked; nothing where there is no blob. */
export async function getJson(blobs: Blobs, key: string, signal?: AbortSignal): Promise<unknown> {
  const [facts] = await linesIfAny(blobs, key, signal);
  return facts;
}

/** Writes objects as a blob of lines. */
export const putLines = (
  blobs: Blobs,
  key: string,
  lines: readonly object[],
  signal?: AbortSignal,
): Promise<void> =>
  blobs.put(
    key,
    Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    { mediaType: NDJSON },
    signal,
  );

/** The lines of such a blob, parsed as JSON but not checked. Throws `BlobMissing`. */
async function getLines(blobs: Blobs, key: string, signal?: AbortSignal): Promise<unknown[]> {
  const text = Buffer.from(await blobs.get(key, signal)).toString();
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
}

/** The same, and none where there is no blob. */
const linesIfAny = (blobs: Blobs, key: string, signal?: AbortSignal): Promise<unknown[]> =>
  getLines(blobs, key, signal).catch((error) => {
    if (error instanceof BlobMissing) return [];
    throw error;
  });

/** Deletes every blob under a prefix; answers how many. */
export async function deleteAll(blobs: Blobs, prefix: string): Promise<number> {
  let deleted = 0;
  for await (const { key } of blobs.list(prefix)) {
    await blobs.delete(key);
    deleted++;
  }
  return deleted;
}

/** The lines of a batch's chunks, as the store has them. */
export function batchFiles(blobs: Blobs, client: string, id: string) {
  const keys = batchKeys(client, id);
  return {
    /** Throws `BlobMissing`: rows that were taken in must be there. */
    rows: (chunk: number) => getLines(blobs, keys.rows(chunk)),
    /** None where none were written. */
    results: (chunk: number) => linesIfAny(blobs, keys.results(chunk)),
    /** None past the last chunk, for who does not know how many there are. */
    rowsIfAny: (chunk: number) => linesIfAny(blobs, keys.rows(chunk)),
  };
}
