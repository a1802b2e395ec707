/** Why nothing more can be read of a feed. */
export type FeedErrorReason =
  | 'empty'
  | 'unknown-format'
  | 'compressed'
  | 'encoding'
  | 'no-header'
  | 'doctype'
  | 'malformed-xml'
  | 'too-deep'
  | 'too-many-rows'
  | 'too-large';

/** Where in the feed, both counted from 1; `column` counts bytes. */
export interface FeedPosition {
  line: number;
  column: number;
}

/**
 * The feed as a whole cannot be read, or no further than this. `detail` is for the retailer: what is
 * wrong and what to send instead; it never quotes the feed at length.
 */
export class FeedError extends Error {
  readonly reason: FeedErrorReason;
  readonly detail: string;
  readonly place: FeedPosition | undefined;

  constructor(reason: FeedErrorReason, detail: string, place?: FeedPosition) {
    super(place ? `${detail} (line ${place.line}, column ${place.column})` : detail);
    this.name = 'FeedError';
    this.reason = reason;
    this.detail = this.message;
    this.place = place;
  }
}

/** A few letters of the feed, safe to show in a sentence. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, 40));
