import type { Chunk, Raw, Splitter } from './chunk.ts';
import { excerpt, FeedError } from './feed-error.ts';
import { type JsonOptions, jsonRows } from './ndjson.ts';

/** An object or array around the rows. */
interface Container {
  isArray: boolean;
  /** The keys that lead to it, joined by slashes. */
  path: string;
}

/** What can end a value or begin one. */
const MARK = /["[\]{},:]/g;

/** Containers around the rows. */
const MAX_DEPTH = 32;

interface JsonDocumentOptions extends JsonOptions {
  /** The keys that lead to the array of rows (`data/products`); without them it is the first array of objects. */
  items: string | undefined;
}

/**
 * Splits one JSON document whose rows are the objects of one of its arrays. What is around the rows is not validated
 * but for its brackets.
 */
export function jsonSplitter(options: JsonDocumentOptions): Splitter {
  const { encoding, maxRowBytes } = options;
  const { toChunk, rewrite } = jsonRows(options);
  let { items } = options;
  const seen = new Set<string>();
  const around: Container[] = [];
  let buffer = '';
  /** Where reading `buffer` continues. */
  let at = 0;
  let line = 1;
  let key = '';
  /** Brackets open within the row that is being read; none between rows. */
  let depth = 0;
  let isTooLarge = false;

  /** Takes what has been read from the buffer. */
  function take(): { raw: Raw; from: number } {
    const taken = { raw: buffer.slice(0, at), from: line };
    for (let next = taken.raw.indexOf('\n'); next >= 0; next = taken.raw.indexOf('\n', next + 1)) {
      line += 1;
    }
    buffer = buffer.slice(at);
    at = 0;
    return taken;
  }

  /** Returns the index after the string that starts there; -1 if it does not end yet. */
  function afterString(start: number): number {
    for (let end = buffer.indexOf('"', start + 1); end >= 0; end = buffer.indexOf('"', end + 1)) {
      let escapes = 0;
      while (buffer[end - 1 - escapes] === '\\') escapes += 1;
      if (escapes % 2 === 0) return end + 1;
    }
    return -1;
  }

  const fail = (detail: string): never => {
    throw new FeedError('malformed-json', `${detail} (line ${line})`);
  };

  function open(isArray: boolean): void {
    if (around.length === MAX_DEPTH) fail(`Values are nested more than ${MAX_DEPTH} deep`);
    const outer = around.at(-1);
    const path = [outer?.path, outer && !outer.isArray ? key : ''].filter(Boolean).join('/');
    around.push({ isArray, path });
    if (isArray) seen.add(path);
  }

  function isRow(): boolean {
    const outer = around.at(-1);
    if (!outer?.isArray) return false;
    items ??= outer.path;
    return outer.path === items;
  }

  function close(isArray: boolean): void {
    if (around.pop()?.isArray !== isArray) fail('The JSON has brackets that do not match');
  }

  function* readMark(mark: string, index: number): Iterable<Chunk> {
    const opens = mark === '{' || mark === '[';
    const closes = mark === '}' || mark === ']';
    if (depth > 0) {
      depth += opens ? 1 : closes ? -1 : 0;
      at = index + 1;
      if (depth === 0) yield closeRow();
      return;
    }
    if (mark === '{' && isRow()) {
      at = index;
      yield { kind: 'between', raw: take().raw };
      at = 1;
      depth = 1;
      return;
    }
    at = index + 1;
    if (opens) open(mark === '[');
    if (closes) close(mark === ']');
  }

  function closeRow(): Chunk {
    const { raw, from } = take();
    if (!isTooLarge && raw.length <= maxRowBytes) return toChunk(from, raw, 'row');
    isTooLarge = false;
    const detail = `The row is longer than ${maxRowBytes} bytes`;
    return { kind: 'unreadable', line: from, raw, code: 'too-large', detail };
  }

  /** Passes on what is buffered of a row that is too large, or of what is around the rows. */
  function* release(): Iterable<Chunk> {
    if (depth > 0 && buffer.length <= maxRowBytes) return;
    if (depth > 0) isTooLarge = true;
    if (at > 0) yield { kind: 'between', raw: take().raw };
    if (buffer.length > maxRowBytes) fail('A text is too long');
  }

  function* read(): Iterable<Chunk> {
    for (;;) {
      MARK.lastIndex = at;
      const found = MARK.exec(buffer);
      if (!found) {
        at = buffer.length;
        break;
      }
      if (found[0] === '"') {
        const end = afterString(found.index);
        at = end < 0 ? found.index : end;
        if (end < 0) break;
        if (depth === 0) key = encoding.decode(buffer.slice(found.index + 1, end - 1));
      } else yield* readMark(found[0], found.index);
    }
    yield* release();
  }

  return {
    push(raw) {
      buffer += raw;
      return read();
    },
    *end() {
      yield* read();
      if (around.length > 0 || depth > 0 || at < buffer.length) {
        throw new FeedError('malformed-json', 'The feed ends in the middle of the JSON');
      }
      if (buffer) yield { kind: 'between', raw: take().raw };
      if (items !== undefined && seen.has(items)) return;
      const has = [...seen].map((path) => excerpt(path || '(the document itself)')).join(', ');
      const wanted = items === undefined ? 'array of objects' : `array at ${excerpt(items)}`;
      throw new FeedError(
        'no-items',
        `The JSON has no ${wanted}${has && `; it has arrays at ${has}`}`,
      );
    },
    rewrite,
  };
}
