import type { Cell, Chunk, Raw, RecordChunk, Splitter } from './chunk.ts';
import { columnOf } from './columns.ts';
import { applyEdits } from './edits.ts';
import type { Encoding } from './encoding.ts';
import { FeedError } from './feed-error.ts';
import type { FeedLimits } from './limits.ts';
import { type XmlFormat, xmlEnvelope } from './xml-envelope.ts';
import { type Child, parseItem } from './xml-item.ts';
import { type Token, xmlTokenizer } from './xml-tokens.ts';

const GOOGLE = 'http://base.google.com/ns/1.0';

/** An item while its tokens come in. */
interface OpenItem {
  line: number;
  /** Its tag's name as written. */
  name: Raw;
  /** The namespace it is in, which is that of the format's own elements. */
  uri: string;
  raw: Raw;
  /** Why it is too large to be read, once it is. */
  tooLarge: string | undefined;
  /** Elements open within it, and how many of them have its own name. */
  depth: number;
  namesakes: number;
  /** Where the contents of its children stand in `raw`: start, end, start, end … */
  spans: number[];
}

const NAME = /^<\/?([^\s/>]*)/;
const nameOf = (tag: Raw): Raw => NAME.exec(tag)![1]!;

const isClosing = (tag: Raw): boolean => tag.startsWith('</');
const isEmpty = (tag: Raw): boolean => tag.endsWith('/>');

/**
 * What each child means. Google's attributes come first; an element of the format itself (RSS's title,
 * Atom's id) counts where Google's is missing, and elements of other namespaces never do.
 */
function cellsOf(children: readonly Child[], ownUri: string): Cell[] {
  const googles = new Set(
    children.filter(({ uri }) => uri === GOOGLE).map(({ local }) => columnOf(local)),
  );
  return children.map(({ label, local, uri, text }) => {
    const column = columnOf(local);
    const counts = uri === GOOGLE || (uri === ownUri && !googles.has(column));
    return { label, name: counts ? column : undefined, values: [text] };
  });
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Element content of the same kind as the old, in CDATA or not. */
const contentLike = (old: Raw, value: string): string =>
  old.trimStart().startsWith('<![CDATA[') && !value.includes(']]>')
    ? `<![CDATA[${value}]]>`
    : escapeText(value);

/**
 * Rows of RSS (2.0 and 1.0) or Atom. Every item is parsed as a document of its own, so that a fault in
 * one, an ampersand that was not escaped say, costs that row alone.
 */
export function xmlSplitter(format: XmlFormat, encoding: Encoding, limits: FeedLimits): Splitter {
  const tokenizer = xmlTokenizer();
  const envelope = xmlEnvelope(format, limits.maxDepth);
  const spansOf = new WeakMap<RecordChunk, readonly number[]>();
  let item: OpenItem | undefined;
  let place = { line: 1, column: 1 };

  function unreadable(
    { line, raw, uri }: OpenItem,
    code: 'malformed' | 'too-large',
    detail: string,
    children: readonly Child[] = [],
  ): Chunk {
    const id = cellsOf(children, uri).find(({ name }) => name === 'id')?.values[0];
    return { kind: 'unreadable', line, raw, code, detail, ...(id && { id: id.trim() }) };
  }

  function toPiece(whole: OpenItem): Chunk {
    if (whole.tooLarge) return unreadable(whole, 'too-large', whole.tooLarge);
    const { line, raw, uri, spans } = whole;
    const { children, fault } = parseItem(encoding.decode(raw), envelope.resolve, limits.maxDepth);
    if (fault) {
      const detail = `The item is not well-formed: ${fault.detail} (line ${line + fault.line - 1})`;
      return unreadable(whole, 'malformed', detail, children);
    }
    const cells = cellsOf(children, uri);
    const record: RecordChunk = {
      kind: 'record',
      line,
      raw,
      broken: encoding.isBroken(raw),
      cells,
    };
    spansOf.set(record, spans);
    return record;
  }

  /** Adds to the open item, or lets the bytes go once it is too large to be read. */
  function add(into: OpenItem, { kind, raw }: Token): Chunk | undefined {
    const { maxRowBytes } = limits;
    if (kind === 'long-tag') into.tooLarge ??= 'The item has a tag that is too long';
    if (into.raw.length + raw.length > maxRowBytes) {
      into.tooLarge ??= `The item is longer than ${maxRowBytes} bytes`;
    }
    into.raw += raw;
    if (!into.tooLarge) return undefined;
    const passed = into.raw;
    into.raw = '';
    return { kind: 'between', raw: passed };
  }

  function openItem({ raw, place: { line } }: Token, uri: string): OpenItem {
    const name = nameOf(raw);
    return { line, name, uri, raw, tooLarge: undefined, depth: 0, namesakes: 0, spans: [] };
  }

  /** Keeps count of the elements within the item, and of where its children's contents stand. */
  function follow(into: OpenItem, tag: Raw): void {
    const isNamesake = nameOf(tag) === into.name;
    if (isEmpty(tag)) {
      if (into.depth === 0) into.spans.push(into.raw.length, into.raw.length);
    } else if (isClosing(tag)) {
      into.depth -= 1;
      if (into.depth === 0) into.spans.push(into.raw.length);
      if (isNamesake) into.namesakes -= 1;
    } else {
      if (into.depth === 0) into.spans.push(into.raw.length + tag.length);
      into.depth += 1;
      if (isNamesake) into.namesakes += 1;
    }
  }

  function* takeInItem(into: OpenItem, token: Token): Iterable<Chunk> {
    const { kind, raw } = token;
    const isOwn = kind === 'tag' && nameOf(raw) === into.name;
    if (isOwn && into.depth === 0 && !isClosing(raw) && !isEmpty(raw)) {
      yield unreadable(into, 'malformed', 'The item is never closed');
      item = openItem(token, into.uri);
      return;
    }
    const ends = isOwn && isClosing(raw) && into.namesakes === 0;
    if (kind === 'tag' && !ends) follow(into, raw);
    const passed = add(into, token);
    if (passed) yield passed;
    if (!ends) return;
    item = undefined;
    yield toPiece(into);
    envelope.take(encoding.decode(`</${into.name}>`), token.place);
  }

  function* takeOutside(token: Token): Iterable<Chunk> {
    const { kind, raw } = token;
    if (kind === 'long-tag') {
      throw new FeedError('malformed-xml', 'A tag outside the items is too long', token.place);
    }
    const uri = kind === 'tag' ? envelope.take(encoding.decode(raw), token.place) : undefined;
    if (uri === undefined) {
      yield { kind: 'between', raw };
      return;
    }
    const opened = openItem(token, uri);
    if (isEmpty(raw)) yield toPiece(opened);
    else item = opened;
  }

  function* take(tokens: Iterable<Token>): Iterable<Chunk> {
    for (const token of tokens) {
      place = token.place;
      yield* item ? takeInItem(item, token) : takeOutside(token);
    }
  }

  return {
    push: (raw) => take(tokenizer.push(raw)),
    *end() {
      yield* take(tokenizer.end());
      if (item) throw new FeedError('malformed-xml', 'The feed ends within an item', place);
      envelope.end(place);
    },
    rewrite(record, values): Raw {
      const spans = spansOf.get(record)!;
      const edits = [...values].map(([cell, [value]]) => {
        const [start, end] = [spans[2 * cell]!, spans[2 * cell + 1]!];
        const written = encoding.encode(contentLike(record.raw.slice(start, end), value!));
        return { start, end, written };
      });
      return applyEdits(record.raw, edits);
    },
  };
}
