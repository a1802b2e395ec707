import type { Batches, BatchRecord } from './batches.ts';
import { ResultLine, RowLine } from './rows.ts';

/** Where the lines of a batch's chunks are read: the store. */
export interface BatchFiles {
  rows(chunk: number): Promise<unknown[]>;
  results(chunk: number): Promise<unknown[]>;
}

/** A row as it came, and what it came to: nothing yet, or never where the batch ended before. */
export interface RowOutcome {
  row: RowLine;
  result: ResultLine | undefined;
}

/** Results of one chunk, from the store where they are written, else from Redis. */
async function resultsOf(
  batches: Batches,
  files: BatchFiles,
  id: string,
  chunk: number,
): Promise<ResultLine[]> {
  if (!(await batches.isWritten(id, chunk))) {
    const open = await batches.results(id, chunk);
    // Written at this moment: what was read may be half of it.
    if (!(await batches.isWritten(id, chunk))) return open;
  }
  return (await files.results(chunk)).map((line) => ResultLine.parse(line));
}

/**
 * Every row of a batch exactly once, in the order they came in; one chunk is in memory at a time.
 * @param from the first chunk that is wanted
 */
export async function* batchRows(
  batches: Batches,
  files: BatchFiles,
  { id, chunks }: Pick<BatchRecord, 'id' | 'chunks'>,
  from = 0,
): AsyncGenerator<RowOutcome> {
  for (let chunk = from; chunk < chunks; chunk++) {
    const rows = (await files.rows(chunk)).map((line) => RowLine.parse(line));
    const results = await resultsOf(batches, files, id, chunk);
    const byRow = new Map(results.map((result) => [result.row, result]));
    for (const row of rows) yield { row, result: byRow.get(row.row) };
  }
}
