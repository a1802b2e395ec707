import manifest from '../package.json' with { type: 'json' };
import { serveDocs } from './api/operations/docs.ts';
import { serveQueueDashboard } from './api/operations/queue-dashboard.ts';
import { routeTable } from './api/routes.ts';
import { createClientRetention } from './auth/client-retention.ts';
import { createKeys, type KeyRecord } from './auth/keys.ts';
import { SCOPES } from './auth/scopes.ts';
import { createSessions, SESSION_SECONDS } from './auth/sessions.ts';
import { serveConsole } from './console/serve.ts';
import type { Grant } from './http/auth.ts';
import { createLimits } from './http/limits.ts';
import { createServer } from './http/server.ts';
import { SUNSETS } from './http/sunset.ts';
import { sniffFormat } from './imaging/sniff.ts';
import { batchEraser } from './intake/batches/batch-eraser.ts';
import { createBatchRetention } from './intake/batches/batch-retention.ts';
import { createBatches } from './intake/batches/batches.ts';
import { createBatchIndex } from './intake/batches/client-index.ts';
import { createCompletions } from './intake/completions.ts';
import { runManifests } from './intake/feeds/feed-files.ts';
import { createFeeds } from './intake/feeds/feeds.ts';
import { createFeedRuns } from './intake/feeds/runs.ts';
import { createIdempotency } from './intake/idempotency.ts';
import { checkInstallationId } from './intake/installation-id.ts';
import { createJobRecords } from './intake/job-records.ts';
import { createJobRetention } from './intake/job-retention.ts';
import { createQueueFigures, readBatchFigures, readRedisMemory } from './intake/queue-figures.ts';
import { MAX_SIDE_PIXELS } from './intake/validate-image.ts';
import { createWebhookEvents } from './intake/webhooks/events.ts';
import { OUTBOX } from './intake/webhooks/outbox.ts';
import { createWebhookReceivers } from './intake/webhooks/receivers.ts';
import { followClock } from './platform/clock.ts';
import { ConfigError, isTraced, readConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import { createGatewayMetrics, createRegistry } from './platform/metrics/process-metrics.ts';
import {
  createStoreMetrics,
  watchBatches,
  watchDependencies,
  watchDisk,
  watchQueues,
  watchRedisMemory,
} from './platform/metrics/system-gauges.ts';
import { blockingConnection, checkRedis, commandConnection, untilReady } from './platform/redis.ts';
import { readSecrets, secretFor } from './platform/secrets.ts';
import { startTracing } from './platform/tracing.ts';
import { createAdmission } from './queue/admission.ts';
import { createJobWaiter } from './queue/job-waiter.ts';
import { openQueue } from './queue/queue.ts';
import { createWorkerRegistry } from './queue/worker-registry.ts';
import { fileLinks } from './storage/file-links.ts';
import { diskSpace, instrumentBlobs } from './storage/instrumented-blobs.ts';
import { openStorage } from './storage/open-storage.ts';

const START_MILLIS = 30_000;

const toGrant = ({ id, ...record }: KeyRecord): Grant => ({ keyId: id, ...record });

/** Builds every part of the gateway once, serves, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog('gateway', config.LOG_LEVEL);
  const deadlineMillis = config.SYNC_TIMEOUT_SECONDS * 1000;
  const { version } = manifest;
  const stopTracing = await startTracing({ process: 'gateway', version, isOn: isTraced(config) });
  const registry = createRegistry(version);

  const redis = commandConnection(config.REDIS_URL, log);
  await untilReady(redis, AbortSignal.timeout(START_MILLIS));
  await checkRedis(redis, log);
  const now = await followClock(redis, log);
  const blobs = instrumentBlobs(await openStorage(config), createStoreMetrics(registry));
  await checkInstallationId(redis, blobs, log);
  const keyPepper = config.KEY_PEPPER ?? readSecrets(config.SELVAGE_HOME).keyPepper;
  const keys = createKeys(redis, keyPepper);
  const sessions = createSessions(redis, keys);
  const developmentKey = config.SELVAGE_DEV_KEY;
  if (developmentKey) await keys.adopt(developmentKey, DEVELOPMENT_GRANT);

  const runner = await createJobWaiter(
    'sync',
    redis,
    blockingConnection(config.REDIS_URL, log),
    log,
  );
  const register = createWorkerRegistry(redis);
  const admission = createAdmission(runner, register, deadlineMillis, log);
  await admission.sample();

  const records = createJobRecords(redis);
  const queue = openQueue('async', redis, log);
  const batches = createBatches(redis, OUTBOX);
  const webhooks = {
    events: createWebhookEvents(redis),
    receivers: createWebhookReceivers(redis),
    queue: openQueue('webhook', redis, log),
  };
  const policyOf = createClientRetention(redis).of;
  const feeds = createFeeds(redis);
  const feedQueue = openQueue('feed', redis, log);
  const idempotency = createIdempotency(redis);
  const links = fileLinks(secretFor('file-links', keyPepper));
  const endings = await createCompletions(blockingConnection(config.REDIS_URL, log));
  const limits = { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS };

  const metrics = createGatewayMetrics(registry, deadlineMillis, () => ({
    waitMillis: admission.waitMillis(),
    depth: admission.load().depth,
    slots: admission.load().workers.reduce((slots, worker) => slots + worker.slots, 0),
    workers: admission.load().workers.length,
  }));
  const figures = createQueueFigures(redis, log);
  watchQueues(registry, figures.read);
  watchBatches(registry, () => readBatchFigures(batches));
  watchRedisMemory(registry, () => readRedisMemory(redis));
  if (config.STORE === 'fs') watchDisk(registry, () => diskSpace(config.STORE_DIR));
  watchDependencies(registry, {
    redis: async () => void (await redis.ping()),
    store: () => blobs.check(),
  });

  const routes = routeTable({
    maxImageBytes: config.MAX_IMAGE_BYTES,
    signingKeys: config.LOOK_SIGNING_KEYS ?? readSecrets(config.SELVAGE_HOME).lookSigningKeys,
    images: {
      blobs,
      runner,
      admission,
      deadlineMillis,
      limits,
      now,
    },
    intake: {
      ...{ blobs, records, queue, redis, limits, endings, policyOf, now },
      keeping: createJobRetention(records, blobs),
      idempotency,
      links,
      webhooks,
    },
    batches: {
      ...{ batches, blobs, limits, policyOf, maxImageBytes: config.MAX_IMAGE_BYTES },
      index: createBatchIndex(redis),
      keeping: createBatchRetention(batches, batchEraser(blobs)),
      receivers: webhooks.receivers,
    },
    feeds: {
      ...{ redis, blobs, feeds, batches, idempotency, links, policyOf, queue: feedQueue },
      runs: createFeedRuns({ feeds, batches, queue: feedQueue, ...runManifests(blobs) }),
      receivers: webhooks.receivers,
      publicUrl: config.PUBLIC_URL,
    },
    console: {
      signIn: async (key) => {
        const record = await keys.lookUp(key, developmentKey);
        return record && { ...record, sessionId: await sessions.open(key, record) };
      },
      holderOf: sessions.keyOf,
      signOut: sessions.end,
      sessionSeconds: SESSION_SECONDS,
      isSecure: config.PUBLIC_URL?.startsWith('https:') ?? false,
    },
    checks: {
      redis: async () => void (await redis.ping()),
      store: () => blobs.check(),
      // Sampled anew, so that what is called ready is also let in.
      worker: async () => {
        await admission.sample();
        if (admission.load().workers.length === 0) throw new Error('no live worker');
      },
    },
    metrics: registry,
  });
  const lookUp = async (key: string): Promise<Grant | undefined> => {
    const record = await keys.lookUp(key, developmentKey);
    return record && toGrant(record);
  };
  const { app, drain } = createServer({
    routes,
    lookUp,
    lookUpSession: async (id) => {
      const record = await sessions.keyOf(id);
      return record && toGrant(record);
    },
    limits: createLimits(redis),
    sunsets: SUNSETS,
    log,
    maxImageBytes: config.MAX_IMAGE_BYTES,
    sniff: sniffFormat,
    problemBase: config.PROBLEM_BASE,
    requestMillis: config.REQUEST_TIMEOUT_SECONDS * 1000,
    maxConnections: config.MAX_CONNECTIONS,
    observe: metrics.observe,
  });
  serveDocs(app, routes, manifest.version);
  serveQueueDashboard(app, { lookUp, queues: figures.queues });
  serveConsole(app);
  const url = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ url, version: manifest.version, store: config.STORE }, 'gateway ready');

  let stopping = false;
  async function stop(signalName: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ signalName, underWay: runner.waiting() }, 'gateway drains');
    drain();
    // Whoever still waits is answered within the deadline; past it nothing is worth waiting for.
    setTimeout(() => process.exit(1), deadlineMillis + 5000).unref();
    await app.close();
    admission.close();
    await runner.close();
    await queue.close();
    await Promise.all([webhooks.queue.close(), feedQueue.close(), figures.close()]);
    endings.close();
    redis.disconnect();
    blobs.close();
    await stopTracing();
    log.info('gateway stopped');
    process.exit(0); // an exporter of traces that finds nobody would go on trying
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void stop(name));
}

/** What the development key may do: everything, faster than anyone types. */
const DEVELOPMENT_GRANT = {
  client: 'development',
  scopes: [...SCOPES],
  allowBase64: true,
  rate: { count: 6000, periodSeconds: 60 },
  quotaPerDay: 1_000_000,
};

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
