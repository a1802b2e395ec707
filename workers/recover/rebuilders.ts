import { z } from 'zod';
import { getJson } from '../../src/intake/batches/batch-files.ts';
import type { BatchManifest, BatchRecord } from '../../src/intake/batches/batch-record.ts';
import { restoreStoredBatch } from '../../src/intake/batches/restore.ts';
import { batchKey } from '../../src/intake/batches/scripts.ts';
import { DEEDS, type DeedKind, deedKindOf } from '../../src/intake/deeds.ts';
import { FeedManifest, feedKey } from '../../src/intake/feeds/feeds.ts';
import { enqueueIngest } from '../../src/intake/feeds/runs.ts';
import { putSchedule } from '../../src/intake/feeds/schedules.ts';
import { readJobManifest } from '../../src/intake/job-manifest.ts';
import { jobKey, PENDING_STATUSES } from '../../src/intake/job-records.ts';
import { restoreKey } from '../../src/intake/key-copies.ts';
import { LEARNED_CATEGORIES } from '../../src/intake/learned-categories.ts';
import {
  PRESETS,
  RULE_PACKS,
  restoreSetting,
  type SettingsKind,
  settingsKindOf,
} from '../../src/intake/named-settings.ts';
import { RESTORE_DEED } from '../../src/intake/restore-deeds.ts';
import { restoreReview } from '../../src/intake/review/audit.ts';
import { SOURCE_SETTINGS } from '../../src/intake/sources/sources.ts';
import { enqueueJob, requeueJob } from '../../src/queue/queue.ts';
import type { Services } from '../../src/services.ts';
import {
  BATCHES_PREFIX,
  blobOwner,
  DEEDS_PREFIX,
  FEEDS_PREFIX,
  INPUT_PREFIX,
  isBackground,
  KEYS_PREFIX,
  manifestKeyOf,
  SETTINGS_PREFIX,
} from '../../src/storage/blob-keys.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { Outcome, Rebuilder } from './rebuild.ts';

/** Restores what is in a JSON blob. Returns whether Redis lacked it; undefined if this version cannot. */
type RestoreJson = (
  services: Services,
  stored: unknown,
  key: string,
  signal: AbortSignal,
) => Promise<boolean | undefined>;

/** Returns what restores records of which each is one JSON blob, and only the blob tells which. */
const ofJson =
  (name: string, prefix: string, restoreJson: RestoreJson) =>
  (services: Services): Rebuilder => ({
    name,
    prefix,
    manifestOf: (key) => key,
    recordOf: () => undefined,
    async restore(key, signal): Promise<Outcome> {
      const stored = await getJson(services.blobs, key, signal);
      if (stored === undefined) return 'absent';
      const isRestored = await restoreJson(services, stored, key, signal);
      if (isRestored === undefined) return 'unknown';
      return isRestored ? 'rebuilt' : 'known';
    },
  });

/** Restores API keys, and the revocations of keys that are known. */
const keys = ofJson('keys', KEYS_PREFIX, ({ redis }, copy) => restoreKey(redis, copy));

const SETTINGS: readonly SettingsKind<{ changedAt: string }>[] = [
  PRESETS,
  RULE_PACKS,
  LEARNED_CATEGORIES,
  SOURCE_SETTINGS,
];

/** Restores presets, rule packs and settings of sources, unless Redis has a newer one of the same name. */
const settings = ofJson('settings', SETTINGS_PREFIX, async ({ redis }, copy, key) => {
  const setting = SETTINGS.find(({ kind }) => kind === settingsKindOf(key));
  return setting && restoreSetting(redis, setting, copy);
});

async function redo<Kind extends DeedKind>(
  services: Services,
  kind: Kind,
  stored: unknown,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const deed = DEEDS[kind].parse(stored) as Parameters<(typeof RESTORE_DEED)[Kind]>[1];
  return RESTORE_DEED[kind](services, deed, signal);
}

/** Does again what clients and operators had done. */
const deeds = ofJson('deeds', DEEDS_PREFIX, async (services, stored, key, signal) => {
  const kind = deedKindOf(key);
  return kind && redo(services, kind, stored, signal);
});

const jobIdOf = (key: string): string | undefined => {
  const owner = blobOwner(key);
  return owner?.kind === 'job' ? owner.id : undefined;
};

