import type { Column, FilledColumn, FilledValues } from './columns.ts';

/**
 * Bytes as a string, one character (0 to 255) a byte. Feeds are split on bytes and decoded row by row: an invalid byte
 * affects only its own row, a length is a byte count, and everything that is not rewritten stays byte for byte.
 */
export type Raw = string;

/** One named value of a row: a CSV cell, a member of a JSON object, a child element of an item. */
export interface Cell {
  /** The column's name as the feed writes it. */
  label: string;
  /** The known column; undefined for one that is passed through unread. */
  name: Column | undefined;
  /** Usually one; several for a JSON array, none for an empty one. */
  values: readonly string[];
}

/** A row that could be parsed. */
export interface RecordChunk {
  kind: 'record';
  /** The line on which the row starts, from 1. */
  line: number;
  raw: Raw;
  /** True if bytes that are invalid in the encoding had to be replaced. */
  broken: boolean;
  cells: readonly Cell[];
}

/** A row that could not be parsed. */
export interface UnreadableChunk {
  kind: 'unreadable';
  line: number;
  raw: Raw;
  /** The row's id, if it could be read. */
  id?: string;
  code: 'malformed' | 'ragged' | 'too-large';
  detail: string;
}

/** Bytes between rows: headers, envelopes, blank lines. */
interface BetweenChunk {
  kind: 'between';
  raw: Raw;
  /** The names of the columns, if it is the header row. */
  header?: readonly string[];
}

export type Chunk = RecordChunk | UnreadableChunk | BetweenChunk;

/** Splits a feed into chunks; their `raw`, concatenated, is the feed, byte for byte. */
export interface Splitter {
  /** @param raw the next bytes, any number of them */
  push(raw: Raw): Iterable<Chunk>;
  end(): Iterable<Chunk>;
  /**
   * Returns the record with some cells' values replaced and everything else unchanged.
   * @param values cell index -> as many values as the cell has
   * @param filled values for columns whose cells are empty or missing
   */
  rewrite(
    record: RecordChunk,
    values: ReadonlyMap<number, readonly string[]>,
    filled?: FilledValues,
  ): Raw;
  /** Returns the header row with the columns that it lacks; absent from formats without one. */
  rewriteHeader?(raw: Raw, columns: readonly FilledColumn[]): Raw;
}
