import { z } from 'zod';
import type { Blobs } from '../../storage/blobs.ts';
import type { ResultLine, RowLine } from './batch-files.ts';
import { batchFiles, batchKeys, expandRejected, getRows, isRejected } from './batch-files.ts';
import type { BatchRecord } from './batch-record.ts';
import type { Batches } from './batches.ts';

/** Where batches are read from. */
interface Read {
  batches: Batches;
  blobs: Blobs;
}

/** A row, as its client knows it. */
export const RowName = z.object({
  row: z.number(),
  customId: z.string().meta({ description: 'In feeds, the id of the product' }),
  image: z.number().optional().meta({ description: 'In feeds: of its product, 0 is the main one' }),
});
export type RowName = z.infer<typeof RowName>;

/** The first row with the same picture, or one that repeats it. */
export const DuplicateOf = RowName.extend({
  similarity: z.number().min(0).max(1).meta({
    description: 'Of the two pictures, in thousandths: 0.9 and more is the same picture',
  }),
});
export type DuplicateOf = z.infer<typeof DuplicateOf>;

/** One line of a file of duplicates: `of` is the row that repeats the picture. */
const DuplicateLine = DuplicateOf.extend({ of: z.number() });

/** A row with its result. No result: the row has not ended, or its batch ended before it. */
export interface RowOutcome {
  row: RowLine;
  result: ResultLine | undefined;
  /** How often people have mended its cut-out; absent if it is as it was made, or if that was not looked up. */
  refinements?: number;
  /** What somebody has decided that it sells; absent if nobody has, or if that was not looked up. */
  category?: string;
  /** If an earlier row has the same picture; known since the end of the batch. */
  duplicateOf?: DuplicateOf;
}

/** Reads the results of one chunk, from object storage if they are written, else from Redis. */
async function readResults(
  { batches, blobs }: Read,
  batch: Pick<BatchRecord, 'id' | 'client'>,
  chunk: number,
): Promise<ResultLine[]> {
  if (!(await batches.isWritten(batch.id, chunk))) {
    const unwritten = await batches.results(batch.id, chunk);
    // If they were written and deleted from Redis meanwhile, only some of them may have been read.
    if (!(await batches.isWritten(batch.id, chunk))) return unwritten;
  }
  return batchFiles(blobs, batch).results(chunk);
}

/** Returns which rows of a chunk repeat a picture; nothing is read if no row of the batch does. */
async function readDuplicates(
  { blobs }: Read,
  batch: Pick<BatchRecord, 'client' | 'id' | 'duplicates'>,
  chunk: number,
): Promise<ReadonlyMap<number, DuplicateOf>> {
  const key = batchKeys(batch).duplicates(chunk);
  const lines = batch.duplicates?.rows ? await getRows(blobs, key, DuplicateLine) : [];
  return new Map(lines.map(({ of, ...first }) => [of, first]));
}

/** Yields the rows of a chunk with their results. @param lines of the chunk's file of rows */
export function* joinResults(
  lines: readonly RowLine[],
  results: readonly ResultLine[],
): Generator<RowOutcome> {
  const byRow = new Map(results.map((result) => [result.row, result]));
  for (const line of lines) {
    if (!isRejected(line)) yield { row: line, result: byRow.get(line.row) };
    else for (const row of expandRejected(line)) yield { row, result: undefined };
  }
}

/**
 * Yields every row of a batch exactly once, in upload order, with one chunk in memory at a time.
 * @param from the first chunk to read
 */
export async function* readRowOutcomes(
  services: Read,
  batch: Pick<BatchRecord, 'id' | 'client' | 'chunks' | 'duplicates'>,
  from = 0,
): AsyncGenerator<RowOutcome> {
  for (let chunk = from; chunk < batch.chunks; chunk++) {
    const rows = await batchFiles(services.blobs, batch).rows(chunk);
    const results = await readResults(services, batch, chunk);
    const duplicates = await readDuplicates(services, batch, chunk);
    for (const outcome of joinResults(rows, results)) {
      const duplicateOf = duplicates.get(outcome.row.row);
      yield duplicateOf ? { ...outcome, duplicateOf } : outcome;
    }
  }
}
