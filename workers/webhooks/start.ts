import type { Redis } from 'ioredis';
import { SCHEDULE_MILLIS } from '../../src/intake/webhooks/delivery.ts';
import { createWebhookEvents } from '../../src/intake/webhooks/events.ts';
import { createWebhookReceivers } from '../../src/intake/webhooks/receivers.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Logger } from '../../src/platform/log.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { Consume } from '../consume-jobs.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import { deliverWebhook, failDelivery } from './deliver.ts';
import { startOutbox } from './outbox.ts';

/** A delivery mostly waits for its receiver. */
const CONCURRENT_DELIVERIES = 64;

interface StartWebhooksDeps {
  consume: Consume;
  redis: Redis;
  safeFetch: SafeFetch;
  log: Logger;
  /** Redis's time. */
  now: Clock;
}

/** Starts the delivery of webhooks, from the outbox to the receivers. */
export function startWebhooks(deps: StartWebhooksDeps) {
  const { consume, redis, safeFetch, log, now } = deps;
  const events = createWebhookEvents(redis);
  const receivers = createWebhookReceivers(redis);
  const queue = openQueue('webhook', redis, log);
  const schedule = SCHEDULE_MILLIS;
  const consumer = consume(
    'webhook',
    { 'deliver-webhook': deliverWebhook({ events, receivers, safeFetch, schedule, now }) },
    {
      concurrency: CONCURRENT_DELIVERIES,
      onFailed(jobId) {
        failDelivery({ events }, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'delivery failure not recorded'),
        );
      },
    },
  );
  const stopOutbox = startOutbox({ redis, events, queue, log, now });
  return {
    async close(): Promise<void> {
      await stopOutbox();
      await consumer.close();
      await queue.close();
    },
  };
}
