import type { Raw } from './chunk.ts';

/** A whole line, including its line break, or a part of one that is too long to buffer. */
export type Line =
  | { kind: 'line'; line: number; raw: Raw }
  | { kind: 'part'; line: number; raw: Raw; last: boolean };

/**
 * Splits at LF, and so at CRLF; a line beyond `maxBytes` is yielded in parts, the last one marked.
 * @param lineEnd CR for text that has no LF
 */
export function lineSplitter(maxBytes: number, lineEnd: '\n' | '\r' = '\n') {
  let line = 1;
  let buffered = '';
  let tooLong = false;

  /** Adds text to the current line; returns the line or part it completes. */
  function take(text: Raw, isEnd: boolean): Line | undefined {
    tooLong ||= buffered.length + text.length > maxBytes;
    if (!isEnd && !tooLong) {
      buffered += text;
      return;
    }
    const raw = buffered + text;
    buffered = '';
    if (tooLong) return { kind: 'part', line, raw, last: isEnd };
    return { kind: 'line', line, raw };
  }

  return {
    *push(raw: Raw): Iterable<Line> {
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
    *end(): Iterable<Line> {
      const last = buffered || tooLong ? take('', true) : undefined;
      if (last) yield last;
    },
  };
}

export function withoutBreak(raw: Raw): Raw {
  const end = raw.endsWith('\n') ? raw.length - 1 : raw.length;
  return raw.slice(0, raw[end - 1] === '\r' ? end - 1 : end);
}
