import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { PREFIX } from '../../src/jobs/redis.ts';
import { enqueueDelivery } from '../../src/jobs/webhooks/delivery.ts';
import type { WebhookEvents } from '../../src/jobs/webhooks/events.ts';
import { OUTBOX, OutboxEntry } from '../../src/jobs/webhooks/webhooks.ts';
import type { Logger } from '../../src/log.ts';

const LOOK_MILLIS = 200;
const LEASE = `${PREFIX}:webhook-outbox-lease`;
const TAKEN_AT_ONCE = 100;

export interface OutboxParts {
  redis: Redis;
  events: WebhookEvents;
  /** The queue `webhook`. */
  queue: Queue;
  log: Logger;
}

/** An entry as it was pushed, or nothing where it is none. */
function readEntry(text: string): OutboxEntry | undefined {
  try {
    return OutboxEntry.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Brings every entry of the outbox into the queue. An entry leaves the outbox last: it may be brought
 * again, by another or after a death, and is one event and one job all the same.
 * @returns how many entries were taken
 */
export async function drainOutbox({ redis, events, queue, log }: OutboxParts): Promise<number> {
  let taken = 0;
  for (;;) {
    const texts = await redis.lrange(OUTBOX, 0, TAKEN_AT_ONCE - 1);
    for (const text of texts) {
      const entry = readEntry(text);
      if (!entry) log.error({ length: text.length }, 'outbox entry not understood');
      const round = entry && (await events.record(entry, Date.now()));
      if (round) await enqueueDelivery(queue, entry.eventId, round);
      await redis.lrem(OUTBOX, 1, text);
    }
    taken += texts.length;
    if (texts.length === 0) return taken;
  }
}

/** Drains the outbox from time to time, in whichever worker holds the lease. Answers how to stop. */
export function startOutbox(parts: OutboxParts): () => Promise<void> {
  const { redis, log } = parts;
  let drained: Promise<unknown> | undefined;
  const drain = async () => {
    if (await redis.set(LEASE, '1', 'PX', LOOK_MILLIS - 20, 'NX')) await drainOutbox(parts);
  };
  const timer = setInterval(() => {
    drained ??= drain()
      .catch((error) => log.warn({ reason: error.message }, 'outbox not drained'))
      .finally(() => {
        drained = undefined;
      });
  }, LOOK_MILLIS).unref();
  return async () => {
    clearInterval(timer);
    await drained;
  };
}
