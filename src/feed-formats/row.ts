import type { Chunk, FeedLimits, RecordChunk, UnreadableChunk } from './chunk.ts';
import type { Column } from './columns.ts';
import type { Reason, RowError, RowPosition, TakeNote } from './feed-error.ts';
import { BROKEN_TEXT, FeedError, rowError } from './feed-error.ts';
import { idSet, takeId } from './id-set.ts';
import { type Link, readLinks } from './links.ts';
import type { Reading } from './mapping.ts';

/**
 * A product with an id and at least its first image. Texts are trimmed and never empty. Every row of a feed yields
 * either one of these or a RowError, once. The texts may share memory with the feed around them: copy those that
 * are retained for all rows.
 */
export interface FeedRow extends RowPosition, Omit<Texts, 'id'> {
  kind: 'row';
  id: string;
  /** An http(s) URL as the feed writes it, or completed if it is relative or has no protocol. */
  imageLink: string;
  additionalImageLinks: readonly string[];
  /** Problems that do not invalidate the row. */
  notes: readonly Reason[];
}

/** Columns that are read as text: all but the links. */
type Text = Exclude<Column, 'imageLink' | 'additionalImageLink'>;
type Texts = Partial<Record<Text, string>>;

/** Chunks that were read together: those of one product, with what is between them. */
export interface ReadChunks {
  chunks: readonly Chunk[];
  /** The product; undefined if the chunks have none. */
  item?: FeedRow | RowError;
  /** The images of `item`, in order, each with all places of its link; none for an error. */
  images: readonly (readonly [Link, ...Link[]])[];
}

/** Reads the texts. Of several columns with one meaning, the first that is not empty counts. */
function readTexts({ cells }: RecordChunk, maxChars: number) {
  const texts: Texts = {};
  const notes: Reason[] = [];
  for (const { label, name, values } of cells) {
    if (name === undefined || name === 'imageLink' || name === 'additionalImageLink') continue;
    const text = values[0]?.trim();
    if (!text || texts[name] !== undefined) continue;
    texts[name] = text.slice(0, maxChars);
    if (text.length <= maxChars) continue;
    const detail = `Only the first ${maxChars} characters of ${label} are read`;
    notes.push({ code: 'too-long', column: label, detail });
  }
  return { texts, notes };
}

/** Bytes of the rows of one product: more are another one, with the same id. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;

const idOf = ({ cells }: RecordChunk): string =>
  cells.find(({ name, values }) => name === 'id' && values[0]?.trim())?.values[0]?.trim() ?? '';

/** Reads the products of one feed, in order; it remembers their ids to find duplicates. */
export class ProductReader {
  readonly #limits: FeedLimits;
  readonly #reading: Reading;
  readonly #takeNote: TakeNote;
  readonly #ids = idSet();
  #rows = 0;
  /** The rows of a product that may have more, with what is between them. */
  #open: { id: string; chunks: Chunk[]; bytes: number } | undefined;

  constructor(limits: FeedLimits, reading: Reading, takeNote: TakeNote = () => {}) {
    this.#limits = limits;
    this.#reading = reading;
    this.#takeNote = takeNote;
  }

  /** Takes the next chunk and returns what is complete. @throws FeedError too-many-rows */
  push(chunk: Chunk): readonly ReadChunks[] {
    if (!this.#reading.group) return [this.#read([chunk])];
    const id = chunk.kind === 'record' ? idOf(chunk) : '';
    const open = this.#open;
    const isBetween = chunk.kind === 'between' && !chunk.header;
    const isOfOpen = id === open?.id || (id === '' && chunk.kind === 'record');
    const isSame = isOfOpen && open !== undefined && open.bytes < MAX_GROUP_BYTES;
    if (open && (isBetween || isSame)) {
      open.chunks.push(chunk);
      open.bytes += chunk.raw.length;
      return [];
    }
    const complete = this.end();
    if (id === '') return [...complete, this.#read([chunk])];
    this.#open = { id, chunks: [chunk], bytes: chunk.raw.length };
    return complete;
  }

  /** Returns the last product. */
  end(): readonly ReadChunks[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [this.#read(open.chunks)] : [];
  }

  #read(chunks: readonly Chunk[]): ReadChunks {
    const [first] = chunks;
    if (!first || first.kind === 'between') return { chunks, images: [] };
    const { maxRows } = this.#limits;
    if (this.#rows === maxRows)
      throw new FeedError('too-many-rows', `The feed has more than ${maxRows} rows`);
    const position = { line: first.line, index: this.#rows };
    this.#rows += 1;
    if (first.kind === 'unreadable')
      return { chunks, item: this.#unreadable(first, position), images: [] };
    const records = chunks.filter((chunk) => chunk.kind === 'record');
    return { chunks, ...this.#readRecords(first, records, position) };
  }

  #unreadable({ code, detail, id }: UnreadableChunk, position: RowPosition): RowError {
    return rowError(position, id?.slice(0, this.#limits.maxIdChars), [{ code, detail }]);
  }

  #readRecords(
    first: RecordChunk,
    records: readonly RecordChunk[],
    position: RowPosition,
  ): Omit<ReadChunks, 'chunks'> {
    const { maxIdChars, maxTextChars } = this.#limits;
    const { texts, notes } = readTexts(first, maxTextChars);
    const { id, ...rest } = texts;
    const links = readLinks(records, this.#limits, this.#reading, this.#takeNote);
    const idError = takeId(this.#ids, id, 'id', maxIdChars);
    const reasons = idError ? [idError, ...links.errors] : [...links.errors];
    if (records.some(({ broken }) => broken))
      (id?.includes('\uFFFD') ? reasons : notes).push(BROKEN_TEXT);
    const [image, ...additional] = links.images.map(([{ url }]) => url);
    if (id === undefined || image === undefined || reasons.length > 0)
      return { item: rowError(position, id?.slice(0, maxIdChars), reasons), images: [] };
    const item: FeedRow = {
      kind: 'row',
      ...position,
      id,
      ...rest,
      imageLink: image,
      additionalImageLinks: additional,
      notes: [...notes, ...links.notes],
    };
    return { item, images: links.images };
  }
}
