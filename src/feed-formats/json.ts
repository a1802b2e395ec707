import { type Chunk, type Raw, type Splitter, tooLargeRow } from './chunk.ts';
import { excerpt, FeedError, type TakeNote } from './feed-error.ts';
import { DOCUMENT, isAt, isWithin } from './item-paths.ts';
import { type JsonOptions, jsonRows } from './ndjson.ts';

/** An object or array around the rows. */
interface Container {
  isArray: boolean;
  /** The keys that lead to it, joined by slashes. */
  path: string;
  /** The path of the objects in it: that of an array, or a star for the values of an object. */
  rows: string;
}

/** What can end a value or begin one. */
const MARK = /["[\]{},:]/g;

/** The label of a row's key. */
const KEY = '@key';

/** Lists that are remembered besides that of the rows, and those of them that an error names. */
const MAX_OTHERS = 100;
const MAX_NAMED = 20;

/** Containers around the rows. */
const MAX_DEPTH = 32;

interface JsonDocumentOptions extends JsonOptions {
  /** Bytes before the document. */
  skip?: number;
  /**
   * The keys that lead to the array of rows (`data/products`), a star for any key (`products/*`: the rows are the values
   * of an object), a dot for the document itself; without them it is the first array of objects.
   */
  items: string | undefined;
  /** Is told the path of each object that is no row. */
  onObject?: (path: string) => void;
  takeNote?: TakeNote | undefined;
}

const joined = (...keys: (string | undefined)[]): string => keys.filter(Boolean).join('/');

/** Returns a text without its quotes and escapes. */
function textOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/**
 * Splits JSON whose rows are the objects of one of its arrays, or the values of an object: their keys are then cells. What is around the rows is not validated
 * but for its brackets.
 */
export function jsonSplitter(options: JsonDocumentOptions): Splitter {
  const { encoding, maxRowBytes, columnOf, onObject = () => {}, takeNote } = options;
  const { toChunk, rewrite } = jsonRows(options);
  let { items } = options;
  const seen = new Set<string>();
  /** Lists that are not read. */
  const others = new Set<string>();
  const around: Container[] = [];
  let buffer = '';
  /** Where reading `buffer` continues. */
  let at = 0;
  let { skip = 0 } = options;
  let line = 1;
  let key = '';
  /** Whether an array around the rows has texts. */
  let hasValues = false;
  /** Brackets open within the row that is being read; none between rows. */
  let depth = 0;
  let rowLine = 1;
  let isTooLarge = false;
  /** Whether `buffer` begins within a text of a row that is too large. */
  let isInText = false;

  /** Takes what has been read from the buffer. */
  function take(): Raw {
    const raw = buffer.slice(0, at);
    for (let next = raw.indexOf('\n'); next >= 0; next = raw.indexOf('\n', next + 1)) line += 1;
    buffer = buffer.slice(at);
    at = 0;
    return raw;
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
    const path = joined(outer?.path, outer && !outer.isArray ? key : '');
    const rows = isArray ? path : joined(path, '*');
    around.push({ isArray, path, rows });
    if (rows === items || (isArray && seen.size < MAX_OTHERS)) seen.add(rows);
  }

  function isRow(index: number): boolean {
    const outer = around.at(-1);
    if (!outer) {
      onObject(DOCUMENT);
      return items === DOCUMENT;
    }
    const { isArray, rows } = outer;
    if (isArray) items ??= rows;
    if (items !== undefined && isAt(rows, items)) return true;
    onObject(rows);
    if (items === undefined || !isArray || isWithin(items, rows) || others.has(rows)) return false;
    takeNote?.('other-lists', line + buffer.slice(0, index).split('\n').length - 1);
    if (others.size < MAX_OTHERS) others.add(rows);
    return false;
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
    if (mark === '{' && isRow(index)) {
      at = index;
      yield { kind: 'between', raw: take() };
      rowLine = line;
      seen.add(items ?? '');
      at = 1;
      depth = 1;
      return;
    }
    at = index + 1;
    if (opens) open(mark === '[');
    if (closes) close(mark === ']');
  }

  function closeRow(): Chunk {
    const raw = take();
    if (!isTooLarge && raw.length <= maxRowBytes) {
      const chunk = toChunk(rowLine, raw, 'row');
      if (chunk.kind !== 'record' || around.at(-1)?.isArray) return chunk;
      const cell = { label: KEY, name: columnOf(KEY), values: [key] };
      return { ...chunk, cells: [...chunk.cells, cell] };
    }
    isTooLarge = false;
    return tooLargeRow(rowLine, raw, maxRowBytes);
  }

  /** Passes on what is around the rows, or what is buffered of one that is too large. */
  function* release(): Iterable<Chunk> {
    if (depth > 0 && buffer.length <= maxRowBytes) return;
    if (depth > 0) {
      isTooLarge = true;
      isInText ||= buffer[at] === '"';
      at = buffer.length;
      while (buffer[at - 1] === '\\') at -= 1; // what they escape follows
    }
    if (at > 0) yield { kind: 'between', raw: take() };
    if (depth === 0 && buffer.length > maxRowBytes) fail('A text is too long');
  }

  /** Reads on after a text; returns false if it does not end yet. */
  function readText(start: number): boolean {
    const end = afterString(start);
    if (end < 0) return false;
    if (depth === 0) {
      key = textOf(encoding.decode(buffer.slice(start, end)));
      hasValues ||= around.at(-1)?.isArray === true;
    }
    at = end;
    isInText = false;
    return true;
  }

  function* read(): Iterable<Chunk> {
    let isOpen = isInText && !readText(-1);
    while (!isOpen) {
      MARK.lastIndex = at;
      const found = MARK.exec(buffer);
      at = found ? found.index : buffer.length;
      if (!found) break;
      if (found[0] === '"') isOpen = !readText(found.index);
      else yield* readMark(found[0], found.index);
    }
    yield* release();
  }

  return {
    *push(raw) {
      buffer += raw;
      at += skip;
      if (skip > 0) yield { kind: 'between', raw: take() };
      skip = 0;
      yield* read();
    },
    *end() {
      yield* read();
      if (around.length > 0 || depth > 0 || at < buffer.length)
        throw new FeedError('malformed-json', 'The feed ends in the middle of the JSON');
      if (buffer) yield { kind: 'between', raw: take() };
      if (items === undefined ? seen.size === 1 && !hasValues : seen.has(items)) return;
      const named = [...seen].slice(0, MAX_NAMED);
      const has = named.map((path) => excerpt(path || '(the document itself)')).join(', ');
      const wanted = items === undefined ? 'array of objects' : `array at ${excerpt(items)}`;
      throw new FeedError(
        'no-items',
        `The JSON has no ${wanted}${has && `; it has arrays at ${has}`}`,
      );
    },
    rewrite,
  };
}
