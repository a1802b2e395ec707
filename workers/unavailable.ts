import { isRedisError } from '../src/platform/redis-errors.ts';
import { StorageError } from '../src/storage/blobs.ts';
import { EngineCrash } from './inference/inference-process.ts';

/**
 * Whether Redis, storage or memory was unavailable. A job in the background waits until it is there again, at no
 * attempt.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageError ||
  isRedisError(error) ||
  (error instanceof EngineCrash && error.mayLackMemory);
