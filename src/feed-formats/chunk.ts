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

/** Limits for untrusted feeds; exceeding one is an error, never a crash. */
export const FEED_LIMITS = {
  /** Bytes of one feed; more is a FeedError. */
  maxBytes: 2 * 1024 ** 3,
  /** Rows in one feed; more is a FeedError. */
  maxRows: 1_000_000,
  /** Bytes of one row as written, including markup and quotes; a longer row is skipped. */
  maxRowBytes: 1024 * 1024,
  /** Characters of an id; a longer one invalidates the row. */
  maxIdChars: 256,
  /** Characters of one link; Google accepts 2,000. */
  maxUrlChars: 2_000,
  /** Characters read of each descriptive text; Google accepts 5,000 in a description. */
  maxTextChars: 5_000,
  /** Additional images of one row; Google accepts 10. */
  maxAdditionalImages: 10,
  /** Nesting depth of XML elements, within an item or around the items. */
  maxDepth: 32,
};
export type FeedLimits = Readonly<typeof FEED_LIMITS>;

export interface Edit {
  start: number;
  end: number;
  written: Raw;
}

/** Returns the row with all edits applied, those at one place in the given order; they must not overlap. */
export function applyEdits(raw: Raw, edits: readonly Edit[]): Raw {
  let out = '';
  let from = 0;
  for (const { start, end, written } of [...edits].sort((a, b) => a.start - b.start)) {
    out += raw.slice(from, start) + written;
    from = end;
  }
  return out + raw.slice(from);
}

/** A whole line, including its line break. */
export interface Line {
  kind: 'line';
  line: number;
  raw: Raw;
}

export const tooLargeRow = (line: number, raw: Raw, maxBytes: number): UnreadableChunk => {
  const detail = `The row is longer than ${maxBytes} bytes`;
  return { kind: 'unreadable', line, raw, code: 'too-large', detail };
};

/**
 * Splits at LF, and so at CRLF; a line beyond `maxBytes` is yielded in chunks, the last one a row that is too large.
 * @param lineEnd CR for text that has no LF
 */
export function lineSplitter(maxBytes: number, lineEnd: '\n' | '\r' = '\n') {
  let line = 1;
  let buffered = '';
  let tooLong = false;

  /** Adds text to the current line; returns the line or part it completes. */
  function take(text: Raw, isEnd: boolean): Line | UnreadableChunk | BetweenChunk | undefined {
    tooLong ||= buffered.length + text.length > maxBytes;
    if (!isEnd && !tooLong) {
      buffered += text;
      return;
    }
    const raw = buffered + text;
    buffered = '';
    if (!tooLong) return { kind: 'line', line, raw };
    return isEnd ? tooLargeRow(line, raw, maxBytes) : { kind: 'between', raw };
  }

  return {
    *push(raw: Raw): Iterable<Line | Chunk> {
      let from = 0;
      for (let at = raw.indexOf(lineEnd); at >= 0; at = raw.indexOf(lineEnd, from)) {
        const whole = take(raw.slice(from, at + 1), true);
        if (whole) yield whole;
        tooLong = false;
        line += 1;
        from = at + 1;
      }
      const rest = from < raw.length ? take(raw.slice(from), false) : undefined;
      if (rest) yield rest;
    },
    *end(): Iterable<Line | Chunk> {
      const last = buffered || tooLong ? take('', true) : undefined;
      if (last) yield last;
    },
  };
}

export function withoutBreak(raw: Raw): Raw {
  const end = raw.endsWith('\n') ? raw.length - 1 : raw.length;
  return raw.slice(0, raw[end - 1] === '\r' ? end - 1 : end);
}
