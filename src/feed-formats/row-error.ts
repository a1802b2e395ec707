import type { UnreadableChunk } from './chunk.ts';

/** One thing that is wrong with a row. */
export interface Reason {
  code:
    | UnreadableChunk['code']
    | 'missing-id'
    | 'duplicate-id'
    | 'missing-image'
    | 'bad-url'
    | 'too-long'
    | 'too-many-images'
    | 'broken-text';
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
