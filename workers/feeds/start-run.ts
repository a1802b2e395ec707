import type { Feeds } from '../../src/intake/feeds/feeds.ts';
import { type FeedRuns, scheduledRunId } from '../../src/intake/feeds/runs.ts';
import type { JobData, JobResult } from '../../src/queue/catalog.ts';

export interface StartFeedRunDeps {
  feeds: Feeds;
  runs: FeedRuns;
}

/**
 * Starts a feed's run at its time, unless the one before is still under way.
 * @param jobId of the scheduled job, which has its time in it: tried again, it starts nothing twice
 */
export const startFeedRun =
  ({ feeds, runs }: StartFeedRunDeps) =>
  async (
    { feedId, requestId }: JobData<'start-feed-run'>,
    _signal: AbortSignal,
    _isLastTry: boolean,
    jobId: string,
  ): Promise<JobResult<'start-feed-run'>> => {
    const feed = await feeds.get(feedId);
    if (feed && !feed.erasure) await runs.start(feed, scheduledRunId(jobId), requestId);
    return { millis: {} };
  };
