import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { modelVersionOf } from '../models/catalog.ts';
import { readDeclaredSources } from '../src/intake/sources/declared-sources.ts';
import { MAX_SIDE_PIXELS } from '../src/intake/validate-image.ts';
import type { Config } from '../src/platform/config.ts';
import type { WorkerMetrics } from '../src/platform/metrics/worker.ts';
import type { Platform } from '../src/platform/open-platform.ts';
import { blockingConnection } from '../src/platform/redis.ts';
import type { Services } from '../src/services.ts';
import { createFetchPools } from './fetch/fetch-pool.ts';
import { SafeFetch } from './fetch/safe-fetch.ts';
import { Quarantine } from './images/run-engine.ts';
import type { Engine } from './inference/pool.ts';

/** Opens what only a worker has: the engine, and what takes jobs and fetches. It closes with the services. */
export function openWorker(
  config: Config,
  { version }: Pick<Platform, 'version'>,
  services: Services,
  engine: Engine,
  metrics: WorkerMetrics,
) {
  const { redis, log, workers } = services;
  const slots = config.WORKER_CONCURRENCY * engine.batch;
  const safeFetch = new SafeFetch({
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
    engine,
    metrics,
    safeFetch,
    pools,
    /** Of this worker. */
    id: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    quarantine: new Quarantine(redis),
    limits: { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS },
    /** Of an image. */
    maxBytes: config.MAX_IMAGE_BYTES,
    /** What names the weights in results, `id@version`. */
    versions: { model: modelVersionOf(engine.model), parser: modelVersionOf(engine.parser) },
    /** Images this worker processes at once. */
    slots,
    /** Images that all live workers process at once. */
    allSlots: async () => (await workers.live()).reduce((sum, worker) => sum + worker.slots, 0),
    /** The sources that the operator has declared. */
    declared: readDeclaredSources(config),
    /** How long a published picture outlasts its row. */
    graceDays: config.FEED_GRACE_DAYS,
    /** Whether the photos of rows that need a review are kept until their results expire. */
    keepsPhotos: config.REVIEW_PHOTOS === 'keep',
    /** A run that would lose a larger share of rows or pictures is held. */
    maxLossPercent: config.FEED_MAX_LOSS_PERCENT,
    /** Opens a connection that waits for Redis to come back. */
    connect: () => blockingConnection(config, log),
    async close(): Promise<void> {
      await engine.close();
      await safeFetch.close();
      await services.close();
    },
  };
}

/** What a worker has: the services, the engine, and what fetches. */
export type WorkerServices = ReturnType<typeof openWorker>;
