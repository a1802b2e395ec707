/** Why a feed cannot be read any further. */
type FeedErrorReason =
  | 'empty'
  | 'unknown-format'
  | 'compressed'
  | 'encoding'
  | 'no-header'
  | 'doctype'
  | 'malformed-xml'
  | 'malformed-json'
  | 'ambiguous'
  | 'mapping'
  | 'no-items'
  | 'too-deep'
  | 'too-many-rows'
  | 'too-large';

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
