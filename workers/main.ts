import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { createBatches } from '../src/intake/batches/batches.ts';
import { feedFiles } from '../src/intake/feeds/feed-files.ts';
import { expireRun, finishRun } from '../src/intake/feeds/feed-retention.ts';
import { createFeeds } from '../src/intake/feeds/feeds.ts';
import { checkInstallationId } from '../src/intake/installation-id.ts';
import { createJobRecords } from '../src/intake/job-records.ts';
import { createJobRetention } from '../src/intake/job-retention.ts';
import { MAX_SIDE_PIXELS } from '../src/intake/validate-image.ts';
import { OUTBOX } from '../src/intake/webhooks/outbox.ts';
import { followClock } from '../src/platform/clock.ts';
import { ConfigError, isTraced, readConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { createRegistry, createWorkerMetrics } from '../src/platform/metrics/process-metrics.ts';
import {
  createStoreMetrics,
  watchDependencies,
  watchDisk,
} from '../src/platform/metrics/system-gauges.ts';
import {
  blockingConnection,
  checkRedis,
  commandConnection,
  untilReady,
} from '../src/platform/redis.ts';
import { startTracing } from '../src/platform/tracing.ts';
import { onCanceled } from '../src/queue/cancel.ts';
import { createQuarantine } from '../src/queue/quarantine.ts';
import { enqueueJob, openQueue, retryFailed } from '../src/queue/queue.ts';
import { createWorkerRegistry } from '../src/queue/worker-registry.ts';
import { diskSpace, instrumentBlobs } from '../src/storage/instrumented-blobs.ts';
import { openStorage } from '../src/storage/open-storage.ts';
import type { JobFact } from './attempt.ts';
import { startBatches } from './batches/start.ts';
import { startFeeds } from './feeds/start.ts';
import { createSafeFetch } from './fetch/safe-fetch.ts';
import { serveHealth } from './health.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startEngine } from './inference/pool.ts';
import { startJobs } from './start-jobs.ts';
import { startSweeper } from './sweeper.ts';
import { startWebhooks } from './webhooks/start.ts';

const START_MILLIS = 30_000;
const DRAIN_MILLIS = 30_000;
/** Rows beyond the engine's slots whose images are on their way. */
const ROWS_FETCHED = 6;

/** Loads the model, takes jobs, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog('worker', config.LOG_LEVEL);
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const { version } = manifest;
  const stopTracing = await startTracing({ process: 'worker', version, isOn: isTraced(config) });
  const registry = createRegistry(version);
  const metrics = createWorkerMetrics(registry);

  const redis = commandConnection(config.REDIS_URL, log);
  await untilReady(redis, AbortSignal.timeout(START_MILLIS));
  await checkRedis(redis, log);
  const now = await followClock(redis, log);
  const blobs = instrumentBlobs(await openStorage(config), createStoreMetrics(registry));
  await checkInstallationId(redis, blobs, log);
  const engine = await startEngine({
    model: config.MODEL,
    device: config.DEVICE,
    slots: config.WORKER_CONCURRENCY,
    batch: config.WORKER_BATCH,
    maxPixels: config.MAX_IMAGE_PIXELS,
    modelsHome: join(config.SELVAGE_HOME, 'models'),
    observe: metrics.picture,
  });
  const model = `${engine.model.id}@${engine.model.version}`;
  const slots = config.WORKER_CONCURRENCY * engine.batch;
  log.info({ model, device: engine.device, slots, batch: engine.batch }, 'engine ready');
  metrics.engine(engine, () => engine.pids().length);
  if (config.STORE === 'fs') watchDisk(registry, () => diskSpace(config.STORE_DIR));
  watchDependencies(registry, {
    redis: async () => void (await redis.ping()),
    store: () => blobs.check(),
  });

  const register = createWorkerRegistry(redis);
  const beat = await startHeartbeat(register, { id, slots, model, device: engine.device }, log);
  function done(fact: JobFact): void {
    metrics.job(fact);
    if (fact.steps.engine) beat.worked(fact.steps.engine);
    log[fact.outcome === 'failed' ? 'error' : 'info'](fact, 'job');
  }

  const connect = () => blockingConnection(config.REDIS_URL, log);
  const records = createJobRecords(redis);
  const batches = createBatches(redis, OUTBOX);
  const feeds = createFeeds(redis);
  const safeFetch = createSafeFetch({
    allow: config.FETCH_ALLOW,
    userAgent: `Selvage/${manifest.version}`,
  });
  const parts = {
    ...{ redis, blobs, engine, records, batches, feeds, safeFetch, log, done, now },
    crashes: createQuarantine(redis),
    keeping: createJobRetention(records, blobs),
    limits: { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS },
    maxBytes: config.MAX_IMAGE_BYTES,
  };
  const jobs = startJobs({ ...parts, connect, slots });
  const feedParts = { feeds, batches, store: feedFiles(blobs) };
  const feedJobs = startFeeds({ ...parts, blocking: connect() });
  const rows = startBatches({
    ...parts,
    blocking: connect(),
    concurrency: slots + ROWS_FETCHED,
    slots: async () => (await register.live()).reduce((all, worker) => all + worker.slots, 0),
    finishRun: (run) => finishRun(feedParts, run),
    expireRun: (run) => expireRun(feedParts, run),
    readRun: feedJobs.readRun,
  });
  const webhooks = startWebhooks({ ...parts, blocking: connect() });
  const canceled = connect();
  await onCanceled(canceled, (jobId) => {
    for (const taker of [jobs, rows, feedJobs]) taker.cancel(jobId);
  });

  const queue = openQueue('async', redis, log);
  const stopSweeper = startSweeper({
    ...parts,
    enqueue: async (job) => retryFailed(await enqueueJob(queue, job)),
    swept: metrics.swept,
    sweepBatches: rows.sweep,
  });
  let stopping = false;
  const health = serveHealth(registry, () => !stopping && redis.status === 'ready');
  health.on('error', (error) => log.warn({ reason: error.message }, 'health port not served'));
  health.listen(config.WORKER_PORT, config.WORKER_HOST);
  log.info({ id, slots }, 'worker ready');

  async function stop(signalName: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ signalName }, 'worker drains');
    // A job cut off here is taken over by another worker when its lock runs out.
    setTimeout(() => process.exit(1), DRAIN_MILLIS).unref();
    stopSweeper();
    await beat.stop();
    await Promise.all([jobs, rows, feedJobs, webhooks].map((taker) => taker.close()));
    await safeFetch.close();
    await queue.close();
    await engine.close();
    canceled.disconnect();
    redis.disconnect();
    blobs.close();
    health.close();
    await stopTracing();
    log.info('worker stopped');
    process.exit(0);
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void stop(name));
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
