import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Cell, Chunk, Raw, RecordChunk, Splitter } from '../../src/feed-formats/chunk.ts';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { splitAtRandom } from './target.ts';

/** Small row limit for splitting: covers rows that are skipped as too large. */
const SHORT_ROW_BYTES = 240;
/** Rewritten rows may be longer. */
const LONG_ROW_BYTES = 1_000_000;

interface SplitResult {
  chunks: Chunk[];
  splitter: Splitter;
  /** Reason of the FeedError that ended it. */
  error?: string;
}

function split(splitter: Splitter, blocks: readonly Raw[]): SplitResult {
  const chunks: Chunk[] = [];
  try {
    for (const block of blocks) for (const chunk of splitter.push(block)) chunks.push(chunk);
    for (const chunk of splitter.end()) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    return { chunks, splitter, error: error.reason };
  }
  return { chunks, splitter };
}

/** Chunks between rows, and of rows too large to buffer, may be cut differently. */
const rowsOf = ({ chunks, error }: SplitResult): string =>
  JSON.stringify([
    error,
    ...chunks.flatMap((chunk) => {
      if (chunk.kind === 'between') return [];
      return chunk.kind === 'record' ? chunk : { ...chunk, raw: undefined };
    }),
  ]);

const rawOf = ({ chunks }: SplitResult): Raw => chunks.map(({ raw }) => raw).join('');

/** Checks the line numbers of rows that were not too large. */
function checkLines({ chunks }: SplitResult): void {
  let line = 1;
  for (const chunk of chunks) {
    if (chunk.kind === 'record') equal(chunk.line, line);
    line += chunk.raw.split('\n').length - 1;
  }
}

/** Splits a feed in one block and in several: same rows, same error, same bytes. */
export function checkSplit(open: (maxRowBytes: number) => Splitter, input: Buffer): SplitResult {
  const raw = input.toString('latin1');
  const whole = split(open(SHORT_ROW_BYTES), [raw]);
  const blocks = splitAtRandom(input).map((chunk) => chunk.toString('latin1'));
  const inBlocks = split(open(SHORT_ROW_BYTES), blocks);
  equal(rowsOf(inBlocks), rowsOf(whole));
  for (const each of [whole, inBlocks]) {
    if (each.error === undefined) equal(rawOf(each), raw);
    else ok(raw.startsWith(rawOf(each)));
    checkLines(each);
  }
  return whole;
}

export const isRecord = (chunk: Chunk): chunk is RecordChunk => chunk.kind === 'record';

/** A value that needs escaping in any format. */
const NEW_VALUE = '<b>&amp; ä "x", ;|\']]>';
const hasValue = ({ values: [value = ''] }: Cell): boolean => value.trim() !== '';

/**
 * Rewrites one row of a valid feed: reading it again gives the same rows with the new values.
 * @param containers indices of the cells whose value is that of others too; they change with these
 */
export function checkRewrite(
  open: (maxRowBytes: number) => Splitter,
  input: Buffer,
  containers: (record: RecordChunk) => ReadonlySet<number> = () => new Set(),
): void {
  const { chunks, splitter, error } = split(open(LONG_ROW_BYTES), [input.toString('latin1')]);
  const at = chunks.findIndex(isRecord);
  const record = chunks[at];
  if (error || record?.kind !== 'record' || chunks.some(({ kind }) => kind === 'unreadable'))
    return;
  const around = containers(record);
  const isChanged = (cell: Cell, i: number) => hasValue(cell) && !around.has(i);
  const values = record.cells.map((cell, i) => (isChanged(cell, i) ? [NEW_VALUE] : cell.values));
  const changed = [...values.entries()].filter(([i]) => isChanged(record.cells[i]!, i));
  equal(splitter.rewrite(record, new Map()), record.raw);

  function readRewritten(replaced: ReadonlyMap<number, readonly string[]>): RecordChunk {
    const row = splitter.rewrite(record as RecordChunk, replaced);
    const raws = chunks.map((chunk, i) => (i === at ? row : chunk.raw));
    const rewritten = split(open(LONG_ROW_BYTES), raws);
    equal(rewritten.error, undefined);
    const [first, ...others] = rewritten.chunks.filter(isRecord);
    equal(others.length, chunks.filter(isRecord).length - 1);
    ok(first);
    return first;
  }

  const { cells } = readRewritten(new Map(changed));
  deepEqual(
    cells.filter((_, i) => !around.has(i)),
    record.cells
      .map((cell, i) => ({ ...cell, values: values[i] }))
      .filter((_, i) => !around.has(i)),
  );
  equal(cells.length, record.cells.length);
  if (around.size > 0) readRewritten(new Map(record.cells.map((_, i) => [i, [NEW_VALUE]])));
}
