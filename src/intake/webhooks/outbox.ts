import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';

/**
 * A list of what is to be told to clients, oldest first. Whoever wins a change of state pushes its
 * entry in the same step; workers take it from there.
 */
export const OUTBOX = `${PREFIX}:webhook-outbox`;

/** What clients can be told of. */
export const WEBHOOK_TYPES = [
  'job.succeeded',
  'job.failed',
  'batch.completed',
  'feed.run.completed',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export const OutboxEntry = z.object({
  eventId: z.string(),
  client: z.string(),
  url: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  data: z.object({
    id: z.string(),
    status: z.string(),
    links: z.record(z.string(), z.string()),
  }),
  timestamp: z.iso.datetime(),
});
export type OutboxEntry = z.infer<typeof OutboxEntry>;

/** What an entry is made of. */
export interface OutboxEvent {
  client: string;
  /** Where the client wants to hear of it. */
  url: string;
  type: WebhookType;
  /** Of the job, batch or run. */
  id: string;
  status: string;
  links: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  atMillis: number;
}

/** The same thing that happened has the same id, in letters, digits and `_`: told twice, it is sent once. */
const eventIdOf = (type: WebhookType, id: string): string =>
  `evt_${id}_${type}`.replaceAll(/[^A-Za-z0-9]/g, '_');

/** One entry of the outbox, as text to push at the end of the list. */
export function outboxEntry({
  client,
  url,
  type,
  id,
  status,
  links,
  atMillis,
}: OutboxEvent): string {
  const entry: OutboxEntry = {
    ...{ eventId: eventIdOf(type, id), client, url, type },
    data: { id, status, links },
    timestamp: new Date(atMillis).toISOString(),
  };
  return JSON.stringify(entry);
}

/** What is sent: what happened and where to look, nothing of the images. */
export const webhookBody = ({ type, timestamp, data }: OutboxEntry): string =>
  JSON.stringify({ type, timestamp, data });
