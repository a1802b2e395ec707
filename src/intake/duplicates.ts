import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import {
  createGrouper,
  FINGERPRINT_BYTES,
  type Match,
  parseFingerprint,
  similarityOf,
} from '../imaging/fingerprint.ts';
import type { Fingerprint, JobResults } from '../queue/job-data.ts';
import type { Blobs } from '../storage/blobs.ts';
import {
  type BatchRef,
  batchKeys,
  batchPrefix,
  chunkFile,
  getJson,
  getRows,
  putChunk,
  putJson,
  putLines,
} from './batches/batch-files.ts';
import { type BatchRecord, DuplicateCounts } from './batches/batch-record.ts';
import { DuplicateOf, RowName, type RowOutcome } from './batches/row-reader.ts';

/** Keys of what object storage holds of a batch's duplicates; deleted with the batch. */
const duplicateKeys = (batch: BatchRef) => {
  const prefix = `${batchPrefix(batch)}duplicates/`;
  return {
    /** Rows of one chunk with a fingerprint; chunks without such rows have none. */
    chunk: (chunk: number): string => `${prefix}chunks/${chunkFile(chunk)}`,
    /** Groups of rows with the same picture, in the order of their first rows, in parts. */
    groups: (part: number): string => `${prefix}groups/${chunkFile(part)}`,
    /** Exists once everything is written. */
    summary: `${prefix}summary.json`,
  };
};

const FingerprintRow = RowName.extend({ fingerprint: z.string() });
type FingerprintRow = z.infer<typeof FingerprintRow>;

/** A group of rows with the same picture, by its first row. */
export const DuplicateGroup = RowName.extend({
  rows: z.number().meta({ description: 'Rows of the group, this first one included' }),
  duplicates: z
    .array(DuplicateOf.meta({ id: 'DuplicateRow' }))
    .meta({ description: 'The next 19 rows at most, in upload order' }),
});
export type DuplicateGroup = z.infer<typeof DuplicateGroup>;

/** What a row's images were compared by; undefined if nothing was cut out, or by a release without fingerprints. */
const fingerprintOfResults = ({ cutout, view, outfit }: JobResults): z.infer<typeof Fingerprint> =>
  cutout?.fingerprint ?? view?.fingerprint ?? outfit?.fingerprint;

/** Returns a row as it is compared; undefined if it cannot be. */
function toFingerprintRow({ row, result }: RowOutcome): FingerprintRow | undefined {
  if (result?.status !== 'succeeded' || !('source' in row)) return undefined;
  const fingerprint = fingerprintOfResults(result.results);
  if (fingerprint === undefined) return undefined;
  const { customId, image } = row;
  return { row: row.row, customId, ...(image !== undefined && { image }), fingerprint };
}

/** Pictures that are compared: the first ones. They take 80 bytes each in memory, and some 60 µs. */
const MAX_COMPARED = 500_000;
/** Groups that are listed, and rows of each; the report has all. */
const MAX_LISTED = { groups: 50_000, chars: 32 * 1024 * 1024, rowsOfGroup: 20 };
/** Groups in one part of the list. */
const PART_GROUPS = 100;
/** Rows compared before others have their turn. */
const BLOCK_ROWS = 100;

const Summary = DuplicateCounts.extend({ listed: z.number() });
type Summary = z.infer<typeof Summary>;

/** Stores the rows of a chunk that can be compared. Idempotent. */
export const putFingerprints = (
  blobs: Blobs,
  batch: BatchRef,
  chunk: number,
  outcomes: Iterable<RowOutcome>,
): Promise<void> => putChunk(blobs, duplicateKeys(batch).chunk(chunk), outcomes, toFingerprintRow);

interface Comparable {
  name: RowName;
  fingerprint: Uint8Array;
}

/** Yields the rows that are compared, chunk by chunk: each time the same ones. */
async function* readComparable(
  blobs: Blobs,
  batch: BatchRef & Pick<BatchRecord, 'chunks'>,
): AsyncGenerator<{ chunk: number; rows: Comparable[] }> {
  let left = MAX_COMPARED;
  for (let chunk = 0; chunk < batch.chunks && left > 0; chunk++) {
    const stored = await getRows(blobs, duplicateKeys(batch).chunk(chunk), FingerprintRow);
    const rows = stored
      .flatMap(({ fingerprint: text, ...name }) => {
        const fingerprint = parseFingerprint(text);
        return fingerprint ? [{ name, fingerprint }] : [];
      })
      .slice(0, left);
    left -= rows.length;
    yield { chunk, rows };
  }
}

async function readPoints(blobs: Blobs, batch: BatchRecord) {
  const blocks: Uint8Array[] = [];
  for await (const { rows } of readComparable(blobs, batch))
    blocks.push(Buffer.concat(rows.map(({ fingerprint }) => fingerprint)));
  const points = Buffer.concat(blocks);
  return { points, count: points.length / FINGERPRINT_BYTES };
}

