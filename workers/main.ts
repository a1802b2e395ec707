import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { ConfigError, readConfig } from '../src/config.ts';
import { createBatches } from '../src/jobs/batches/batches.ts';
import { onCanceled } from '../src/jobs/cancel.ts';
import { createCrashes } from '../src/jobs/crashes.ts';
import { checkEpoch } from '../src/jobs/epoch.ts';
import { createFeeds } from '../src/jobs/feeds/feeds.ts';
import { expireRun, finishRun } from '../src/jobs/feeds/keeping.ts';
import { createKeeping } from '../src/jobs/keeping.ts';
import { enqueueJob, openQueue } from '../src/jobs/queue.ts';
import { createRecords, type JobRecord } from '../src/jobs/records.ts';
import {
  blockingConnection,
  checkRedis,
  commandConnection,
  untilReady,
} from '../src/jobs/redis.ts';
import { createWebhookEvents } from '../src/jobs/webhooks/events.ts';
import { createWebhookReceivers } from '../src/jobs/webhooks/receivers.ts';
import { OUTBOX } from '../src/jobs/webhooks/webhooks.ts';
import { BEAT_MILLIS, createWorkerRegister } from '../src/jobs/workers.ts';
import { createLog } from '../src/log.ts';
import { createRegistry, createWorkerMetrics } from '../src/metrics.ts';
import { feedStore } from '../src/store/feed-store.ts';
import { MAX_SIDE_PIXELS } from '../src/store/inbox.ts';
import { openStore } from '../src/store/open-store.ts';
import { startBatches } from './batches/start.ts';
import { classifyGarment } from './classify-garment.ts';
import { startEngine } from './engine/pool.ts';
import { startFeeds } from './feeds/start.ts';
import { serveHealth } from './health.ts';
import { removeBackground } from './remove-background.ts';
import { giveUpJob, runJob } from './run-job.ts';
import { createSafeFetch } from './safe-fetch.ts';
import { startSweeper } from './sweep.ts';
import { type JobFact, takeJobs } from './take-jobs.ts';
import { deliverWebhook, giveUpDelivery } from './webhooks/deliver.ts';
import { startOutbox } from './webhooks/outbox.ts';

const START_MILLIS = 30_000;
const DRAIN_MILLIS = 30_000;
/** A delivery waits for its receiver and does little else. */
const WEBHOOK_SLOTS = 64;
/** Rows beyond the engine's slots whose images are on their way. */
const ROWS_FETCHED = 6;
/** Weight of the newest image in the running mean of service time. */
const NEWEST_SHARE = 0.1;

