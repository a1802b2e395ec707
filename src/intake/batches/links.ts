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
    review: `${self}/review`,
    duplicates: `${self}/duplicates`,
  };
}

/** Paths of a feed run's resources. */
export function runLinks(feedId: string, id: string) {
  const self = `${FEEDS_PATH}/${feedId}/runs/${id}`;
  return {
    self,
    report: `${self}/report`,
    export: `${self}/export`,
    events: `${self}/events`,
    review: `${self}/review`,
    duplicates: `${self}/duplicates`,
  };
}

/** A webhook event about a batch or run as an outbox entry, or nothing if the client gave no webhook. */
function entryOf(
  { id, client, webhook, feedId }: BatchManifest,
  event: 'completed' | 'reviewed',
  status: string,
  atMillis: number,
) {
  if (!webhook) return undefined;
  const subject = feedId
    ? { type: `feed.run.${event}` as const, links: runLinks(feedId, id) }
    : { type: `batch.${event}` as const, links: batchLinks(id) };
  return outboxEntry({ ...subject, client, url: webhook.url, id, status, atMillis });
}

/** The webhook event of a batch's or run's end. */
export const batchCompletedEntry = (batch: BatchManifest, status: string, atMillis: number) =>
  entryOf(batch, 'completed', status, atMillis);

/** The webhook event of a batch or run of which no cut-out waits for a person any more. */
export const batchReviewedEntry = (batch: BatchManifest, status: string, atMillis: number) =>
  entryOf(batch, 'reviewed', status, atMillis);
