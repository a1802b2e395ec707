import { outboxEntry } from '../webhooks/outbox.ts';
import type { BatchManifest } from './batches.ts';

export const BATCHES_PATH = '/intake/v1/batches';
export const FEEDS_PATH = '/intake/v1/feeds';

/** Paths of a batch's resources. */
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

/** Paths of a feed run's resources. */
export function runLinks(feedId: string, id: string) {
  const self = `${FEEDS_PATH}/${feedId}/runs/${id}`;
  return { self, report: `${self}/report`, export: `${self}/export`, events: `${self}/events` };
}

/** The webhook event of a batch's or run's end as an outbox entry, or nothing if the client gave no webhook. */
export function batchCompletedEntry(batch: BatchManifest, status: string, atMillis: number) {
  const { id, client, webhook, feedId } = batch;
  if (!webhook) return undefined;
  const event = feedId
    ? { type: 'feed.run.completed' as const, links: runLinks(feedId, id) }
    : { type: 'batch.completed' as const, links: batchLinks(id) };
  return outboxEntry({ ...event, client, url: webhook.url, id, status, atMillis });
}
