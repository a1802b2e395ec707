import { z } from 'zod';
import { FeedMapping } from '../../feed-formats/mapping.ts';
import { FEED_FORMATS } from '../../feed-formats/sniff.ts';

/** Formats of a feed document; `auto` detects it from the first bytes. */
export const FEED_FORMAT_CHOICES = ['auto', ...FEED_FORMATS] as const;

export const FeedReading = z.object({
  format: z.enum(FEED_FORMAT_CHOICES),
  /** Where its rows have what is read, as far as the client says it. */
  mapping: FeedMapping.optional(),
});
export type FeedReading = z.infer<typeof FeedReading>;
