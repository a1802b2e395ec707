import { isRedisFault } from '../src/jobs/redis.ts';
import { StoreFault } from '../src/store/blobs.ts';

/** Whether what all work stands on, the store or Redis, was away: work that met it is done again, at no cost. */
export const isAway = (error: unknown): boolean =>
  error instanceof StoreFault || isRedisFault(error);
