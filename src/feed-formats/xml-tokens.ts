import type { Raw } from './chunk.ts';
import { FeedError, type FeedPosition } from './feed-error.ts';

/** A whole tag, or a stretch of anything else; a tag too long to hold comes in stretches as well. */
export interface Token {
  kind: 'tag' | 'long-tag' | 'text' | 'comment' | 'cdata' | 'pi';
  raw: Raw;
  place: FeedPosition;
}

export interface Tokenizer {
  push(raw: Raw): Iterable<Token>;
  /** @throws FeedError malformed-xml, when the document ends within a token */
  end(): Iterable<Token>;
}

const MAX_TAG_BYTES = 64 * 1024;

/** How what starts with `<` goes on, and where it ends. A tag's end depends on its quotes. */
const MARKUP = [
  { kind: 'comment', starts: '<!--', ends: '-->' },
  { kind: 'cdata', starts: '<![CDATA[', ends: ']]>' },
  { kind: 'pi', starts: '<?', ends: '?>' },
] as const;

/** A `<` before anything else is a letter that should have been escaped. */
const NAME_OR_SLASH = /^<[/\w:\x80-\xff]/;

const LONGEST_START = '<![CDATA['.length;

type Open = { kind: Token['kind']; ends: string };

/** Index after the tag's `>`, which no quoted attribute value hides; -1 when it is not there yet. */
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
 * Splits XML where its markup starts and ends, in constant memory and without judging it: names,
 * nesting and entities are for a parser. The tokens' `raw`, put together, are the document again.
 * @throws FeedError doctype, the only markup that is refused
 */
export function xmlTokenizer(): Tokenizer {
  let buffer = '';
  let place: FeedPosition = { line: 1, column: 1 };
  /** What goes on in the next token, the last one having been cut. */
  let open: Open | undefined;

  function token(kind: Token['kind'], end: number): Token {
    const raw = buffer.slice(0, end);
    const from = place;
    buffer = buffer.slice(end);
    place = placeAfter(from, raw);
    return { kind, raw, place: from };
  }

  /** The next part of something that ends with `ends`, which may itself lie across two blocks. */
  function partOf({ kind, ends }: Open, from: number): Token | undefined {
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
    return buffer.length > MAX_TAG_BYTES ? partOf({ kind: 'long-tag', ends: '>' }, 0) : undefined;
  }

  function nextMarkup(ended: boolean): Token | undefined {
    if (buffer.length < LONGEST_START && !ended && !buffer.includes('>')) return undefined;
    const known = MARKUP.find(({ starts }) => buffer.startsWith(starts));
    if (known) return partOf(known, known.starts.length);
    if (/^<[^!]/.test(buffer)) return NAME_OR_SLASH.test(buffer) ? nextTag() : token('text', 1);
    throw new FeedError(
      'doctype',
      'The feed has a DOCTYPE or other declarations, which are refused; leave them out',
      place,
    );
  }

  function next(ended: boolean): Token | undefined {
    if (open) return partOf(open, 0);
    if (buffer.startsWith('<')) return nextMarkup(ended);
    const at = buffer.indexOf('<');
    return token('text', at < 0 ? buffer.length : at);
  }

  function* tokens(ended: boolean): Iterable<Token> {
    while (buffer) {
      const found = next(ended);
      if (!found) return;
      yield found;
    }
  }

  return {
    push(raw) {
      buffer += raw;
      return tokens(false);
    },
    *end() {
      yield* tokens(true);
      if (buffer || open) {
        throw new FeedError('malformed-xml', 'The feed ends in the middle of markup', place);
      }
    },
  };
}

function placeAfter({ line, column }: FeedPosition, raw: Raw): FeedPosition {
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
