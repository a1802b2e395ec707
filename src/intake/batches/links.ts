import { outboxEntry } from '../webhooks/outbox.ts';
import { BATCH_TERMINAL_STATUSES, type BatchManifest, type BatchRecord } from './batch-record.ts';

export function batchCounts(batch: BatchRecord) {
  const { status, accepted, rejected, issued, succeeded, failed } = batch;
  const hasEnded = BATCH_TERMINAL_STATUSES.includes(status);
  return {
    accepted,
    rejected,
    succeeded,
    failed,
    queued: hasEnded ? 0 : accepted - issued,
    active: hasEnded ? 0 : issued - succeeded - failed,
    canceled: hasEnded ? accepted - succeeded - failed : 0,
  };
}

export function runCounts(run: BatchRecord) {
  const { upload, accepted, rejected, succeeded, failed, stale, units } = run;
  const [changed, unchanged] = [succeeded - run.unchanged, run.unchanged - stale];
  const rows = upload?.rows ?? 0;
  const outcomes = { unchanged, stale, changed, succeeded, failed, rejected };
  return { rows, images: accepted, ...outcomes, units };
}

/** What the webhook event of the end of a batch or run says of its rows. */
export const endFacts = (batch: BatchRecord) =>
  batch.feedId
    ? { counts: runCounts(batch), reasons: batch.reasons }
    : {
        counts: {
          accepted: batch.accepted,
          rejected: batch.rejected,
          succeeded: batch.succeeded,
          failed: batch.failed,
        },
        reasons: batch.reasons,
      };

export const BATCHES_PATH = '/intake/v1/batches';
export const FEEDS_PATH = '/intake/v1/feeds';

/** Returns the path of something, and those below it, by their names. */
const linksBelow = <Name extends string>(self: string, names: readonly Name[]) => ({
  self,
  ...(Object.fromEntries(names.map((name) => [name, `${self}/${name}`])) as Record<Name, string>),
});

// biome-ignore format: a table reads best aligned
const BELOW = {
  batch: ['items', 'results', 'errors', 'manifest', 'archive', 'events', 'review', 'duplicates'],
  run: ['report', 'export', 'events', 'review', 'duplicates', 'confirm'],
} as const;

export const batchLinks = (id: string) => linksBelow(`${BATCHES_PATH}/${id}`, BELOW.batch);

export const runLinks = (feedId: string, id: string) =>
  linksBelow(`${FEEDS_PATH}/${feedId}/runs/${id}`, BELOW.run);

/** A webhook event about a batch or run as an outbox entry, or nothing if the client gave no webhook. */
function entryOf(
  { id, client, webhook, feedId }: BatchManifest,
  event: 'completed' | 'reviewed' | 'held',
  status: string,
  atMillis: number,
  facts: object = {},
) {
  if (!webhook) return undefined;
  const common = { client, url: webhook.url, id, status, atMillis, facts };
  if (feedId) {
    return outboxEntry({ type: `feed.run.${event}`, links: runLinks(feedId, id), ...common });
  }
  if (event === 'held') return undefined;
  return outboxEntry({ type: `batch.${event}`, links: batchLinks(id), ...common });
}

/** The webhook event of a batch's or run's end. @param facts counts and reasons */
export const batchCompletedEntry = (
  batch: BatchManifest,
  status: string,
  atMillis: number,
  facts: object,
) => entryOf(batch, 'completed', status, atMillis, facts);

/** The webhook event of a batch or run of which no cut-out waits for a person any more. */
export const batchReviewedEntry = (batch: BatchManifest, status: string, atMillis: number) =>
  entryOf(batch, 'reviewed', status, atMillis);

/** The webhook event of a run that waits for a person. @param facts what it would lose */
export const runHeldEntry = (run: BatchManifest, atMillis: number, facts: object) =>
  entryOf(run, 'held', 'held', atMillis, facts);
