import type { Raw } from './chunk.ts';

/** A whole line, its line break included, or a part of one that is too long to hold. */
export type Line =
  | { kind: 'line'; line: number; raw: Raw }
  | { kind: 'part'; line: number; raw: Raw; last: boolean };

export interface LineSplitter {
  push(raw: Raw): Iterable<Line>;
  end(): Iterable<Line>;
}

/** Splits at LF, so at CRLF too; a line past `maxBytes` comes out in parts, the last one marked. */
export function lineSplitter(maxBytes: number): LineSplitter {
  let line = 1;
  let held = '';
  let tooLong = false;

  /** What `text`, the next of the present line, makes of it. */
  function take(text: Raw, ends: boolean): Line | undefined {
    tooLong ||= held.length + text.length > maxBytes;
    if (!ends && !tooLong) {
      held += text;
      return;
    }
    const raw = held + text;
    held = '';
    if (tooLong) return { kind: 'part', line, raw, last: ends };
    return { kind: 'line', line, raw };
  }

  return {
    *push(raw) {
      let from = 0;
      for (let at = raw.indexOf('\n'); at >= 0; at = raw.indexOf('\n', from)) {
        const whole = take(raw.slice(from, at + 1), true);
        if (whole) yield whole;
        tooLong = false;
        line += 1;
        from = at + 1;
      }
      const rest = from < raw.length ? take(raw.slice(from), false) : undefined;
      if (rest) yield rest;
    },
    *end() {
      const last = held || tooLong ? take('', true) : undefined;
      if (last) yield last;
    },
  };
}

/** A line without its line break. */
export const withoutBreak = (raw: Raw): Raw => raw.replace(/\r?\n$/, '');
