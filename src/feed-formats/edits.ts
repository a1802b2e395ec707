import type { Raw } from './chunk.ts';

/** A stretch of a row, and what is written there instead. */
export interface Edit {
  start: number;
  end: number;
  written: Raw;
}

/** The row with all edits made; they must not overlap. */
export function applyEdits(raw: Raw, edits: readonly Edit[]): Raw {
  let out = '';
  let from = 0;
  for (const { start, end, written } of [...edits].sort((a, b) => a.start - b.start)) {
    out += raw.slice(from, start) + written;
    from = end;
  }
  return out + raw.slice(from);
}
