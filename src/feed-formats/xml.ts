import { SaxesParser } from 'saxes';
import {
  applyEdits,
  type Cell,
  type Chunk,
  type Edit,
  type FeedLimits,
  type Raw,
  type RecordChunk,
  type Splitter,
  type UnreadableChunk,
} from './chunk.ts';
import { type Column, cellOf } from './columns.ts';
import type { Encoding } from './encoding.ts';
import { excerpt, FeedError, type TakeNote } from './feed-error.ts';
import { GOOGLE, ITEM_PATHS, isGoogle, type XmlFormat, xmlEnvelope } from './xml-envelope.ts';
import { type Child, parseItem, regularXml } from './xml-item.ts';
import { type Token, xmlTokenizer } from './xml-tokens.ts';

interface XmlOptions {
  format: XmlFormat;
  encoding: Encoding;
  limits: FeedLimits;
  /** Maps the path of local names from the item to an element to a column. */
  columnOf(local: string): Column | undefined;
  /** The path of the items, of local names; without it that of the format. */
  items?: string | undefined;
  /** Bytes before the document. */
  skip?: number;
  takeNote?: TakeNote | undefined;
}

/** An item whose end has not been read yet. */
class OpenItem {
  /** Its tag's name as written. */
  readonly name: Raw;
  raw: Raw;
  readonly line: number;
  /** Its namespace, which is that of the format's own elements. */
  readonly uri: string;
  /** Why it is too large to be read, if it is. */
  tooLarge: string | undefined;
  /** Tags read within it. */
  #tags = 0;
  /** Indices in `spans` of the elements open within it. */
  readonly open: number[] = [];
  /** How many of them have the item's own name. */
  sameNameDepth = 0;
  /** Spans of the contents of the elements in it in `raw`, by their start tags: start, end, start, end … */
  readonly spans: number[] = [];
  /** Where their start tags begin. */
  readonly starts: number[] = [];

  constructor(tag: Raw, line: number, uri: string) {
    this.name = nameOf(tag);
    this.raw = tag;
    this.line = line;
    this.uri = uri;
  }

