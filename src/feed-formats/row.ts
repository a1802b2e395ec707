import type { Chunk, RecordChunk } from './chunk.ts';
import type { Column } from './columns.ts';
import { FeedError } from './feed-error.ts';
import { idSet, takeId } from './id-set.ts';
import type { FeedLimits } from './limits.ts';
import { type Link, linksOf } from './links.ts';
import {
  BROKEN_TEXT,
  type Reason,
  type RowError,
  type RowPosition,
  rowError,
} from './row-error.ts';

/**
 * A product with an id and at least its first image. Texts are trimmed and never empty. Every row of a
 * feed is either one of these or a RowFault, once. The texts may share memory with the feed around
 * them, so copy those that are to be kept for all rows.
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
  /** An http(s) URL as the feed has it. */
  imageLink: string;
  additionalImageLinks: readonly string[];
  /** Columns that were not read, as the feed writes them; the export keeps them. */
  otherColumns: readonly string[];
  /** What is wrong with the row and does not stop it. */
  notes: readonly Reason[];
}

/** What is read of a row as it stands: the id and the texts, without the links. */
type Text = Exclude<Column, 'imageLink' | 'additionalImageLink'>;
type Texts = Partial<Record<Text, string>>;

/** A row, and the places of its links for those who rewrite them. */
export interface ReadRow {
  item: FeedRow | RowError;
  /** The links of `item`, in its order; none for a fault. */
  links: readonly Link[];
}

interface RowTexts {
  texts: Texts;
  otherColumns: readonly string[];
  notes: Reason[];
}

/** Of several columns with one meaning, the first that has something in it is read. */
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

/** Reads the rows of one feed in order; it remembers their ids to find duplicates. */
export function rowReader(limits: FeedLimits): (piece: Chunk) => ReadRow | undefined {
  const ids = idSet();
  let rows = 0;

  function readRecord(record: RecordChunk, place: RowPosition): ReadRow {
    const { texts, otherColumns, notes } = readTexts(record, limits.maxTextChars);
    const { id, ...rest } = texts;
    const { image, additional, faults, notes: linkNotes } = linksOf(record, limits);
    const reasons = [takeId(ids, id, 'id', limits.maxIdChars), ...faults].filter(
      (reason) => reason !== undefined,
    );
    if (record.broken) (id?.includes('\uFFFD') ? reasons : notes).push(BROKEN_TEXT);
    if (id === undefined || image === undefined || reasons.length > 0) {
      return { item: rowError(place, id?.slice(0, limits.maxIdChars), reasons), links: [] };
    }
    const item: FeedRow = {
      kind: 'row',
      ...place,
      id,
      ...rest,
      imageLink: image.url,
      additionalImageLinks: additional.map(({ url }) => url),
      otherColumns,
      notes: [...notes, ...linkNotes],
    };
    return { item, links: [image, ...additional] };
  }

  return (piece) => {
    if (piece.kind === 'between') return undefined;
    if (rows === limits.maxRows) {
      throw new FeedError('too-many-rows', `The feed has more than ${limits.maxRows} rows`);
    }
    const place = { line: piece.line, index: rows };
    rows += 1;
    if (piece.kind === 'record') return readRecord(piece, place);
    const { code, detail, id } = piece;
    return {
      item: rowError(place, id?.slice(0, limits.maxIdChars), [{ code, detail }]),
      links: [],
    };
  };
}
