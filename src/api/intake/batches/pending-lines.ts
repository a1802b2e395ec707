import type { Upload } from '../../../intake/batches/batch-record.ts';
import { isRejected, mergeRejected, type RowLine, rowCount } from '../../../intake/batches/rows.ts';

/** A chunk ends at the first of these limits. One line may hold many rejected rows. */
const CHUNK_LINES = 500;
const CHUNK_ROWS = 10_000;
const CHUNK_CHARS = 1024 * 1024;

export interface PendingLine {
  line: RowLine;
  upload: Upload;
}

const sumOf = <T>(all: readonly T[], value: (one: T) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0);

export function countRows(lines: readonly RowLine[]): { accepted: number; rejected: number } {
  const rejected = sumOf(lines.filter(isRejected), rowCount);
  return { accepted: sumOf(lines, rowCount) - rejected, rejected };
}

export const byteLength = (lines: readonly RowLine[]): number =>
  sumOf(lines, (line) => Buffer.byteLength(JSON.stringify(line)) + 1);

/** Collects the lines of the next chunk of an upload; rows that are rejected alike share a line. */
export class PendingLines {
  #lines: PendingLine[] = [];
  #rows = 0;
  #accepted = 0;
  #chars = 0;

  /** @param upload the state of the upload after the row */
  add(row: RowLine, upload: Upload): void {
    this.#rows += 1;
    this.#accepted += isRejected(row) ? 0 : 1;
    const last = this.#lines.at(-1);
    const merged = last && mergeRejected(last.line, row);
    if (merged) {
      this.#lines[this.#lines.length - 1] = { line: merged, upload };
      return;
    }
    this.#lines.push({ line: row, upload });
    this.#chars += JSON.stringify(row).length;
  }

  accepted(): number {
    return this.#accepted;
  }

  isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  isFull(): boolean {
    return (
      this.#lines.length >= CHUNK_LINES || this.#rows >= CHUNK_ROWS || this.#chars >= CHUNK_CHARS
    );
  }

  /** Returns the lines, and begins the next chunk. */
  take(): PendingLine[] {
    const taken = this.#lines;
    this.#lines = [];
    this.#rows = 0;
    this.#accepted = 0;
    this.#chars = 0;
    return taken;
  }
}
