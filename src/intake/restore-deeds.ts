import type { Redis } from 'ioredis';
import { restorePolicy } from '../auth/client-retention.ts';
import { endSession } from '../auth/sessions.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queues } from '../queue/queue.ts';
import type { Blobs } from '../storage/blobs.ts';
import { batchKeys } from './batches/batch-files.ts';
import { BatchManifest } from './batches/batch-record.ts';
import type { BatchRetention } from './batches/batch-retention.ts';
import { type Batches, moveToCancel } from './batches/batches.ts';
import { restoreStoredBatch } from './batches/restore.ts';
import type { Deed, DeedKind } from './deeds.ts';
import { eraseFeed } from './feeds/feed-retention.ts';
import type { Feeds } from './feeds/feeds.ts';
import { type JobRecord, type JobRecords, PENDING_STATUSES } from './job-records.ts';
import type { JobRetention } from './job-retention.ts';
import { LEARNED_CATEGORIES } from './learned-categories.ts';
import { deleteSetting, PRESETS, RULE_PACKS, type SettingsKind } from './named-settings.ts';
import { restoreReceivers } from './webhooks/receivers.ts';

/** Where deeds are done again. */
interface Restored {
  redis: Redis;
  blobs: Blobs;
  jobs: JobRecords;
  jobRetention: JobRetention;
  batches: Batches;
  batchRetention: BatchRetention;
  feeds: Feeds;
  queues: Pick<Queues, 'feed'>;
  /** Redis's time. */
  now: Clock;
}

/** Returns whether there was something to do again; undefined if it cannot be done. */
type Restore<Kind extends DeedKind> = (
  restored: Restored,
  deed: Deed<Kind>,
  signal: AbortSignal,
) => Promise<boolean | undefined>;

/** Kinds of settings that can be deleted. */
const DELETABLE: readonly SettingsKind<{ changedAt: string }>[] = [
  PRESETS,
  RULE_PACKS,
  LEARNED_CATEGORIES,
];

/** Whether a deed has other cut-outs than the record, and is newer: it has more, or those of the record are deleted. */
async function isOtherCutOut(blobs: Blobs, known: JobRecord, deed: JobRecord): Promise<boolean> {
  if (known.outputKey === undefined || known.outputKey === deed.outputKey) return false;
  const versions = ({ earlierCutOuts = [] }: JobRecord): number => earlierCutOuts.length;
  return versions(deed) > versions(known) || !(await blobs.head(known.outputKey));
}

async function restoreJob({ jobs, jobRetention, blobs, now }: Restored, deed: Deed<'job'>) {
  const { id, status, attempt: _, erasure, ...fields } = deed;
  const found = await jobs.get(id);
  if (!found && status !== 'expired' && Date.parse(deed.expiresAt) < now()) return false;
  if (!found) await jobs.create({ id, ...fields });
  const known = found ?? { ...deed, status: 'queued' };
  if (known.status === 'expired') return false;
  if (status === 'expired') {
    if (!erasure) return false;
    await jobRetention.erase({ ...known, erasure: undefined }, Date.parse(erasure.erasedAt));
    await jobs.updateTombstone(id, { erasure });
    return true;
  }
  if (known.status === status) {
    if (!known.outputKey || !(await isOtherCutOut(blobs, known, deed))) return false;
    return jobs.replaceCutOut(id, known.outputKey, fields);
  }
  // It may have ended otherwise since: what was acknowledged first holds.
  const ended = ['succeeded', 'failed'] as const;
  const from = [...PENDING_STATUSES, ...(status === 'canceled' ? ended : [])];
  const dueAtMillis = Date.parse(deed.expiresAt);
  const isEnded = await jobs.end(known, { from, to: status, fields, dueAtMillis });
  if (isEnded) await jobRetention.cleanUp(known);
  return isEnded;
}

/** What a batch that was erased has of rows. */
const NO_ROWS = {
  ...{ chunks: 0, accepted: 0, rejected: 0, succeeded: 0, failed: 0, unchanged: 0, issued: 0 },
  ...{ stale: 0, units: 0, reasons: {} },
  ...{ cursor: { chunk: 0, line: 0 }, firstRows: [], written: [] },
};

async function restoreBatch(
  { batches, batchRetention, blobs, now }: Restored,
  deed: Deed<'batch'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, status, erasure } = deed;
  await restoreStoredBatch(batches, blobs, batchKeys(deed).manifest, now(), signal);
  const { finishedAt } = deed;
  const atMillis = finishedAt === undefined ? now() : Date.parse(finishedAt);
  if (status !== 'expired') return (await moveToCancel(batches, deed, atMillis)) !== undefined;
  if (!erasure) return false;
  const { expiresAt } = deed;
  if (!(await batches.get(id)))
    await batches.restore({ ...BatchManifest.parse(deed), expiresAt }, NO_ROWS);
  const known = await batches.get(id);
  if (!known || known.erasure) return false;
  await batchRetention.erase(known, Date.parse(erasure.erasedAt));
  await batches.updateTombstone(id, { erasure });
  return true;
}

async function restoreFeed({ batches, feeds, blobs, queues, now }: Restored, deed: Deed<'feed'>) {
  const known = await feeds.get(deed.id);
  if (known?.erasure?.blobs !== undefined || deed.erasure?.blobs === undefined) return false;
  if (known) {
    const runs = [...new Set([...known.runs, ...deed.runs])];
    await eraseFeed({ feeds, batches, blobs }, queues.feed, { ...known, runs }, now());
  } else await feeds.create(deed, Number.MAX_SAFE_INTEGER);
  await feeds.markErased(deed, deed.erasure);
  return true;
}

/** How each kind of deed is done again for a Redis that has lost it. Done already, it has no effect. */
export const RESTORE_DEED: { readonly [Kind in DeedKind]: Restore<Kind> } = {
  job: restoreJob,
  batch: restoreBatch,
  feed: restoreFeed,
  receivers: ({ redis }, deed) => restoreReceivers(redis, deed),
  session: ({ redis }, { key }) => endSession(redis, key),
  retention: ({ redis }, deed) => restorePolicy(redis, deed),
  async setting({ redis }, deed) {
    const kind = DELETABLE.find((each) => each.kind === deed.kind);
    return kind && deleteSetting(redis, kind, deed);
  },
};
