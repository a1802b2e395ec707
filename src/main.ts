import manifest from '../package.json' with { type: 'json' };
import { createKeys, type KeyRecord } from './access/keys.ts';
import { createClientRetention } from './access/retention.ts';
import { SCOPES } from './access/scopes.ts';
import { createSessions, SESSION_SECONDS } from './access/sessions.ts';
import { serveBoard } from './api/board.ts';
import { routeTable } from './api/routes.ts';
import { ConfigError, isTraced, readConfig } from './config.ts';
import { serveConsole } from './console/serve.ts';
import type { Grant } from './http/auth.ts';
import { serveDocs } from './http/docs.ts';
import { createLimits } from './http/limits.ts';
import { createServer } from './http/server.ts';
import { SUNSETS } from './http/sunset.ts';
import { sniffFormat } from './image/sniff.ts';
import { createAdmission } from './jobs/admission.ts';
import { createBatches } from './jobs/batches/batches.ts';
import { createBatchIndex } from './jobs/batches/client-index.ts';
import { createBatchKeeping } from './jobs/batches/keeping.ts';
import { followClock } from './jobs/clock.ts';
import { createEndings } from './jobs/endings.ts';
import { checkEpoch } from './jobs/epoch.ts';
import { createFeeds } from './jobs/feeds/feeds.ts';
import { createFeedRuns } from './jobs/feeds/runs.ts';
import { createQueueFigures, readBatchFigures, readRedisMemory } from './jobs/figures.ts';
import { createIdempotency } from './jobs/idempotency.ts';
import { createKeeping } from './jobs/keeping.ts';
import { openQueue } from './jobs/queue.ts';
import { createRecords } from './jobs/records.ts';
import { blockingConnection, checkRedis, commandConnection, untilReady } from './jobs/redis.ts';
import { createJobRunner } from './jobs/results.ts';
import { createWebhookEvents } from './jobs/webhooks/events.ts';
import { createWebhookReceivers } from './jobs/webhooks/receivers.ts';
import { OUTBOX } from './jobs/webhooks/webhooks.ts';
import { createWorkerRegister } from './jobs/workers.ts';
import { createLog } from './log.ts';
import {
  createStoreMetrics,
  watchBatches,
  watchDependencies,
  watchDisk,
  watchQueues,
  watchRedisMemory,
} from './metrics/watch.ts';
import { createGatewayMetrics, createRegistry } from './metrics.ts';
import { readSecrets, secretFor } from './secrets.ts';
import { batchBin } from './store/batch-bin.ts';
import { runIntents } from './store/feed-store.ts';
import { fileLinks } from './store/file-links.ts';
import { MAX_SIDE_PIXELS } from './store/inbox.ts';
import { openStore } from './store/open-store.ts';
import { diskSpace, watchBlobs } from './store/watched-blobs.ts';
import { startTracing } from './tracing.ts';

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
  const blobs = watchBlobs(await openStore(config), createStoreMetrics(registry));
  await checkEpoch(redis, blobs, log);
  const keyPepper = config.KEY_PEPPER ?? readSecrets(config.SELVAGE_HOME).keyPepper;
  const keys = createKeys(redis, keyPepper);
  const sessions = createSessions(redis, keys);
  const developmentKey = config.SELVAGE_DEV_KEY;
  if (developmentKey) await keys.adopt(developmentKey, DEVELOPMENT_GRANT);

  const runner = await createJobRunner(
    'sync',
    redis,
    blockingConnection(config.REDIS_URL, log),
    log,
  );
  const register = createWorkerRegister(redis);
  const admission = createAdmission(runner, register, deadlineMillis, log);
  await admission.sample();

  const records = createRecords(redis);
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
  const endings = await createEndings(blockingConnection(config.REDIS_URL, log));
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
      keeping: createKeeping(records, blobs),
      idempotency,
      links,
      webhooks,
    },
    batches: {
      ...{ batches, blobs, limits, policyOf, maxImageBytes: config.MAX_IMAGE_BYTES },
      index: createBatchIndex(redis),
      keeping: createBatchKeeping(batches, batchBin(blobs)),
      receivers: webhooks.receivers,
    },
    feeds: {
      ...{ redis, blobs, feeds, batches, idempotency, links, policyOf, queue: feedQueue },
      runs: createFeedRuns({ feeds, batches, queue: feedQueue, ...runIntents(blobs) }),
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
  serveBoard(app, { lookUp, queues: figures.queues });
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
