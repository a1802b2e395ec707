import type { Redis } from 'ioredis';
import { createJobRecords } from '../../src/intake/job-records.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog, type Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { RecoverDeps } from '../../workers/recover/rebuild.ts';

/** What restores records of a test's Redis from its storage. */
export function recoverDeps(
  redis: Redis,
  blobs: Blobs,
  log: Logger = createLog('test', 'silent'),
): RecoverDeps & { close(): Promise<void> } {
  const queue = openQueue('async', redis, log);
  const feedQueue = openQueue('feed', redis, log);
  const records = createJobRecords(redis, hostClock);
  return {
    ...{ redis, blobs, records, queue, feedQueue, log },
    now: hostClock,
    close: async () => void (await Promise.all([queue.close(), feedQueue.close()])),
  };
}
