import { outboxEntry } from '../webhooks/outbox.ts';
import type { BatchManifest } from './batches.ts';

export const BATCHES_PATH = '/intake/v1/batches';
export const FEEDS_PATH = '/intake/v1/feeds';

/** Where a client finds what belongs to a batch. */
export function batchLinks(id: string) {
  const self = `${BATCHES_PATH}/${id}`;
  return {
    self,
    items: `${self}/items`,
    results: `${self}/results`,
    errors: `${self}/errors`,
    manifest: `${self}/manifest`,
    events: `${self}/events`,
  };
}

/** Where a client finds what belongs to a run of a feed. */
export function runLinks(feedId: string, id: string) {
  const self = `${FEEDS_PATH}/${feedId}/runs/${id}`;
  return { self, report: `${self}/report`, export: `${self}/export`, events: `${self}/events` };
}

/** What the client is told when its batch or run has ended; nothing where it did not ask for it. */
export function batchEnded(batch: BatchManifest, status: string, atMillis: number) {
  const { id, client, webhook, feedId } = batch;
  if (!webhook) return undefined;
  const happening = feedId
    ? { type: 'feed.run.completed' as const, links: runLinks(feedId, id) }
    : { type: 'batch.completed' as const, links: batchLinks(id) };
  return outboxEntry({ ...happening, client, url: webhook.url, id, status, atMillis });
}
