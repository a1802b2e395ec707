import { z } from 'zod';
import { FeedMapping } from '../../feed-formats/mapping.ts';
import { FEED_FORMATS as FORMATS } from '../../feed-formats/sniff.ts';

/** Formats of a feed document; `auto` detects it from the first bytes. */
export const FEED_FORMATS = ['auto', ...FORMATS] as const;

/** How a feed is read. */
export const FeedReading = z.object({
  format: z.enum(FEED_FORMATS),
  /** Where its rows have what is read, as far as the client says it. */
  mapping: FeedMapping.optional(),
});
export type FeedReading = z.infer<typeof FeedReading>;
