import type { BatchRecord } from '../src/jobs/batches.ts';
import { type FeedKeepingParts, finishRun } from '../src/jobs/feed-keeping.ts';
import type { Blobs } from '../src/store/blobs.ts';
import { feedStore } from '../src/store/feed-store.ts';

/** What is done when all rows of a feed's run are done, before it is called completed. */
export const afterRun = ({
  blobs,
  ...parts
}: Omit<FeedKeepingParts, 'store'> & { blobs: Blobs }): ((run: BatchRecord) => Promise<void>) => {
  const store = feedStore(blobs);
  return (run) => finishRun({ ...parts, store }, run);
};
