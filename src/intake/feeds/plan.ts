import { z } from 'zod';
import { FeedLoss } from './loss.ts';

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
