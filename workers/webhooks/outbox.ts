import { enqueueDelivery } from '../../src/intake/webhooks/delivery.ts';
import { OUTBOX, OutboxEntry } from '../../src/intake/webhooks/outbox.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import type { Services } from '../../src/services.ts';

const POLL_MILLIS = 200;
/** A lease ends this much before it is requested again. */
const LEASE_MARGIN_MILLIS = 20;
const LEASE = `${PREFIX}:webhook-outbox-lease`;
const PAGE_SIZE = 100;

type Outbox = Pick<Services, 'redis' | 'events' | 'queues' | 'log' | 'now'>;

/** Parses an entry; undefined if it is invalid. */
function parseEntry(text: string): OutboxEntry | undefined {
  try {
    return OutboxEntry.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Moves every entry of the outbox to the queue. An entry leaves the outbox last, so it may be processed twice,
 * by another worker or after a crash; that makes the same event and the same job.
 * @returns how many entries were processed
 */
export async function drainOutbox({ redis, events, queues, log, now }: Outbox): Promise<number> {
  let processed = 0;
  for (;;) {
    const texts = await redis.lrange(OUTBOX, 0, PAGE_SIZE - 1);
    for (const text of texts) {
      const entry = parseEntry(text);
      if (!entry) log.error({ length: text.length }, 'invalid outbox entry');
      const round = entry && (await events.record(entry, now()));
      if (round) {
        await enqueueDelivery(queues.webhook, { id: entry.eventId, client: entry.client }, round);
      }
      await redis.lrem(OUTBOX, 1, text);
    }
    processed += texts.length;
    if (texts.length === 0) return processed;
  }
}

/** Drains the outbox regularly, in whichever worker holds the lease. Returns a function that stops it. */
export function startOutbox(services: Outbox): () => Promise<void> {
  const { redis, log } = services;
  let draining: Promise<unknown> | undefined;
  const drain = async () => {
    const leaseMillis = POLL_MILLIS - LEASE_MARGIN_MILLIS;
    if (await redis.set(LEASE, '1', 'PX', leaseMillis, 'NX')) await drainOutbox(services);
  };
  const timer = setInterval(() => {
    draining ??= drain()
      .catch((error) => log.warn({ reason: error.message }, 'outbox not drained'))
      .finally(() => {
        draining = undefined;
      });
  }, POLL_MILLIS).unref();
  return async () => {
    clearInterval(timer);
    await draining;
  };
}
