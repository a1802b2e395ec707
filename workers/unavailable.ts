import { isRedisError } from '../src/platform/redis.ts';
import { StorageError } from '../src/storage/blobs.ts';

/** Whether Redis or storage was unavailable. Such a failure is retried and does not count as an attempt. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageError || isRedisError(error);
