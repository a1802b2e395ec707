import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import manifest from '../package.json' with { type: 'json' };
import { batchEraser } from '../src/intake/batches/batch-eraser.ts';
import { createBatchRetention } from '../src/intake/batches/batch-retention.ts';
import { createBatches } from '../src/intake/batches/batches.ts';
import { createFeeds } from '../src/intake/feeds/feeds.ts';
import { openInstallationStorage } from '../src/intake/installation-storage.ts';
import { createJobRecords, type JobRecords } from '../src/intake/job-records.ts';
import { createJobRetention, type JobRetention } from '../src/intake/job-retention.ts';
import { readDeclaredSources } from '../src/intake/sources/declared-sources.ts';
import { createSources } from '../src/intake/sources/sources.ts';
import { createStoredBytes } from '../src/intake/stored-bytes.ts';
import { MAX_SIDE_PIXELS } from '../src/intake/validate-image.ts';
import type { Config } from '../src/platform/config.ts';
import type { Logger } from '../src/platform/log.ts';
import type { WorkerMetrics } from '../src/platform/metrics/worker.ts';
import type { Platform } from '../src/platform/open-platform.ts';
import { blockingConnection } from '../src/platform/redis.ts';
import { stopOnSignal } from '../src/platform/shutdown.ts';
import { onCanceled } from '../src/queue/cancel.ts';
import { createQuarantine } from '../src/queue/quarantine.ts';
import { openQueue, requeueJob } from '../src/queue/queue.ts';
import { createWorkerRegistry, type WorkerRegistry } from '../src/queue/worker-registry.ts';
import type { Blobs } from '../src/storage/blobs.ts';
import type { JobReport } from './attempt.ts';
import { startBatches } from './batches/start.ts';
import { createConsume } from './consume-jobs.ts';
import { startFeeds } from './feeds/start.ts';
import { createFetchPools } from './fetch/fetch-pools.ts';
import { createSafeFetch } from './fetch/safe-fetch.ts';
import { serveHealth } from './health.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Engine } from './inference/pool.ts';
import { AutomaticRecovery } from './recover/automatic.ts';
import { openRebuilders } from './recover/rebuilders.ts';
import { openSources, startSources } from './sources/start.ts';
import { startJobs } from './start-jobs.ts';
import { startSweeper } from './sweeper.ts';
import { startWebhooks } from './webhooks/start.ts';

const { version } = manifest;

/** After this a job in progress is cut off; another worker takes it over when its lock expires. */
const DRAIN_MILLIS = 30_000;

/** What a worker starts with. */
interface WorkerDeps {
  config: Config;
  platform: Platform;
  metrics: WorkerMetrics;
  engine: Engine;
}

/** Takes jobs, and drains on SIGTERM or SIGINT. */
export async function startWorker({
  config,
  platform,
  metrics,
  engine,
}: WorkerDeps): Promise<void> {
  const { log, registry, redis, now } = platform;
  const blobs = await openInstallationStorage({ settings: config, redis, registry, log });
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const describe = () => describeWorker(config, engine);
  const { model, device, slots } = describe();
  log.info({ model, device, slots, batch: engine.batch }, 'engine ready');
  if (engine.fallback) log.warn({ device, reason: engine.fallback }, 'the GPU is not used');

  const workers = createWorkerRegistry(redis);
  const heartbeat = await startHeartbeat(workers, id, describe, log);
  const report = createReporter(metrics, log);
  const records = createJobRecords(redis, now);
  const retention = createJobRetention(records, blobs);
  const jobs = { records, retention };
  const consumers = await startConsumers({
    config,
    platform,
    blobs,
    engine,
    jobs,
    slots,
    allSlots: () => totalSlots(workers),
    metrics,
    report,
  });
  const { sweepBatches } = consumers;
  const sweeper = startSweeps({ platform, blobs, jobs, sweepBatches, metrics });
  let isDraining = false;
  const health = serveHealth(registry, () => !isDraining && redis.status === 'ready');
  health.on('error', (error) => log.warn({ reason: error.message }, 'health port not served'));
  health.listen(config.WORKER_PORT, config.WORKER_HOST);
  log.info({ id, slots }, 'worker ready');

  stopOnSignal(async (signalName) => {
    isDraining = true;
    log.info({ signalName }, 'worker drains');
    sweeper.stop();
    await heartbeat.stop();
    await consumers.close();
    await sweeper.close();
    await engine.close();
    consumers.disconnect();
    redis.disconnect();
    blobs.close();
    health.close();
    await platform.stopTracing();
    log.info('worker stopped');
  }, DRAIN_MILLIS);
}

/** Describes this worker for the registry, without its id. */
const describeWorker = (config: Config, { model, device, batch, serviceTime }: Engine) => ({
  slots: config.WORKER_CONCURRENCY * batch,
  model: `${model.id}@${model.version}`,
  device,
  serviceTime: serviceTime(),
});

/** Of the outcomes of jobs; `info` for all others. Postponed jobs come back, maybe often. */
const LOG_LEVELS: Partial<Record<JobReport['outcome'], 'error' | 'debug'>> = {
  failed: 'error',
  postponed: 'debug',
};

