import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import {
  type DeclaredSource,
  readDeclaredSources,
} from '../src/intake/sources/declared-sources.ts';
import { type ImageLimits, MAX_SIDE_PIXELS } from '../src/intake/validate-image.ts';
import type { Config } from '../src/platform/config.ts';
import type { WorkerMetrics } from '../src/platform/metrics/worker.ts';
import type { Platform } from '../src/platform/open-platform.ts';
import { blockingConnection } from '../src/platform/redis.ts';
import type { Services } from '../src/services.ts';
import { createFetchPools, type FetchPools } from './fetch/fetch-pool.ts';
import { createSafeFetch, type SafeFetch } from './fetch/safe-fetch.ts';
import { Quarantine } from './images/run-engine.ts';
import type { Engine } from './inference/pool.ts';

/** What only a worker has: the engine, and what takes jobs and fetches. */
export interface WorkerServices extends Services {
  /** Of this worker. */
  id: string;
  engine: Engine;
  metrics: WorkerMetrics;
  quarantine: Quarantine;
  safeFetch: SafeFetch;
  pools: FetchPools;
  limits: ImageLimits;
  /** Of an image. */
  maxBytes: number;
  /** Images this worker processes at once. */
  slots: number;
  /** Images that all live workers process at once. */
  allSlots(): Promise<number>;
  /** The sources that the operator has declared. */
  declared: readonly DeclaredSource[];
  /** How long a published picture outlasts its row. */
  graceDays: number;
  /** Whether the photos of rows that need a review are kept until their results expire. */
  keepsPhotos: boolean;
  /** A run that would lose a larger share of rows or pictures is held. */
  maxLossPercent: number;
  /** Opens a connection that waits for Redis to come back. */
  connect(): Redis;
}

/** Opens what a worker has besides the services, and closes with them. */
export function openWorker(
  config: Config,
  { version }: Pick<Platform, 'version'>,
  services: Services,
  engine: Engine,
  metrics: WorkerMetrics,
): WorkerServices {
  const { redis, log, workers } = services;
  const slots = config.WORKER_CONCURRENCY * engine.batch;
  const safeFetch = createSafeFetch({
    allow: config.FETCH_ALLOW,
    ports: config.FETCH_PORTS,
    allowDowngrade: config.FETCH_DOWNGRADE,
    userAgent: `Selvage/${version}`,
    onError(reason, host) {
      metrics.fetchError(reason);
      if (reason === 'private-address') log.warn({ host }, 'link to a private address');
    },
  });
  const pools = createFetchPools(slots);
  metrics.fetchPools(pools);
  return {
    ...services,
    ...{ engine, metrics, safeFetch, pools, slots },
    connect: () => blockingConnection(config, log),
    id: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    quarantine: new Quarantine(redis),
    limits: { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS },
    maxBytes: config.MAX_IMAGE_BYTES,
    allSlots: async () => (await workers.live()).reduce((sum, worker) => sum + worker.slots, 0),
    declared: readDeclaredSources(config),
    graceDays: config.FEED_GRACE_DAYS,
    keepsPhotos: config.REVIEW_PHOTOS === 'keep',
    maxLossPercent: config.FEED_MAX_LOSS_PERCENT,
    async close() {
      await engine.close();
      await safeFetch.close();
      await services.close();
    },
  };
}
