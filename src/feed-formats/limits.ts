/** Limits for untrusted feeds; exceeding one is an error, never a crash. */
export interface FeedLimits {
  /** Bytes of one feed; more is a FeedError. */
  maxBytes: number;
  /** Rows in one feed; more is a FeedError. */
  maxRows: number;
  /** Bytes of one row as written, including markup and quotes; a longer row is skipped. */
  maxRowBytes: number;
  /** Characters of an id; a longer one invalidates the row. */
  maxIdChars: number;
  /** Characters of one link; Google accepts 2,000. */
  maxUrlChars: number;
  /** Characters read of each descriptive text; Google accepts 5,000 in a description. */
  maxTextChars: number;
  /** Additional images of one row; Google accepts 10. */
  maxAdditionalImages: number;
  /** Nesting depth of XML elements, within an item or around the items. */
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
