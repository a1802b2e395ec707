import { FetchPool } from './fetch-pool.ts';

/** Images being fetched, in addition to four for each slot of the engine. */
const FETCHES = 24;
/** Requests of one client to one host, in addition to one for each slot. */
const FETCHES_AT_HOST = 4;
/** A job that waits longer may be taken by a worker that has more room. */
const MAX_WAIT_MILLIS = 15_000;
const FEED_FETCHES = 16;
const FEEDS_PER_CLIENT = 2;
/** Each takes a core while it parses rows. One more than a client may have keeps one for the others. */
const PARSED_FEEDS = FEEDS_PER_CLIENT + 1;

/**
 * Creates the pools of jobs that fetch. Images hold their permit until the job ends: it bounds the images in memory,
 * and the engine needs some to choose from.
 * @param slots images that the engine works on at once
 */
export function createFetchPools(
  slots: number,
): Record<'sync' | 'background' | 'feeds' | 'parsing' | 'heavy', FetchPool> {
  const total = FETCHES + 4 * slots;
  const images = {
    total,
    perClient: total / 4,
    perClientAndHost: FETCHES_AT_HOST + slots,
    perHost: Number.POSITIVE_INFINITY, // the connections to a host have a limit of their own
    maxWaiting: total, // few: if the worker dies, they wait until their locks expire
  };
  return {
    /** Jobs a client waits for: they wait until their deadline. */
    sync: new FetchPool({ ...images, maxWaitMillis: Number.POSITIVE_INFINITY }),
    /** Jobs with heavy work: one slot is left to the others. */
    heavy: new FetchPool({
      total: Math.max(1, slots - 1),
      perClient: slots,
      perClientAndHost: slots,
      perHost: Number.POSITIVE_INFINITY,
      maxWaiting: 4, // the others wait in the queue, for any worker
      maxWaitMillis: Number.POSITIVE_INFINITY,
    }),
    /** Accepted jobs and rows. */
    background: new FetchPool({ ...images, maxWaitMillis: MAX_WAIT_MILLIS }),
    feeds: new FetchPool({
      total: FEED_FETCHES,
      perClient: FEEDS_PER_CLIENT,
      perClientAndHost: FEEDS_PER_CLIENT,
      perHost: Number.POSITIVE_INFINITY,
      maxWaiting: 64,
      maxWaitMillis: MAX_WAIT_MILLIS,
    }),
    /** Feeds whose rows are read. */
    parsing: new FetchPool({
      total: PARSED_FEEDS,
      perClient: FEEDS_PER_CLIENT,
      perClientAndHost: FEEDS_PER_CLIENT,
      perHost: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitMillis: Number.POSITIVE_INFINITY,
    }),
  };
}

export type FetchPools = ReturnType<typeof createFetchPools>;
