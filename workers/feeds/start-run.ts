import { startScheduledRun } from '../../src/intake/feeds/scheduled-runs.ts';
import type { Services } from '../../src/services.ts';
import type { Processor } from '../attempt.ts';

/**
 * Starts a scheduled run of a feed, unless the previous one is still running or its key does not allow
 * it. The job id contains the scheduled time, so a retry does not start a second run.
 */
export const startFeedRun =
  (
    services: Pick<Services, 'redis' | 'feeds' | 'runs' | 'storedBytes' | 'now'>,
  ): Processor<'start-feed-run'> =>
  async ({ feedId, requestId }, _signal, { jobId }) => {
    const feed = await services.feeds.get(feedId);
    if (feed && !feed.erasure) {
      await startScheduledRun(services.runs, services, feed, jobId, requestId);
    }
    return { millis: {} };
  };
