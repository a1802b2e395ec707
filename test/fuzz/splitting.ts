import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Cell, Chunk, Raw, RecordChunk, Splitter } from '../../src/feed-formats/chunk.ts';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { cut } from './target.ts';

/** Rows longer than this are passed over while a feed is split, so that they are gone through as well. */
export const SHORT_ROW_BYTES = 240;
/** Rows that were written anew may be longer. */
const LONG_ROW_BYTES = 1_000_000;

export interface Splitting {
  pieces: Chunk[];
  splitter: Splitter;
  /** Why it ended early. */
  fault?: string;
}

function split(splitter: Splitter, blocks: readonly Raw[]): Splitting {
  const pieces: Chunk[] = [];
  try {
    for (const block of blocks) for (const piece of splitter.push(block)) pieces.push(piece);
    for (const piece of splitter.end()) pieces.push(piece);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    return { pieces, splitter, fault: error.reason };
  }
  return { pieces, splitter };
}

/** How the bytes between rows are cut does not matter, nor those of a row too long to hold. */
const rowsOf = ({ pieces, fault }: Splitting): string =>
  JSON.stringify([
    fault,
    ...pieces.flatMap((piece) => {
      if (piece.kind === 'between') return [];
      return piece.kind === 'record' ? piece : { ...piece, raw: undefined };
    }),
  ]);

const rawOf = ({ pieces }: Splitting): Raw => pieces.map(({ raw }) => raw).join('');

/** Every row that was not too long to hold says on which line it starts. */
function checkLines({ pieces }: Splitting): void {
  let line = 1;
  for (const piece of pieces) {
    if (piece.kind === 'record') equal(piece.line, line);
    line += piece.raw.split('\n').length - 1;
  }
}

/** Splits a feed in one block and in pieces: the same rows and the same end, in the feed's own bytes. */
export function splitsWell(open: (maxRowBytes: number) => Splitter, input: Buffer): Splitting {
  const raw = input.toString('latin1');
  const whole = split(open(SHORT_ROW_BYTES), [raw]);
  const blocks = cut(input).map((piece) => piece.toString('latin1'));
  const inPieces = split(open(SHORT_ROW_BYTES), blocks);
  equal(rowsOf(inPieces), rowsOf(whole));
  for (const each of [whole, inPieces]) {
    if (each.fault === undefined) equal(rawOf(each), raw);
    else ok(raw.startsWith(rawOf(each)));
    checkLines(each);
  }
  return whole;
}

export const isRecord = (piece: Chunk): piece is RecordChunk => piece.kind === 'record';

/** Hard to write in any format. */
const NEW_VALUE = '<b>&amp; ä "x", ;|\']]>';
const hasValue = ({ values: [value = ''] }: Cell): boolean => value.trim() !== '';

/** A feed whose rows are all sound, with new values in one of them, is read as it was but for these. */
export function rewritesWell(open: (maxRowBytes: number) => Splitter, input: Buffer): void {
  const { pieces, splitter, fault } = split(open(LONG_ROW_BYTES), [input.toString('latin1')]);
  const at = pieces.findIndex(isRecord);
  const record = pieces[at];
  if (fault || record?.kind !== 'record' || pieces.some(({ kind }) => kind === 'unreadable'))
    return;
  const values = record.cells.map((cell) => (hasValue(cell) ? [NEW_VALUE] : cell.values));
  const changed = [...values.entries()].filter(([, [value]]) => value === NEW_VALUE);
  equal(splitter.rewrite(record, new Map()), record.raw);

  const row = splitter.rewrite(record, new Map(changed));
  const raws = pieces.map((piece, i) => (i === at ? row : piece.raw));
  const again = split(open(LONG_ROW_BYTES), raws);
  equal(again.fault, undefined);
  const [first, ...others] = again.pieces.filter(isRecord);
  deepEqual(
    first?.cells,
    record.cells.map((cell, i) => ({ ...cell, values: values[i] })),
  );
  equal(others.length, pieces.filter(isRecord).length - 1);
}
