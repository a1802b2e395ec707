import { ClientRetention } from './auth/client-retention.ts';
import { BatchRetention } from './intake/batches/batch-retention.ts';
import { Batches } from './intake/batches/batches.ts';
import { ClientIndex } from './intake/client-index.ts';
import { Feeds } from './intake/feeds/feeds.ts';
import { FeedRuns } from './intake/feeds/runs.ts';
import { Idempotency } from './intake/idempotency.ts';
import { openInstallationStorage } from './intake/installation.ts';
import { JobRecords } from './intake/job-records.ts';
import { JobRetention } from './intake/job-retention.ts';
import { LearnedCategories } from './intake/learned-categories.ts';
import { NamedSettings, PRESETS, RULE_PACKS } from './intake/named-settings.ts';
import { ReviewDecisions } from './intake/review/decisions.ts';
import { Sources } from './intake/sources/sources.ts';
import { StoredBytes } from './intake/stored-bytes.ts';
import { WebhookEvents } from './intake/webhooks/events.ts';
import { WebhookReceivers } from './intake/webhooks/receivers.ts';
import type { Config } from './platform/config.ts';
import type { Platform } from './platform/open-platform.ts';
import { checkTurns } from './queue/bullmq-internals.ts';
import { openQueues } from './queue/queue.ts';
import { WorkerRegistry } from './queue/worker-registry.ts';
import type { Blobs } from './storage/blobs.ts';

/** What an installation consists of, for gateway, worker and recovery alike. A part takes what it uses: `Pick<Services, …>`. */
export type Services = ReturnType<typeof composeServices>;

/**
 * Opens the object storage and everything that is built on it and on Redis. Waits up to 30 s for a bucket that is
 * unavailable; rejects if it stays so.
 */
export async function openServices(config: Config, platform: Platform): Promise<Services> {
  const services = composeServices(platform, await openInstallationStorage(config, platform));
  await checkTurns(services.queues.sync, platform.redis);
  return services;
}

export function composeServices(
  { redis, log, now }: Pick<Platform, 'redis' | 'log' | 'now'>,
  blobs: Blobs,
) {
  const queues = openQueues(redis, log);
  const jobs = new JobRecords(redis, now);
  const batches = new Batches(redis, now);
  const feeds = new Feeds(redis);
  return {
    ...{ redis, now, log, blobs, queues, jobs, batches, feeds },
    workers: new WorkerRegistry(redis),
    jobIndex: new ClientIndex(redis, 'jobs'),
    jobRetention: new JobRetention(jobs, blobs),
    batchIndex: new ClientIndex(redis, 'batches'),
    batchRetention: new BatchRetention(batches, blobs),
    reviews: new ReviewDecisions(redis),
    runs: new FeedRuns({ feeds, batches, blobs, queue: queues.feed, now }),
    sources: new Sources(redis, blobs, now),
    events: new WebhookEvents(redis),
    receivers: new WebhookReceivers(redis),
    idempotency: new Idempotency(redis),
    storedBytes: new StoredBytes(redis, now),
    rulePacks: new NamedSettings(redis, blobs, RULE_PACKS, now),
    presets: new NamedSettings(redis, blobs, PRESETS, now),
    learnedCategories: new LearnedCategories(redis, blobs, now),
    readClientLimits: new ClientRetention(redis).get,
    /** Closes the queues, Redis and storage. */
    async close(): Promise<void> {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.disconnect();
      blobs.close();
    },
  };
}