/** Loads the model, takes jobs, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog('worker', config.LOG_LEVEL);
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const slots = config.WORKER_CONCURRENCY;

  const redis = commandConnection(config.REDIS_URL, log);
  await untilReady(redis, AbortSignal.timeout(START_MILLIS));
  await checkRedis(redis, log);
  const blobs = await openStore(config);
  await checkEpoch(redis, blobs, log);
  const registry = createRegistry();
  const metrics = createWorkerMetrics(registry);
  const engine = await startEngine({
    model: config.MODEL,
    device: config.DEVICE,
    slots,
    maxPixels: config.MAX_IMAGE_PIXELS,
    modelsHome: join(config.SELVAGE_HOME, 'models'),
    observe: metrics.picture,
  });
  const model = `${engine.model.id}@${engine.model.version}`;
  log.info({ model, device: engine.device, slots }, 'engine ready');

  let serviceMillis: number | undefined;
  function done({ steps, ...fact }: JobFact): void {
    const { name, outcome, millis, waitMillis } = fact;
    metrics.job(name, outcome, millis);
    metrics.step(name, 'wait', waitMillis);
    for (const [step, stepMillis] of Object.entries(steps)) metrics.step(name, step, stepMillis);
    const engineMillis = steps.engine;
    if (engineMillis) {
      serviceMillis = serviceMillis
        ? serviceMillis + NEWEST_SHARE * (engineMillis - serviceMillis)
        : engineMillis;
    }
    log[outcome === 'failed' ? 'error' : 'info']({ ...fact, steps }, 'job');
  }

  const parts = { blobs, engine, crashes: createCrashes(redis) };
  const taker = takeJobs(
    'sync',
    {
      'remove-background': removeBackground(parts),
      'classify-garment': classifyGarment(parts),
    },
    blockingConnection(config.REDIS_URL, log),
    slots + 1,
    log,
    done,
  );
  const records = createRecords(redis);
  const keeping = createKeeping(records, blobs);
  const safeFetch = createSafeFetch({
    allow: config.FETCH_ALLOW,
    userAgent: `Selvage/${manifest.version}`,
  });
  const jobParts = {
    ...parts,
    ...{ records, keeping, safeFetch },
    limits: { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS },
    maxBytes: config.MAX_IMAGE_BYTES,
  };
  const asyncTaker = takeJobs(
    'async',
    { 'run-job': runJob(jobParts) },
    blockingConnection(config.REDIS_URL, log),
    slots,
    log,
    done,
    (jobId) => {
      giveUpJob(jobParts, jobId).catch((error) =>
        log.error({ jobId, reason: error.message }, 'end of a job not written'),
      );
    },
  );
  const events = createWebhookEvents(redis);
  const webhookTaker = takeJobs(
    'webhook',
    {
      'deliver-webhook': deliverWebhook({
        events,
        receivers: createWebhookReceivers(redis),
        safeFetch,
      }),
    },
    blockingConnection(config.REDIS_URL, log),
    WEBHOOK_SLOTS,
    log,
    done,
    (jobId) => {
      giveUpDelivery({ events }, jobId).catch((error) =>
        log.error({ jobId, reason: error.message }, 'end of a delivery not written'),
      );
    },
  );
  const register = createWorkerRegister(redis);
  const batches = createBatches(redis, OUTBOX);
  const feeds = createFeeds(redis);
  const feedParts = { feeds, batches, store: feedStore(blobs) };
  const rows = startBatches({
    ...{ ...jobParts, redis, batches, log, done },
    blocking: blockingConnection(config.REDIS_URL, log),
    concurrency: slots + ROWS_FETCHED,
    slots: async () => (await register.live()).reduce((all, worker) => all + worker.slots, 0),
    finishRun: (run) => finishRun(feedParts, run),
    expireRun: (run) => expireRun(feedParts, run),
  });
  const feedJobs = startFeeds({
    ...{ redis, blobs, feeds, batches, safeFetch, log, done },
    blocking: blockingConnection(config.REDIS_URL, log),
  });
  const webhookQueue = openQueue('webhook', redis, log);
  const stopOutbox = startOutbox({ redis, events, queue: webhookQueue, log });
  const canceled = blockingConnection(config.REDIS_URL, log);
  await onCanceled(canceled, (jobId) => {
    taker.cancel(jobId);
    asyncTaker.cancel(jobId);
    rows.cancel(jobId);
    feedJobs.cancel(jobId);
  });

  const beat = () =>
    register
      .beat({ id, slots, model, device: engine.device, ...(serviceMillis && { serviceMillis }) })
      .catch((error) => log.warn({ reason: error.message }, 'no heartbeat'));
  await beat();
  const beats = setInterval(beat, BEAT_MILLIS);
  const queue = openQueue('async', redis, log);
  const enqueue = (job: JobRecord) => enqueueJob(queue, job);
  const stopSweeper = startSweeper({
    ...{ blobs, redis, records, keeping, enqueue, log },
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
    clearInterval(beats);
    stopSweeper();
    await stopOutbox();
    await register.leave(id).catch(() => log.warn('not signed off; others notice within seconds'));
    await Promise.all([
      taker.close(),
      asyncTaker.close(),
      rows.close(),
      feedJobs.close(),
      webhookTaker.close(),
    ]);
    await safeFetch.close();
    await Promise.all([queue.close(), webhookQueue.close()]);
    await engine.close();
    canceled.disconnect();
    redis.disconnect();
    blobs.close();
    health.close();
    log.info('worker stopped');
    process.exit(0);
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void stop(name));
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