/** Restores accepted jobs that have not ended, from their stored inputs, and their places in the queue. */
export const jobs = ({
  blobs,
  jobs: records,
  queues,
}: Pick<Services, 'blobs' | 'jobs' | 'queues'>): Rebuilder => ({
  name: 'jobs',
  prefix: INPUT_PREFIX,
  // A background is restored with its job.
  manifestOf: (key) => (isBackground(key) ? undefined : key),
  recordOf(key) {
    const id = jobIdOf(key);
    return id === undefined ? undefined : jobKey(id);
  },
  async restore(key, signal): Promise<Outcome> {
    const id = jobIdOf(key);
    if (id === undefined) return 'unknown';
    const known = await records.get(id);
    if (known) {
      if (PENDING_STATUSES.includes(known.status)) await requeueJob(queues.async, known);
      return 'known';
    }
    const head = await blobs.head(key, signal);
    if (head?.meta.intent === undefined) return 'absent';
    const job = readJobManifest(head.meta.intent, id, key);
    if (!job) return 'unknown';
    if (!(await records.create(job))) return 'known';
    await enqueueJob(queues.async, job);
    return 'rebuilt';
  },
});

/** Restores batches and feed runs, with the stored results of their rows and the decisions about them. */
const batches = ({ blobs, batches: records, feeds, reviews, now }: Services): Rebuilder => {
  /** Makes a run the latest of its feed, if Redis has lost that it is. */
  async function listRun({ id, feedId, createdAt }: BatchManifest): Promise<void> {
    const feed = feedId === undefined ? undefined : await feeds.get(feedId);
    if (!feed || feed.runs.includes(id)) return;
    const latest = feed.lastRunId === undefined ? undefined : await records.get(feed.lastRunId);
    if (!latest || latest.createdAt < createdAt) await feeds.claimRun(feed, id);
  }

  return {
    name: 'batches',
    prefix: BATCHES_PREFIX,
    manifestOf: manifestKeyOf,
    recordOf(key) {
      const owner = blobOwner(key);
      return owner && batchKey(owner.id);
    },
    async restore(manifestKey, signal): Promise<Outcome> {
      const stored = await restoreStoredBatch(records, blobs, manifestKey, now(), signal);
      if (!stored) return 'absent';
      await listRun(stored.manifest);
      await restoreReview(reviews, blobs, stored.manifest, now());
      return stored.isRestored ? 'rebuilt' : 'known';
    },
  };
};

const RunManifest = z.object({ id: z.string(), feedId: z.string() });

async function listRunsByFeed(blobs: Blobs, signal: AbortSignal): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  for await (const { key } of blobs.list(BATCHES_PREFIX, signal)) {
    if (manifestKeyOf(key) !== key) continue;
    const run = RunManifest.safeParse(await getJson(blobs, key, signal)).data;
    if (run) runs.set(run.feedId, [...(runs.get(run.feedId) ?? []), run.id]);
  }
  return runs;
}

/** Restores feeds with their schedules. Their runs must have been restored before. */
function feeds({ blobs, feeds: records, batches, queues }: Services): Rebuilder {
  /** Ids of runs by feed; listed once, when the first feed is missing. */
  let listed: Promise<Map<string, string[]>> | undefined;

  /** Returns the existing runs of a feed, newest first. */
  async function runsOf(feedId: string, signal: AbortSignal): Promise<BatchRecord[]> {
    listed ??= listRunsByFeed(blobs, signal);
    const ids = (await listed).get(feedId) ?? [];
    const found = await Promise.all(ids.map((id) => batches.get(id)));
    return found
      .filter((run) => run !== undefined)
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  return {
    name: 'feeds',
    prefix: FEEDS_PREFIX,
    manifestOf: manifestKeyOf,
    recordOf(key) {
      const owner = blobOwner(key);
      return owner && feedKey(owner.id);
    },
    async restore(manifestKey, signal): Promise<Outcome> {
      const stored = await getJson(blobs, manifestKey, signal);
      if (stored === undefined) return 'absent';
      const manifest = FeedManifest.parse(stored);
      if (await records.get(manifest.id)) return 'known';
      const runs = await runsOf(manifest.id, signal);
      await records.create(manifest, Number.MAX_SAFE_INTEGER); // it was accepted before
      await records.update(manifest.id, {
        runs: runs.map(({ id }) => id),
        lastRunId: runs[0]?.id,
        lastCompletedRunId: runs.find(({ status }) => status === 'completed')?.id,
      });
      await putSchedule(queues.feed, manifest);
      for (const run of runs.filter(({ status }) => status === 'open'))
        await enqueueIngest(queues.feed, run);
      return 'rebuilt';
    },
  };
}

/** Returns what restores each kind of record, in the order in which they run: deeds before the jobs that they have canceled. Valid for one walk through storage. */
export const openRebuilders = (services: Services): Rebuilder[] =>
  [keys, deeds, jobs, batches, feeds, settings].map((open) => open(services));
