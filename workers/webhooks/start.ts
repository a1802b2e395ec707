import type { Redis } from 'ioredis';
import { createWebhookEvents } from '../../src/intake/webhooks/events.ts';
import { createWebhookReceivers } from '../../src/intake/webhooks/receivers.ts';
import type { Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { JobFact } from '../attempt.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import { takeJobs } from '../take-jobs.ts';
import { deliverWebhook, failDelivery } from './deliver.ts';
import { startOutbox } from './outbox.ts';

/** A delivery waits for its receiver and does little else. */
const DELIVERIES_AT_ONCE = 64;

export interface WebhookJobDeps {
  redis: Redis;
  /** For taking jobs; used for nothing else from now on. */
  blocking: Redis;
  safeFetch: SafeFetch;
  log: Logger;
  done(fact: JobFact): void;
  /** Epoch milliseconds, as Redis has it. */
  now(): number;
}

/** Everything a worker does to tell clients what became of their work. */
export function startWebhooks(deps: WebhookJobDeps) {
  const { redis, blocking, safeFetch, log, done, now } = deps;
  const events = createWebhookEvents(redis);
  const queue = openQueue('webhook', redis, log);
  const receivers = createWebhookReceivers(redis);
  const deliver = deliverWebhook({ events, receivers, safeFetch, now });
  const taker = takeJobs(
    'webhook',
    { 'deliver-webhook': deliver },
    {
      ...{ connection: blocking, concurrency: DELIVERIES_AT_ONCE, log, done, now },
      givenUp(jobId) {
        failDelivery({ events }, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'end of a delivery not written'),
        );
      },
    },
  );
  const stopOutbox = startOutbox({ redis, events, queue, log });
  return {
    async close(): Promise<void> {
      await stopOutbox();
      await taker.close();
      await queue.close();
    },
  };
}
