import { z } from 'zod';
import type { UnreadableChunk } from './chunk.ts';

/** Why a feed cannot be read any further. */
// biome-ignore format: a list reads best in lines
type FeedErrorReason =
  | 'empty' | 'unknown-format' | 'compressed' | 'encoding' | 'no-header' | 'doctype' | 'malformed-xml'
  | 'malformed-json' | 'ambiguous' | 'mapping' | 'no-items' | 'too-deep' | 'too-many-rows' | 'too-large';

/** A position in the feed, both from 1; `column` counts bytes. */
export interface FeedPosition {
  line: number;
  column: number;
}

/**
 * The feed cannot be read, or not beyond this position. `detail` is for the retailer: what is wrong and what to
 * send instead; it quotes only short excerpts of the feed.
 */
export class FeedError extends Error {
  readonly reason: FeedErrorReason;
  readonly detail: string;
  readonly position: FeedPosition | undefined;

  constructor(reason: FeedErrorReason, detail: string, position?: FeedPosition) {
    super(position ? `${detail} (line ${position.line}, column ${position.column})` : detail);
    this.name = 'FeedError';
    this.reason = reason;
    this.detail = this.message;
    this.position = position;
  }
}

/** Quotes at most 40 characters of the feed, escaped for a message. */
export const excerpt = (text: string): string => JSON.stringify(text.slice(0, 40));

/** One thing that is wrong with a row. */
export interface Reason {
  // biome-ignore format: a list reads best in lines
  code:
    | UnreadableChunk['code'] | 'missing-id' | 'duplicate-id' | 'missing-image' | 'bad-url' | 'too-long'
    | 'too-many-images' | 'broken-text';
  /** The column as the feed writes it, if the error is in one. */
  column?: string;
  detail: string;
}

export interface RowPosition {
  /** The line on which the row starts, from 1. */
  line: number;
  /** The row's index in the feed, from 0, counting invalid rows. */
  index: number;
}

/** An invalid row. */
export interface RowError extends RowPosition {
  kind: 'error';
  id?: string;
  /** All reasons, at least one. */
  reasons: readonly Reason[];
  /** The reasons as one text. */
  detail: string;
}

export const rowError = (
  position: RowPosition,
  id: string | undefined,
  reasons: readonly Reason[],
): RowError => ({
  kind: 'error',
  ...position,
  ...(id !== undefined && { id }),
  reasons,
  detail: reasons.map(({ detail }) => detail).join('; '),
});

export const BROKEN_TEXT: Reason = {
  code: 'broken-text',
  detail: 'Some bytes of the row are invalid in its encoding',
};

/** What of a feed was read although it is not written as it should be: a sentence for the retailer. */
const NOTES = {
  compressed: 'The feed is compressed; its export is not',
  namespace: "Google's namespace is missing or written in another way",
  'undeclared-prefix': 'A namespace prefix is not declared',
  'text-before': 'There is text before the document',
  'text-after': 'There is text after the document',
  'html-entities': 'Entities of HTML, which XML does not have, are read as in HTML',
  'bare-ampersands': 'An "&" or "<" is not written as "&amp;" or "&lt;"',
  'control-characters': 'Control characters, which XML does not allow, are read as unknown ones',
  'windows-1252':
    'The text is not UTF-8 and no other encoding is given: it is read as Windows-1252',
  'guessed-encoding':
    'The text is not UTF-8 and no other encoding is given: it is read in one in which its header is known',
  'carriage-returns': 'Lines end with a carriage return alone',
  'separator-line': 'The first line names the delimiter',
  'short-rows': 'Rows end before the last column: the missing cells are empty',
  'repeated-headers': 'The header is there again, as where files were joined',
  'extra-delimiters': 'Rows end with more delimiters than the header',
  'spaces-around-quotes': 'There are spaces around quoted cells',
  'unquoted-links': 'Links have the delimiter in them and no quotes around them',
  'keyed-rows': 'The rows are the values of an object: its key is the id of a row without one',
  'other-lists': 'The document has other lists, which are not read',
  'wrapped-rows': 'Each line is a list of rows, not one row',
  'link-lists': 'The image column has several links: the first is the image',
  'protocol-less-links': 'Links without http or https are read with https',
} as const;

export type NoteCode = keyof typeof NOTES;

/** Takes note of something at a line, from 1. */
export type TakeNote = (code: NoteCode, line: number) => void;

/** Something that was read although it is not written as it should be. */
export const FeedNoteField = z
  .object({
    code: z.string(),
    detail: z.string(),
    line: z.number().meta({ description: 'The first line that has it, from 1' }),
    count: z.number(),
  })
  .meta({ id: 'FeedNote' });

type FeedNote = z.infer<typeof FeedNoteField>;

/** Counts the notes of a feed by kind. */
export class FeedNotes {
  readonly #notes = new Map<NoteCode, FeedNote>();

  readonly take: TakeNote = (code, line) => {
    const found = this.#notes.get(code);
    if (found) found.count += 1;
    else this.#notes.set(code, { code, detail: NOTES[code], line, count: 1 });
  };

  list(): FeedNote[] {
    return [...this.#notes.values()];
  }
}
