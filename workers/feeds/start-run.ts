import type { Feeds } from '../../src/intake/feeds/feeds.ts';
import type { ScheduledRuns } from '../../src/intake/feeds/scheduled-runs.ts';
import type { Processor } from '../attempt.ts';

interface StartFeedRunDeps {
  feeds: Feeds;
  scheduledRuns: ScheduledRuns;
}

/**
 * Starts a scheduled run of a feed, unless the previous one is still running or its key does not allow
 * it. The job id contains the scheduled time, so a retry does not start a second run.
 */
export const startFeedRun =
  ({ feeds, scheduledRuns }: StartFeedRunDeps): Processor<'start-feed-run'> =>
  async ({ feedId, requestId }, _signal, { jobId }) => {
    const feed = await feeds.get(feedId);
    if (feed && !feed.erasure) await scheduledRuns.start(feed, jobId, requestId);
    return { millis: {} };
  };
