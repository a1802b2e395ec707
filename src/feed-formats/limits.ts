/** How much of a stranger's feed is taken in; what goes past a limit is a fault, never a crash. */
export interface FeedLimits {
  /** Bytes of one feed; more end the reading with a FeedError. */
  maxBytes: number;
  /** Rows in one feed; more end the reading with a FeedError. */
  maxRows: number;
  /** Bytes of one row as written, markup and quotes included; a longer row is skipped. */
  maxRowBytes: number;
  /** Characters of an id; a longer one makes the row unusable. */
  maxIdChars: number;
  /** Characters of one link. Google takes 2,000. */
  maxUrlChars: number;
  /** Characters kept of each descriptive text. Google takes 5,000 in a description. */
  maxTextChars: number;
  /** Additional images of one row; Google takes 10. */
  maxAdditionalImages: number;
  /** XML elements within one another, in an item or around the items. */
  maxDepth: number;
}

export const FEED_LIMITS: Readonly<FeedLimits> = {
  maxBytes: 2 * 1024 ** 3,
  maxRows: 1_000_000,
  maxRowBytes: 1024 * 1024,
  maxIdChars: 256,
  maxUrlChars: 2_000,
  maxTextChars: 5_000,
  maxAdditionalImages: 10,
  maxDepth: 32,
};
