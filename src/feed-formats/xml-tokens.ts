import type { Raw } from './chunk.ts';
import { FeedError, type FeedPosition } from './feed-error.ts';

/** A whole tag, or a part of anything else; a tag too long to buffer is split into parts as well. */
export interface Token {
  kind: 'tag' | 'long-tag' | 'text' | 'comment' | 'cdata' | 'pi' | 'doctype';
  raw: Raw;
}

const MAX_TAG_BYTES = 64 * 1024;

/** Starts and ends of markup other than tags; the end of a tag depends on its quotes. */
const MARKUP = [
  { kind: 'comment', starts: '<!--', ends: '-->' },
  { kind: 'cdata', starts: '<![CDATA[', ends: ']]>' },
  { kind: 'pi', starts: '<?', ends: '?>' },
  { kind: 'doctype', starts: '<!DOCTYPE', ends: '>' },
] as const;

/** A `<` before anything else is text that should have been escaped. */
const NAME_OR_SLASH = /^[/\w:\x80-\xff]/;

const LONGEST_START = '<![CDATA['.length;

type OpenToken = { kind: Token['kind']; ends: string };

/** Returns the index after the `>`, outside of attribute values, of the tag at `from`; -1 if it is not buffered yet. */
function tagEnd(raw: Raw, from: number): number {
  for (let at = from; at < raw.length; at++) {
    const char = raw[at];
    if (char === '>') return at + 1;
    if (char !== '"' && char !== "'") continue;
    at = raw.indexOf(char, at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

/**
 * Splits XML at the boundaries of its markup, in constant memory and without validating it: names, nesting and
 * entities are left to a parser. The tokens' `raw`, concatenated, is the document.
 * @throws FeedError doctype, for declarations within the document, the only markup that is rejected
 */
export function xmlTokenizer() {
  let buffer = '';
  /** Where the next token begins in the buffer, and where the last one did. */
  let next = 0;
  let last = 0;
  /** The position of the index `counted`: that of a token is counted only when it is asked for. */
  let known: FeedPosition = { line: 1, column: 1 };
  let counted = 0;
  /** A token that was split and continues. */
  let open: OpenToken | undefined;

  function positionOf(index: number): FeedPosition {
    known = advance(known, buffer, counted, index);
    counted = index;
    return known;
  }

  function token(kind: Token['kind'], end: number): Token {
    const raw = buffer.slice(next, end);
    next = end;
    return { kind, raw };
  }

  /** Takes the next part of a token that ends with `ends`, which may itself span two blocks. */
  function takeUntil({ kind, ends }: OpenToken, from: number): Token | undefined {
    const at = buffer.indexOf(ends, from);
    if (at >= 0) {
      open = undefined;
      return token(kind, at + ends.length);
    }
    const whole = buffer.length - (ends.length - 1);
    if (whole <= from) return undefined;
    open = { kind, ends };
    return token(kind, whole);
  }

  function nextTag(): Token | undefined {
    const end = tagEnd(buffer, next);
    if (end > 0 && end - next <= MAX_TAG_BYTES) return token('tag', end);
    return buffer.length - next > MAX_TAG_BYTES
      ? takeUntil({ kind: 'long-tag', ends: '>' }, next)
      : undefined;
  }

  function nextMarkup(atEnd: boolean): Token | undefined {
    const isShort = buffer.length - next < LONGEST_START && !atEnd;
    if (isShort && !buffer.includes('>', next)) return undefined;
    const second = buffer[next + 1] ?? '!';
    if (second !== '!' && second !== '?')
      return NAME_OR_SLASH.test(second) ? nextTag() : token('text', next + 1);
    const markup = MARKUP.find(({ starts }) => buffer.startsWith(starts, next));
    return markup ? withoutSubset(takeUntil(markup, next + markup.starts.length)) : reject();
  }

  function reject(): never {
    const detail = 'The feed has declarations of its own (DOCTYPE […], ENTITY): remove them';
    throw new FeedError('doctype', detail, positionOf(last));
  }

  /** A document type that is only named declares nothing: it is never fetched. */
  const withoutSubset = (found: Token | undefined): Token | undefined =>
    found?.kind === 'doctype' && found.raw.includes('[') ? reject() : found;

  function nextToken(atEnd: boolean): Token | undefined {
    if (open) return withoutSubset(takeUntil(open, next));
    const at = buffer.indexOf('<', next);
    if (at === next) return nextMarkup(atEnd);
    return token('text', at < 0 ? buffer.length : at);
  }

  function* tokens(atEnd: boolean): Iterable<Token> {
    while (next < buffer.length) {
      last = next;
      const found = nextToken(atEnd);
      if (!found) return;
      yield found;
    }
  }

  return {
    /** @param before bytes before the document, which only count for positions */
    push(raw: Raw, before: Raw = ''): Iterable<Token> {
      known = advance(positionOf(next), before, 0, before.length);
      buffer = buffer.slice(next) + raw;
      next = 0;
      last = 0;
      counted = 0;
      return tokens(false);
    },
    /** @throws FeedError malformed-xml, if the document ends within a token */
    *end(): Iterable<Token> {
      yield* tokens(true);
      if (next === buffer.length && !open) return;
      const detail = 'The feed ends in the middle of markup';
      throw new FeedError('malformed-xml', detail, positionOf(next));
    },
    /** Where the last token begins. */
    position: () => positionOf(last),
  };
}

/** Returns the position of `to` in the text, if that of `from` is known. */
function advance({ line, column }: FeedPosition, raw: Raw, from: number, to: number): FeedPosition {
  let lines = line;
  let lineStart = -1;
  for (let at = raw.indexOf('\n', from); at >= 0 && at < to; at = raw.indexOf('\n', at + 1)) {
    lines += 1;
    lineStart = at + 1;
  }
  return lineStart < 0
    ? { line, column: column + to - from }
    : { line: lines, column: to - lineStart + 1 };
}
