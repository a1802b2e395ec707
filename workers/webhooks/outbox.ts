import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { enqueueDelivery } from '../../src/intake/webhooks/delivery.ts';
import type { WebhookEvents } from '../../src/intake/webhooks/events.ts';
import { OUTBOX, OutboxEntry } from '../../src/intake/webhooks/outbox.ts';
import type { Logger } from '../../src/platform/log.ts';
import { PREFIX } from '../../src/platform/redis.ts';

const LOOK_MILLIS = 200;
const LEASE = `${PREFIX}:webhook-outbox-lease`;
const TAKEN_AT_ONCE = 100;

export interface OutboxDeps {
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
export async function drainOutbox({ redis, events, queue, log }: OutboxDeps): Promise<number> {
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
export function startOutbox(deps: OutboxDeps): () => Promise<void> {
  const { redis, log } = deps;
  let drained: Promise<unknown> | undefined;
  const drain = async () => {
    if (await redis.set(LEASE, '1', 'PX', LOOK_MILLIS - 20, 'NX')) await drainOutbox(deps);
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
