import type { Column } from './columns.ts';

/**
 * Bytes as a string, one character (0 to 255) a byte. Feeds are split on bytes and decoded a row at a
 * time: a broken byte harms the row it is in and no other, a length is a byte count, and whatever is
 * not rewritten leaves as it came.
 */
export type Raw = string;

/** One named value of a row: a CSV cell, a member of a JSON object, a child element of an item. */
export interface Cell {
  /** The column's name as the feed writes it. */
  label: string;
  /** What the name means to us; undefined for a column that is carried but not read. */
  name: Column | undefined;
  /** Usually one; several for a JSON array, none where there is nothing. */
  values: readonly string[];
}

/** A row that could be taken apart. */
export interface RecordChunk {
  kind: 'record';
  /** Where the row starts, from 1. */
  line: number;
  raw: Raw;
  /** True where bytes that are no text had to be replaced. */
  broken: boolean;
  cells: readonly Cell[];
}

/** A row that could not be taken apart. */
export interface UnreadableChunk {
  kind: 'unreadable';
  line: number;
  raw: Raw;
  /** The row's id, where it could be read all the same. */
  id?: string;
  code: 'malformed' | 'ragged' | 'too-large';
  detail: string;
}

/** Headers, envelopes, blank lines: what stands between rows. */
export interface BetweenChunk {
  kind: 'between';
  raw: Raw;
  /** True for the row that names the columns. */
  header?: true;
}

export type Chunk = RecordChunk | UnreadableChunk | BetweenChunk;

/** Splits a feed into pieces; all their `raw`, put together, are the feed again, byte for byte. */
export interface Splitter {
  /** @param raw the next bytes, any number of them */
  push(raw: Raw): Iterable<Chunk>;
  end(): Iterable<Chunk>;
  /**
   * The record with some cells' values replaced, everything else as it was.
   * @param values cell index -> as many values as the cell has
   */
  rewrite(record: RecordChunk, values: ReadonlyMap<number, readonly string[]>): Raw;
}
