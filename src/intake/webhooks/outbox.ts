import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { FeedLoss } from '../feeds/plan.ts';

/**
 * The outbox: a list of webhook events to send, oldest first. The script that changes a state pushes the
 * entry in the same step; workers take it from there.
 */
export const OUTBOX = `${PREFIX}:webhook-outbox`;

// biome-ignore format: a list reads best in lines
export const WEBHOOK_TYPES = [
  'job.succeeded', 'job.failed', 'batch.completed', 'batch.reviewed', 'feed.run.completed',
  'feed.run.reviewed', 'feed.run.held',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export const WebhookBody = z
  .object({
    type: z.enum(WEBHOOK_TYPES),
    timestamp: z.iso.datetime().meta({ description: 'Of the event, not of the attempt' }),
    data: z.object({
      id: z.string().meta({ description: 'Of the job, batch or run' }),
      status: z.string(),
      links: z.record(z.string(), z.string()),
      counts: z.record(z.string(), z.number()).optional().meta({
        description: 'Numbers of rows and images',
      }),
      reasons: z.record(z.string(), z.number()).optional().meta({
        description: 'Failed, stale and rejected rows by reason',
      }),
      held: FeedLoss.optional().meta({ description: 'What a held run would lose' }),
      test: z.literal(true).optional().meta({ description: 'You asked for it: nothing has ended' }),
    }),
  })
  .meta({ id: 'WebhookEvent' });

export const OutboxEntry = WebhookBody.extend({
  eventId: z.string(),
  client: z.string(),
  url: z.string(),
});
export type OutboxEntry = z.infer<typeof OutboxEntry>;

interface OutboxEvent extends Pick<OutboxEntry, 'client' | 'url' | 'type'> {
  /** Of the job, batch or run. */
  id: string;
  status: string;
  links: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  atMillis: number;
  /** Further members of its data. */
  facts?: object;
}

/** The same event has the same id, in letters, digits and `_`: recorded twice, it is sent once. */
const toEventId = (type: WebhookType, id: string): string =>
  `evt_${id}_${type}`.replaceAll(/[^A-Za-z0-9]/g, '_');

/** Returns an outbox entry, as text to push at the end of the list. */
export function outboxEntry(event: OutboxEvent): string {
  const { client, url, type, id, status, links, atMillis, facts } = event;
  const data = { id, status, links, ...facts };
  const timestamp = new Date(atMillis).toISOString();
  const entry: OutboxEntry = { eventId: toEventId(type, id), client, url, type, data, timestamp };
  return JSON.stringify(entry);
}

/** The body that is sent: what happened and links to it, no image data. */
export const webhookBody = ({ type, timestamp, data }: OutboxEntry): string =>
  JSON.stringify({ type, timestamp, data });

/** Returns an event of the type that a client asks for, to try its receiver. @param id letters and digits */
export function testEvent(
  { client, url, type }: Pick<OutboxEvent, 'client' | 'url' | 'type'>,
  id: string,
  atMillis: number,
) {
  const [kind = ''] = type.split('.');
  const self = `/intake/v1/${kind === 'batch' ? 'batches' : `${kind}s`}/test`;
  const share = { before: 100, lost: 40 };
  const isHeld = type === 'feed.run.held';
  const facts = {
    test: true,
    ...(kind !== 'job' && { counts: { rows: 2, succeeded: 1, failed: 1 } }),
    ...(kind !== 'job' && { reasons: { 'http-503': 1 } }),
    ...(isHeld && { held: { rows: share, pictures: share, first: [{ id: 'sku-1' }] } }),
  };
  const status = kind === 'job' ? (type.split('.')[1] ?? '') : isHeld ? 'held' : 'completed';
  const event = { client, url, type, id: `test_${id}`, status, links: { self }, atMillis, facts };
  return OutboxEntry.parse(JSON.parse(outboxEntry(event)));
}
