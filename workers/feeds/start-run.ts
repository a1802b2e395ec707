import type { Feeds } from '../../src/intake/feeds/feeds.ts';
import { type FeedRuns, scheduledRunId } from '../../src/intake/feeds/runs.ts';
import type { Processor } from '../attempt.ts';

interface StartFeedRunDeps {
  feeds: Feeds;
  runs: FeedRuns;
}

/**
 * Starts a scheduled run of a feed, unless the previous one is still running. The job id contains the
 * scheduled time, so a retry does not start a second run.
 */
export const startFeedRun =
  ({ feeds, runs }: StartFeedRunDeps): Processor<'start-feed-run'> =>
  async ({ feedId, requestId }, _signal, _isLastTry, jobId) => {
    const feed = await feeds.get(feedId);
    if (feed && !feed.erasure) await runs.start(feed, scheduledRunId(jobId), requestId);
    return { millis: {} };
  };