  /** Tracks the elements within the item and the spans of their contents. */
  track(tag: Raw): void {
    this.#tags += 1;
    if (this.#tags > MAX_TAGS) this.tooLarge ??= `The item has more than ${MAX_TAGS} tags`;
    const { open, spans, raw } = this;
    const own = isNamed(tag, this.name) ? 1 : 0;
    if (!isClosing(tag)) this.starts.push(raw.length);
    if (isEmpty(tag)) spans.push(raw.length, raw.length);
    else if (isClosing(tag)) {
      const closed = open.pop();
      if (closed !== undefined) spans[closed] = raw.length;
      this.sameNameDepth -= own;
    } else {
      const start = raw.length + tag.length;
      open.push(spans.push(start, start) - 1);
      this.sameNameDepth += own;
    }
  }
}

/** A row that knows where its cells are written. */
interface XmlRecord extends RecordChunk, Pick<OpenItem, 'spans' | 'starts'> {
  children: readonly Child[];
}

const isXmlRecord = (record: RecordChunk): record is XmlRecord => 'spans' in record;

/** Tags of an item: one that has more takes too long to read. */
const MAX_TAGS = 20_000;

const NAME = /^<\/?([^\s/>]*)/;
const nameOf = (tag: Raw): Raw => NAME.exec(tag)![1]!;

function isNamed(tag: Raw, name: Raw): boolean {
  const start = tag[1] === '/' ? 2 : 1;
  return tag.startsWith(name, start) && ' />\t\n\r'.includes(tag[start + name.length]!);
}

const isClosing = (tag: Raw): boolean => tag.startsWith('</');
const isEmpty = (tag: Raw): boolean => tag.endsWith('/>');

/**
 * Maps elements to columns. Google's attributes take precedence; an element of the format itself (RSS's title,
 * Atom's id) counts if Google's is missing, and elements of other namespaces never count.
 */
function cellsOf(
  children: readonly Child[],
  ownUri: string,
  { format, columnOf }: XmlOptions,
): Cell[] {
  const names = children.map(({ local }) => columnOf(local));
  const googles = new Set(names.filter((_, i) => isGoogle(children[i]!.uri)));
  return children.map(({ label, uri, text }, i) => {
    const column = names[i];
    const counts = isGoogle(uri) || ((format === 'xml' || uri === ownUri) && !googles.has(column));
    return { label, name: counts ? column : undefined, values: [text] };
  });
}

const EMPTY_ELEMENT = /<[^/"'>](?:[^"'>]|"[^"]*"|'[^']*')*\/>/y;

/** Returns the tag of an element without content, if one with this name starts there. */
function emptyElementAt(raw: Raw, start: number, name: Raw): Raw | undefined {
  EMPTY_ELEMENT.lastIndex = start;
  const tag = EMPTY_ELEMENT.exec(raw)?.[0];
  return tag !== undefined && nameOf(tag) === name ? tag : undefined;
}

const ATTRIBUTE = /\s*([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')/y;

/** Returns the span of the value of an attribute, with its quotes, of the tag that starts there. */
function attributeSpan(raw: Raw, tag: number, name: Raw): [number, number] | undefined {
  ATTRIBUTE.lastIndex = tag + 1 + nameOf(raw.slice(tag)).length;
  for (;;) {
    const [, found, quoted] = ATTRIBUTE.exec(raw) ?? [];
    if (found === undefined || quoted === undefined) return undefined;
    const end = ATTRIBUTE.lastIndex;
    if (found === name) return [end - quoted.length, end];
  }
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const quoteText = (text: string): string =>
  `"${escapeText(text)
    .replaceAll('"', '&quot;')
    .replaceAll(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`)}"`;

/**
 * Returns the edits without those of elements around another that is edited: their text is that of the inner one too,
 * so that it changes with it.
 */
function innermost(edits: readonly Edit[]): Edit[] {
  const sorted = [...edits].sort((a, b) => a.start - b.start || b.end - a.end);
  return sorted.filter(({ end }, i) => (sorted[i + 1]?.start ?? end) >= end);
}

/** Writes element content, in CDATA if the old content was. */
const contentLike = (old: Raw, value: string): string =>
  old.trimStart().startsWith('<![CDATA[') && !value.includes(']]>')
    ? `<![CDATA[${value}]]>`
    : escapeText(value);

/**
 * Splits RSS (2.0 and 1.0), Atom or other XML whose items have one path. Every item is parsed as a document of its
 * own: an error in one, such as a tag that is not closed, invalidates that row only.
 */
export function xmlSplitter(options: XmlOptions): Splitter {
  const { format, encoding, limits, items, takeNote = () => {} } = options;
  let { skip = 0 } = options;
  const tokenizer = xmlTokenizer();
  const paths = items === undefined && format !== 'xml' ? ITEM_PATHS[format] : [items ?? ''];
  const note: (code: Parameters<TakeNote>[0]) => void = (code) =>
    takeNote(code, tokenizer.position().line);
  const envelope = xmlEnvelope(format, paths, limits.maxDepth, note, tokenizer.position);
  const newParser = () => new SaxesParser({ xmlns: true, resolvePrefix: envelope.resolve });
  let parser = newParser(); // to make one for each item takes a tenth of the time
  let item: OpenItem | undefined;
  let hasItems = false;

  function unreadable(
    { line, raw, uri }: OpenItem,
    code: 'malformed' | 'too-large',
    detail: string,
    children: readonly Child[] = [],
  ): UnreadableChunk {
    const id = cellsOf(children, uri, options).find(({ name }) => name === 'id')?.values[0];
    return { kind: 'unreadable', line, raw, code, detail, ...(id && { id: id.trim() }) };
  }

  function toChunk(complete: OpenItem): UnreadableChunk | XmlRecord {
    if (complete.tooLarge) return unreadable(complete, 'too-large', complete.tooLarge);
    const { line, raw, uri, spans, starts } = complete;
    const xml = regularXml(encoding.decode(raw), note);
    const { children, error } = parseItem(xml, parser, limits.maxDepth);
    if (error) {
      parser = newParser();
      const detail = `The item is not well-formed: ${error.detail} (line ${line + error.line - 1})`;
      return unreadable(complete, 'malformed', detail, children);
    }
    const cells = cellsOf(children, uri, options);
    const broken = encoding.isBroken(raw);
    return { kind: 'record', line, raw, broken, cells, spans, starts, children };
  }

  /** Adds a token to the open item, or passes the bytes on once the item is too large to be read. */
  function add(target: OpenItem, { kind, raw }: Token): Chunk | undefined {
    const { maxRowBytes } = limits;
    if (kind === 'long-tag') target.tooLarge ??= 'The item has a tag that is too long';
    if (target.raw.length + raw.length > maxRowBytes)
      target.tooLarge ??= `The item is longer than ${maxRowBytes} bytes`;
    target.raw += raw;
    if (!target.tooLarge) return undefined;
    const overflow = target.raw;
    target.raw = '';
    return { kind: 'between', raw: overflow };
  }

  const openItem = ({ raw }: Token, uri: string): OpenItem =>
    new OpenItem(raw, tokenizer.position().line, uri);

  function takeInItem(target: OpenItem, token: Token): Chunk | undefined {
    const { kind, raw } = token;
    const isOwn = kind === 'tag' && isNamed(raw, target.name);
    if (isOwn && target.open.length === 0 && !isClosing(raw) && !isEmpty(raw)) {
      item = openItem(token, target.uri);
      return unreadable(target, 'malformed', 'The item is never closed');
    }
    const ends = isOwn && isClosing(raw) && target.sameNameDepth === 0;
    if (kind === 'tag' && !ends) target.track(raw);
    if (ends) item = undefined;
    return add(target, token);
  }

  /** Passes on what is after the document, if it is not another one. */
  function takeAfter(root: string, { kind, raw }: Token): Chunk {
    const isTag = kind === 'tag' || kind === 'long-tag';
    if (isTag && encoding.decode(nameOf(raw)) === root) {
      const detail = 'The XML is malformed: the document has ended before it';
      throw new FeedError('malformed-xml', detail, tokenizer.position());
    }
    if (isTag || (kind === 'text' && raw.trim() !== '')) note('text-after');
    return { kind: 'between', raw };
  }

  function takeOutside(token: Token): Chunk | undefined {
    const { kind, raw } = token;
    const root = envelope.closedRoot();
    if (root !== undefined) return takeAfter(root, token);
    if (kind === 'long-tag') {
      const detail = 'A tag outside the items is too long';
      throw new FeedError('malformed-xml', detail, tokenizer.position());
    }
    const uri = kind === 'tag' ? envelope.take(encoding.decode(raw)) : undefined;
    if (uri === undefined) return { kind: 'between', raw };
    hasItems = true;
    const opened = openItem(token, uri);
    if (isEmpty(raw)) return toChunk(opened);
    item = opened;
    return undefined;
  }

  function* take(tokens: Iterable<Token>): Iterable<Chunk> {
    for (const token of tokens) {
      const target = item;
      const chunk = target ? takeInItem(target, token) : takeOutside(token);
      if (chunk) yield chunk;
      if (!target || item) continue;
      yield toChunk(target);
      envelope.take(encoding.decode(`</${target.name}>`));
    }
  }

  /** Adds an element of Google's at the end of an item, declaring the prefix if the feed does not. */
  function appendElement(raw: Raw, column: string, value: string): Edit {
    const end = raw.lastIndexOf('</');
    const declaration = isGoogle(envelope.resolve('g') ?? '') ? '' : ` xmlns:g="${GOOGLE}"`;
    const element = `<g:${column}${declaration}>${escapeText(value)}</g:${column}>`;
    return { start: end, end, written: encoding.encode(element) };
  }

  return {
    *push(raw) {
      if (skip > 0) {
        yield { kind: 'between', raw: raw.slice(0, skip) };
        yield* take(tokenizer.push(raw.slice(skip), raw.slice(0, skip)));
        skip = 0;
      } else yield* take(tokenizer.push(raw));
    },
    *end() {
      yield* take(tokenizer.end());
      if (item)
        throw new FeedError('malformed-xml', 'The feed ends within an item', tokenizer.position());
      envelope.end();
      if (hasItems || items === undefined) return;
      throw new FeedError('no-items', `The XML has no element at the path ${excerpt(items)}`);
    },
    rewrite(record, values, filled = new Map()): Raw {
      if (!isXmlRecord(record)) throw new Error('This is no row of this feed');
      const { raw, cells, spans, starts, children } = record;
      const editContent = (cell: number, value: string): Edit[] => {
        const [start, end] = [spans[2 * cell], spans[2 * cell + 1]];
        if (start !== undefined && end !== undefined) {
          const written = encoding.encode(contentLike(raw.slice(start, end), value));
          return [{ start, end, written }];
        }
        // The cells after those of the elements are attributes.
        const name = encoding.encode(cells[cell]!.label.slice(1));
        const { of } = children[cell]!;
        const span = attributeSpan(raw, of === undefined ? 0 : starts[of]!, name);
        return span
          ? [{ start: span[0], end: span[1], written: encoding.encode(quoteText(value)) }]
          : [];
      };
      const edits = innermost([...values].flatMap(([cell, [value]]) => editContent(cell, value!)));
      for (const [column, value] of filled) {
        if (!value) continue;
        const cell = cellOf(cells, column);
        const start = spans[2 * cell];
        const name = encoding.encode(cells[cell]?.label ?? '');
        const empty = start === undefined ? undefined : emptyElementAt(raw, start, name);
        if (empty && start !== undefined) {
          const tag = `${empty.slice(0, -2).trimEnd()}>`;
          const written = `${tag}${encoding.encode(escapeText(value))}</${nameOf(empty)}>`;
          edits.push({ start, end: start + empty.length, written });
        } else if (cell >= 0) edits.push(...editContent(cell, value));
        else edits.push(appendElement(raw, column, value));
      }
      return applyEdits(raw, edits);
    },
  };
}
