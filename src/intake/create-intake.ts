import type { Redis } from 'ioredis';
import { type ClientRetention, createClientRetention } from '../auth/client-retention.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { type JobQueue, openQueue } from '../queue/queue.ts';
import type { Blobs } from '../storage/blobs.ts';
import { type FileLinks, fileLinks } from '../storage/file-links.ts';
import { batchEraser } from './batches/batch-eraser.ts';
import { type BatchRetention, createBatchRetention } from './batches/batch-retention.ts';
import { type Batches, createBatches } from './batches/batches.ts';
import { type ClientIndex, createClientIndex } from './client-index.ts';
import { type Completions, createCompletions } from './completions.ts';
import { runManifests } from './feeds/feed-files.ts';
import { createFeeds, type Feeds } from './feeds/feeds.ts';
import { createFeedRuns, type FeedRuns } from './feeds/runs.ts';
import { Idempotency } from './idempotency.ts';
import { createJobRecords, type JobRecords } from './job-records.ts';
import { createJobRetention, type JobRetention } from './job-retention.ts';
import { createPresets, type Presets } from './presets.ts';
import { createQueueFigures, type QueueFigures } from './queue-figures.ts';
import { createReviewDecisions, type ReviewDecisions } from './review/decisions.ts';
import { createRulePacks, type RulePacks } from './rule-packs.ts';
import { createSealKey } from './seal.ts';
import { createSources, type Sources } from './sources/sources.ts';
import { createStoredBytes, type StoredBytes } from './stored-bytes.ts';
import { createWebhookEvents, type WebhookEvents } from './webhooks/events.ts';
import { createWebhookReceivers, type WebhookReceivers } from './webhooks/receivers.ts';

interface IntakeDeps {
  /** For commands. */
  redis: Redis;
  /** For completions of jobs; closed with the intake. */
  blocking: Redis;
  blobs: Blobs;
  now: Clock;
  log: Logger;
  /** Signs links to files, 32 bytes. */
  linkSecret: Uint8Array;
}

/** Jobs, batches, feeds and webhooks as a gateway accepts and reads them. */
export interface Intake {
  jobs: {
    records: JobRecords;
    index: ClientIndex;
    /** The queue `async`. */
    queue: JobQueue;
    retention: JobRetention;
    completions: Completions;
  };
  batches: {
    records: Batches;
    index: ClientIndex;
    retention: BatchRetention;
    /** What people decide about cut-outs. */
    reviews: ReviewDecisions;
  };
  feeds: {
    records: Feeds;
    /** The queue `feed`. */
    queue: JobQueue;
    runs: FeedRuns;
  };
  webhooks: {
    events: WebhookEvents;
    receivers: WebhookReceivers;
    /** The queue `webhook`. */
    queue: JobQueue;
  };
  sources: Sources;
  idempotency: Idempotency;
  /** Counts the bytes that clients store. */
  storedBytes: StoredBytes;
  links: FileLinks;
  /** The rule packs that clients have defined. */
  rulePacks: RulePacks;
  /** Named options of clients. */
  presets: Presets;
  /** Returns the retention policy of a client. */
  readClientLimits: ClientRetention['get'];
  figures: QueueFigures;
  close(): Promise<void>;
}

/** Builds a gateway's intake and opens its queues. */
export async function createIntake({
  redis,
  blocking,
  blobs,
  now,
  log,
  linkSecret,
}: IntakeDeps): Promise<Intake> {
  const records = createJobRecords(redis, now);
  const batches = createBatches(redis, now);
  const feeds = createFeeds(redis);
  const jobQueue = openQueue('async', redis, log);
  const webhookQueue = openQueue('webhook', redis, log);
  const feedQueue = openQueue('feed', redis, log);
  const figures = createQueueFigures(redis, log);
  const completions = await createCompletions(blocking);
  await createSealKey(redis);

  return {
    jobs: {
      records,
      index: createClientIndex(redis, 'jobs'),
      queue: jobQueue,
      retention: createJobRetention(records, blobs),
      completions,
    },
    batches: {
      records: batches,
      index: createClientIndex(redis, 'batches'),
      retention: createBatchRetention(batches, batchEraser(blobs)),
      reviews: createReviewDecisions(redis),
    },
    feeds: {
      records: feeds,
      queue: feedQueue,
      runs: createFeedRuns({ feeds, batches, queue: feedQueue, now, ...runManifests(blobs) }),
    },
    webhooks: {
      events: createWebhookEvents(redis),
      receivers: createWebhookReceivers(redis),
      queue: webhookQueue,
    },
    sources: createSources(redis, blobs, now),
    idempotency: new Idempotency(redis),
    storedBytes: createStoredBytes(redis, now),
    links: fileLinks(linkSecret),
    rulePacks: createRulePacks(redis, blobs, now),
    presets: createPresets(redis, blobs, now),
    readClientLimits: createClientRetention(redis).get,
    figures,
    async close() {
      await jobQueue.close();
      await Promise.all([webhookQueue.close(), feedQueue.close(), figures.close()]);
      completions.close();
    },
  };
}