/** Returns a function that logs an attempt at a job and adds it to the metrics. */
const createReporter =
  (metrics: WorkerMetrics, log: Logger) =>
  (job: JobReport): void => {
    metrics.job(job);
    log[LOG_LEVELS[job.outcome] ?? 'info'](job, 'job');
  };

/** Creates what reads and fetches the images of jobs. */
function createInputs(config: Config, blobs: Blobs, metrics: WorkerMetrics, log: Logger) {
  const safeFetch = createSafeFetch({
    allow: config.FETCH_ALLOW,
    userAgent: `Selvage/${version}`,
    onError(reason, host) {
      metrics.fetchError(reason);
      if (reason === 'private-address') log.warn({ host }, 'link to a private address');
    },
  });
  const limits = { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS };
  return { blobs, safeFetch, limits, maxBytes: config.MAX_IMAGE_BYTES };
}

/** The sum of the slots of all live workers. */
const totalSlots = async (workers: WorkerRegistry): Promise<number> =>
  (await workers.live()).reduce((sum, { slots }) => sum + slots, 0);

/** The accepted jobs. */
interface Jobs {
  records: JobRecords;
  retention: JobRetention;
}

interface ConsumerSources {
  config: Config;
  platform: Pick<Platform, 'log' | 'redis' | 'now'>;
  blobs: Blobs;
  engine: Engine;
  jobs: Jobs;
  /** Images this worker processes at once. */
  slots: number;
  /** Images that all live workers process at once. */
  allSlots(): Promise<number>;
  metrics: WorkerMetrics;
  report(job: JobReport): void;
}

/** Starts everything that takes jobs from queues. */
async function startConsumers(sources: ConsumerSources) {
  const { config, blobs, engine, slots, allSlots, metrics, report } = sources;
  const { records, retention } = sources.jobs;
  const { log, redis, now } = sources.platform;
  const connect = () => blockingConnection(config, log);
  const consume = createConsume({ connect, log, report, now });
  const images = { blobs, engine, quarantine: createQuarantine(redis) };
  const inputs = createInputs(config, blobs, metrics, log);
  const { safeFetch } = inputs;
  const pools = createFetchPools(slots);
  metrics.fetchPools(pools);
  const batches = createBatches(redis, now);
  const feeds = createFeeds(redis);

  const storedBytes = createStoredBytes(redis, now);
  const jobs = startJobs({
    consume,
    images,
    inputs,
    pools,
    storedBytes,
    records,
    retention,
    slots,
    log,
    now,
  });
  const imports = startFeeds({
    consume,
    redis,
    blobs,
    feeds,
    batches,
    safeFetch,
    storedBytes,
    pools,
    log,
    now,
    graceDays: config.FEED_GRACE_DAYS,
    maxLossPercent: config.FEED_MAX_LOSS_PERCENT,
  });
  const opened = openSources(readDeclaredSources(config));
  const rows = startBatches({
    consume,
    redis,
    blobs,
    batches,
    images,
    inputs: { ...inputs, pool: pools.background },
    objects: opened.objects,
    slots,
    allSlots,
    feedRuns: imports.runs,
    log,
    now,
  });
  const stopSources = startSources(opened, {
    batches,
    blobs,
    sources: createSources(redis, blobs, now),
    retention: createBatchRetention(batches, batchEraser(blobs)),
    maxBytes: inputs.maxBytes,
    log,
    now,
  });
  const webhooks = startWebhooks({ consume, redis, safeFetch, log, now });
  const cancellations = connect();
  await onCanceled(cancellations, (jobId) => {
    for (const consumer of [jobs, rows, imports]) consumer.cancel(jobId);
  });
  return {
    sweepBatches: rows.sweep,
    /** Waits for the jobs in progress. */
    async close(): Promise<void> {
      await stopSources();
      await Promise.all([jobs, rows, imports, webhooks].map((consumer) => consumer.close()));
      opened.close();
      await safeFetch.close();
    },
    disconnect: () => cancellations.disconnect(),
  };
}

interface SweepSources {
  platform: Pick<Platform, 'log' | 'redis' | 'now'>;
  blobs: Blobs;
  jobs: Jobs;
  sweepBatches(nowMillis: number): Promise<number>;
  metrics: Pick<WorkerMetrics, 'swept' | 'damaged' | 'recovered'>;
}

/** Starts the sweeper, with the queue it puts lost jobs back in. */
function startSweeps({ platform, blobs, jobs, sweepBatches, metrics }: SweepSources) {
  const { redis, log, now } = platform;
  const queue = openQueue('async', redis, log);
  const feedQueue = openQueue('feed', redis, log);
  const recoverDeps = { redis, blobs, records: jobs.records, queue, feedQueue, log, now };
  const recovery = new AutomaticRecovery(recoverDeps, metrics.recovered);
  const stop = startSweeper({
    redis,
    blobs,
    records: jobs.records,
    retention: jobs.retention,
    enqueue: (job) => requeueJob(queue, job),
    rebuilders: () => openRebuilders(recoverDeps),
    recover: (signal) => recovery.run(signal),
    sweepBatches,
    onSwept: metrics.swept,
    onDamaged: metrics.damaged,
    log,
    now,
  });
  return { stop, close: () => Promise.all([queue.close(), feedQueue.close()]) };
}
