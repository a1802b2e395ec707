import type { Raw } from './chunk.ts';

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
