import type { Raw } from './chunk.ts';
import { FeedError, type FeedPosition } from './feed-error.ts';

/** A whole tag, or a part of anything else; a tag too long to buffer is split into parts as well. */
export interface Token {
  kind: 'tag' | 'long-tag' | 'text' | 'comment' | 'cdata' | 'pi' | 'doctype';
  raw: Raw;
  position: FeedPosition;
}

interface Tokenizer {
  /** @param before bytes before the document, which only count for positions */
  push(raw: Raw, before?: Raw): Iterable<Token>;
  /** @throws FeedError malformed-xml, if the document ends within a token */
  end(): Iterable<Token>;
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
const NAME_OR_SLASH = /^<[/\w:\x80-\xff]/;

const LONGEST_START = '<![CDATA['.length;

type OpenToken = { kind: Token['kind']; ends: string };

/** Returns the index after the tag's `>` outside of attribute values; -1 if it is not buffered yet. */
function tagEnd(raw: Raw): number {
  const quoteOrEnd = /["'>]/g;
  for (;;) {
    const found = quoteOrEnd.exec(raw);
    if (!found) return -1;
    if (found[0] === '>') return quoteOrEnd.lastIndex;
    const closing = raw.indexOf(found[0], quoteOrEnd.lastIndex);
    if (closing < 0) return -1;
    quoteOrEnd.lastIndex = closing + 1;
  }
}

/**
 * Splits XML at the boundaries of its markup, in constant memory and without validating it: names, nesting and
 * entities are left to a parser. The tokens' `raw`, concatenated, is the document.
 * @throws FeedError doctype, for declarations within the document, the only markup that is rejected
 */
export function xmlTokenizer(): Tokenizer {
  let buffer = '';
  let position: FeedPosition = { line: 1, column: 1 };
  /** A token that was split and continues. */
  let open: OpenToken | undefined;

  function token(kind: Token['kind'], end: number): Token {
    const raw = buffer.slice(0, end);
    const from = position;
    buffer = buffer.slice(end);
    position = advance(from, raw);
    return { kind, raw, position: from };
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
    const end = tagEnd(buffer);
    if (end > 0 && end <= MAX_TAG_BYTES) return token('tag', end);
    return buffer.length > MAX_TAG_BYTES
      ? takeUntil({ kind: 'long-tag', ends: '>' }, 0)
      : undefined;
  }

  function nextMarkup(atEnd: boolean): Token | undefined {
    if (buffer.length < LONGEST_START && !atEnd && !buffer.includes('>')) return undefined;
    const known = MARKUP.find(({ starts }) => buffer.startsWith(starts));
    if (known) return withoutSubset(takeUntil(known, known.starts.length));
    if (/^<[^!]/.test(buffer)) return NAME_OR_SLASH.test(buffer) ? nextTag() : token('text', 1);
    return reject();
  }

  function reject(at = position): never {
    const detail = 'The feed has declarations of its own (DOCTYPE […], ENTITY): remove them';
    throw new FeedError('doctype', detail, at);
  }

  /** A document type that is only named declares nothing: it is never fetched. */
  function withoutSubset(found: Token | undefined): Token | undefined {
    return found?.kind === 'doctype' && found.raw.includes('[') ? reject(found.position) : found;
  }

  function next(atEnd: boolean): Token | undefined {
    if (open) return withoutSubset(takeUntil(open, 0));
    if (buffer.startsWith('<')) return nextMarkup(atEnd);
    const at = buffer.indexOf('<');
    return token('text', at < 0 ? buffer.length : at);
  }

  function* tokens(atEnd: boolean): Iterable<Token> {
    while (buffer) {
      const found = next(atEnd);
      if (!found) return;
      yield found;
    }
  }

  return {
    push(raw, before = '') {
      position = advance(position, before);
      buffer += raw;
      return tokens(false);
    },
    *end() {
      yield* tokens(true);
      if (buffer || open) {
        throw new FeedError('malformed-xml', 'The feed ends in the middle of markup', position);
      }
    },
  };
}

function advance({ line, column }: FeedPosition, raw: Raw): FeedPosition {
  let lines = line;
  let lastBreak = -1;
  for (let at = raw.indexOf('\n'); at >= 0; at = raw.indexOf('\n', at + 1)) {
    lines += 1;
    lastBreak = at;
  }
  return lastBreak < 0
    ? { line, column: column + raw.length }
    : { line: lines, column: raw.length - lastBreak };
}
