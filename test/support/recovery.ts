import type { Redis } from 'ioredis';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog, type Logger } from '../../src/platform/log.ts';
import { composeServices, type Services } from '../../src/services.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

/** The services on a test's Redis and storage; `close` leaves both open. */
export function servicesOn(
  redis: Redis,
  blobs: Blobs,
  log: Logger = createLog('test', 'silent'),
): Services {
  const services = composeServices({ redis, log, now: hostClock }, blobs);
  const queues = Object.values(services.queues);
  return {
    ...services,
    close: async () => void (await Promise.all(queues.map((queue) => queue.close()))),
  };
}
