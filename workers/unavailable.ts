import { isRedisError } from '../src/platform/redis.ts';
import { StorageError } from '../src/storage/blobs.ts';

/** Whether what all work stands on, the store or Redis, was away: work that met it is done again, at no cost. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageError || isRedisError(error);
