import type { JobData, JobResult } from '../src/jobs/catalog.ts';
import { type FeedRuns, scheduledRunId } from '../src/jobs/feed-runs.ts';
import type { Feeds } from '../src/jobs/feeds.ts';

export interface StartFeedRunParts {
  feeds: Feeds;
  runs: FeedRuns;
}

/** For callers that do not know the job's id: one run a minute, as schedules have it. */
const ofMinute = (feedId: string): string => `${feedId}:${Math.floor(Date.now() / 60_000)}`;

/**
 * Starts a feed's run at its time, unless the one before is still under way.
 * @param jobId of the scheduled job, which has its time in it: tried again, it starts nothing twice
 */
export const startFeedRun =
  ({ feeds, runs }: StartFeedRunParts) =>
  async (
    { feedId, requestId }: JobData<'start-feed-run'>,
    _signal: AbortSignal,
    _isLastTry: boolean,
    jobId = ofMinute(feedId),
  ): Promise<JobResult<'start-feed-run'>> => {
    const feed = await feeds.get(feedId);
    if (feed && !feed.erasure) await runs.start(feed, scheduledRunId(jobId), requestId);
    return { millis: {} };
  };
