import { z } from 'zod';

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
