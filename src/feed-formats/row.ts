import type { Chunk, RecordChunk } from './chunk.ts';
import type { Column } from './columns.ts';
import { FeedError } from './feed-error.ts';
import { idSet, takeId } from './id-set.ts';
import type { FeedLimits } from './limits.ts';
import { type Link, readLinks } from './links.ts';
import {
  BROKEN_TEXT,
  type Reason,
  type RowError,
  type RowPosition,
  rowError,
} from './row-error.ts';

/**
 * A product with an id and at least its first image. Texts are trimmed and never empty. Every row of a feed yields
 * either one of these or a RowError, once. The texts may share memory with the feed around them: copy those that
 * are retained for all rows.
 */
export interface FeedRow extends RowPosition {
  kind: 'row';
  id: string;
  title?: string;
  description?: string;
  productType?: string;
  googleProductCategory?: string;
  material?: string;
  color?: string;
  gender?: string;
  ageGroup?: string;
  brand?: string;
  /** An http(s) URL as the feed writes it. */
  imageLink: string;
  additionalImageLinks: readonly string[];
  /** Unread columns, as the feed writes them; the export retains them. */
  otherColumns: readonly string[];
  /** Problems that do not invalidate the row. */
  notes: readonly Reason[];
}

/** Columns that are read as text: all but the links. */
type Text = Exclude<Column, 'imageLink' | 'additionalImageLink'>;
type Texts = Partial<Record<Text, string>>;

/** A row and its links, for rewriting them. */
interface RowWithLinks {
  item: FeedRow | RowError;
  /** The links of `item`, in order; none for an error. */
  links: readonly Link[];
}

interface RowTexts {
  texts: Texts;
  otherColumns: readonly string[];
  notes: Reason[];
}

/** Reads the texts. Of several columns with one meaning, the first that is not empty counts. */
function readTexts({ cells }: RecordChunk, maxChars: number): RowTexts {
  const texts: Texts = {};
  const otherColumns: string[] = [];
  const notes: Reason[] = [];
  for (const { label, name, values } of cells) {
    if (name === undefined) otherColumns.push(label);
    if (name === undefined || name === 'imageLink' || name === 'additionalImageLink') continue;
    const text = values[0]?.trim();
    if (!text || texts[name] !== undefined) continue;
    texts[name] = text.slice(0, maxChars);
    if (text.length <= maxChars) continue;
    const detail = `Only the first ${maxChars} characters of ${label} are read`;
    notes.push({ code: 'too-long', column: label, detail });
  }
  return { texts, otherColumns, notes };
}

/** Returns a reader for the rows of one feed, in order; it remembers their ids to find duplicates. */
export function createRowReader(limits: FeedLimits): (chunk: Chunk) => RowWithLinks | undefined {
  const ids = idSet();
  let rows = 0;

  function readRecord(record: RecordChunk, position: RowPosition): RowWithLinks {
    const { texts, otherColumns, notes } = readTexts(record, limits.maxTextChars);
    const { id, ...rest } = texts;
    const { image, additional, errors, notes: linkNotes } = readLinks(record, limits);
    const reasons = [takeId(ids, id, 'id', limits.maxIdChars), ...errors].filter(
      (reason) => reason !== undefined,
    );
    if (record.broken) (id?.includes('\uFFFD') ? reasons : notes).push(BROKEN_TEXT);
    if (id === undefined || image === undefined || reasons.length > 0) {
      return { item: rowError(position, id?.slice(0, limits.maxIdChars), reasons), links: [] };
    }
    const item: FeedRow = {
      kind: 'row',
      ...position,
      id,
      ...rest,
      imageLink: image.url,
      additionalImageLinks: additional.map(({ url }) => url),
      otherColumns,
      notes: [...notes, ...linkNotes],
    };
    return { item, links: [image, ...additional] };
  }

  return (chunk) => {
    if (chunk.kind === 'between') return undefined;
    if (rows === limits.maxRows) {
      throw new FeedError('too-many-rows', `The feed has more than ${limits.maxRows} rows`);
    }
    const position = { line: chunk.line, index: rows };
    rows += 1;
    if (chunk.kind === 'record') return readRecord(chunk, position);
    const { code, detail, id } = chunk;
    return {
      item: rowError(position, id?.slice(0, limits.maxIdChars), [{ code, detail }]),
      links: [],
    };
  };
}
