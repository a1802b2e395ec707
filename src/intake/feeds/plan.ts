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

/** Products named in a loss. */
export const MAX_NAMED = 20;

const Share = z.object({ before: z.number(), lost: z.number() });

/** What the last completed run of a feed has, and another run of it would not have. */
export const FeedLoss = z
  .object({
    /** Products with a good picture or classification. */
    rows: Share,
    pictures: Share,
    /** The first products that are missing. */
    first: z.array(z.object({ id: z.string(), title: z.string().optional() })),
  })
  .meta({ id: 'FeedLoss' });
export type FeedLoss = z.infer<typeof FeedLoss>;

/** Whether a loss is larger than a share of what there was. @param maxPercent of rows or pictures */
export const isLarge = ({ rows, pictures }: FeedLoss, maxPercent: number): boolean =>
  [rows, pictures].some(({ before, lost }) => lost * 100 > before * maxPercent);

/** What a run would do, counted before an image is fetched. */
export const FeedPlan = z.object({
  products: z.number(),
  /** Images of all products. */
  links: z.number(),
  /** Different links: at most as many photos are fetched, and charged if they are new. */
  photos: z.number(),
  /** Rows that are rejected. */
  unreadable: z.number(),
  /** At most. */
  units: z.number(),
  /** What the last completed run has and this one would not have. */
  loss: FeedLoss,
});
export type FeedPlan = z.infer<typeof FeedPlan>;