/** What was found: for each picture the first of its group, and how many rows each first one has. */
interface Found {
  matches: ReadonlyMap<number, Match>;
  sizes: ReadonlyMap<number, number>;
}

async function findDuplicates(points: Uint8Array, count: number): Promise<Found> {
  const matchOf = createGrouper(points, count);
  const matches = new Map<number, Match>();
  const sizes = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    if (i % BLOCK_ROWS === 0) await setImmediate();
    const match = matchOf(i);
    if (!match) continue;
    matches.set(i, match);
    sizes.set(match.of, (sizes.get(match.of) ?? 1) + 1);
  }
  return { matches, sizes };
}

/** Collects groups in the order of their first rows, as many as are listed. */
function createGroupList({ sizes }: Found) {
  const groups = new Map<number, DuplicateGroup>();
  let chars = 0;
  const isFull = (): boolean => groups.size >= MAX_LISTED.groups || chars > MAX_LISTED.chars;
  return {
    begin(i: number, name: RowName): void {
      if (isFull()) return;
      groups.set(i, { ...name, rows: sizes.get(i) ?? 1, duplicates: [] });
      chars += JSON.stringify(name).length;
    },
    add(of: number, name: RowName, similarity: number): void {
      const group = groups.get(of);
      if (!group || group.duplicates.length + 1 >= MAX_LISTED.rowsOfGroup) return;
      if (chars > MAX_LISTED.chars && group.duplicates.length > 0) return;
      group.duplicates.push({ ...name, similarity });
      chars += JSON.stringify(name).length;
    },
    toArray: (): DuplicateGroup[] => [...groups.values()],
  };
}

/** Writes for each row that repeats a picture which one it is, chunk by chunk, and returns the list of groups. */
async function putRows(blobs: Blobs, batch: BatchRecord, found: Found): Promise<DuplicateGroup[]> {
  const keys = batchKeys(batch);
  const list = createGroupList(found);
  const firsts = new Map<number, RowName>();
  let i = 0;
  for await (const { chunk, rows } of readComparable(blobs, batch)) {
    const lines: (DuplicateOf & { of: number })[] = [];
    for (const { name } of rows) {
      if (found.sizes.has(i)) {
        firsts.set(i, name);
        list.begin(i, name);
      }
      const match = found.matches.get(i);
      const first = match && firsts.get(match.of);
      if (first) {
        const similarity = similarityOf(match.distance);
        lines.push({ of: name.row, ...first, similarity });
        list.add(match.of, name, similarity);
      }
      i++;
    }
    if (lines.length > 0) await putLines(blobs, keys.duplicates(chunk), lines);
  }
  return list.toArray();
}

/**
 * Finds the rows of a batch with the same picture, once its chunks are written, and writes them: last the summary.
 * Repeated, it returns what it wrote first.
 */
export async function putDuplicates(blobs: Blobs, batch: BatchRecord): Promise<DuplicateCounts> {
  const keys = duplicateKeys(batch);
  const known = await getSummary(blobs, batch);
  if (known) return toCounts(known);
  const { points, count } = await readPoints(blobs, batch);
  const found = await findDuplicates(points, count);
  const groups = found.sizes.size > 0 ? await putRows(blobs, batch, found) : [];
  for (let first = 0; first < groups.length; first += PART_GROUPS) {
    const part = groups.slice(first, first + PART_GROUPS);
    await putLines(blobs, keys.groups(first / PART_GROUPS), part);
  }
  const counts = { compared: count, groups: found.sizes.size, rows: found.matches.size };
  await putJson(blobs, keys.summary, { ...counts, listed: groups.length });
  return counts;
}

const toCounts = ({ listed: _, ...counts }: Summary): DuplicateCounts => counts;

async function getSummary(blobs: Blobs, batch: BatchRef): Promise<Summary | undefined> {
  return Summary.safeParse(await getJson(blobs, duplicateKeys(batch).summary)).data;
}

/**
 * Reads a page of the groups of a batch.
 * @param cursor how many groups are before it
 * @returns the groups and the cursor of the next page, if there is one
 */
export async function readGroups(
  blobs: Blobs,
  batch: BatchRef,
  { cursor, limit }: { cursor: number; limit: number },
): Promise<{ groups: DuplicateGroup[]; next: number | undefined }> {
  const { listed = 0 } = (await getSummary(blobs, batch)) ?? {};
  const keys = duplicateKeys(batch);
  const end = Math.min(cursor + limit, listed);
  const groups: DuplicateGroup[] = [];
  for (let at = cursor; at < end; at = cursor + groups.length) {
    const part = Math.floor(at / PART_GROUPS);
    const stored = await getRows(blobs, keys.groups(part), DuplicateGroup);
    const first = part * PART_GROUPS;
    const read = stored.slice(at - first, end - first);
    if (read.length === 0) break; // deleted meanwhile
    groups.push(...read);
  }
  return { groups, next: end < listed ? end : undefined };
}
