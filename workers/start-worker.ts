import type { Config } from '../src/platform/config.ts';
import type { Platform } from '../src/platform/open-platform.ts';
import { stopOnSignal } from '../src/platform/shutdown.ts';
import type { QueueName } from '../src/queue/catalog.ts';
import { onCanceled } from '../src/queue/queue.ts';
import { startDispatcher } from './batches/dispatcher.ts';
import { failRow, runRow } from './batches/run-row.ts';
import { sweepBatches } from './batches/sweep.ts';
import {
  type ConsumerDeps,
  consumeJobs,
  type JobConsumer,
  type Processors,
  reportTo,
} from './consume-jobs.ts';
import { failImport, importFeed } from './feeds/import-feed.ts';
import { FeedRunStages, startFeedRun } from './feeds/run-stages.ts';
import { serveHealth, startHeartbeat } from './health.ts';
import { answers } from './images/answer.ts';
import { failJob, runJob } from './images/run-job.ts';
import { AutomaticRecovery } from './recover/automatic.ts';
import { startImporters } from './sources/import-source.ts';
import { openSources, type SourceObjects } from './sources/source-objects.ts';
import { startSweeper } from './sweeper.ts';
import { deliverWebhook, failDelivery, startOutbox } from './webhooks/deliver.ts';
import type { WorkerServices } from './worker-services.ts';

export { openServices } from '../src/services.ts';
export { openWorker } from './worker-services.ts';

/** After this a job in progress is cut off; another worker takes it over when its lock expires. */
const DRAIN_MILLIS = 30_000;

/** Takes jobs, and drains on SIGTERM or SIGINT. */
export async function startWorker(
  config: Config,
  { registry, stopTracing }: Platform,
  worker: WorkerServices,
): Promise<void> {
  const { log, redis, id, slots } = worker;
  const { device, batch, fallback } = worker.engine;
  log.info({ model: worker.versions.model, device, slots, batch }, 'engine ready');
  if (fallback) log.warn({ device, reason: fallback }, 'the GPU is not used');
  const stopHeartbeat = await startHeartbeat(worker);
  const work = await startWork(worker);
  const recovery = new AutomaticRecovery(worker, worker.metrics.recovered);
  const stopSweeper = startSweeper(worker, {
    sweepBatches: work.sweepBatches,
    recover: (signal) => recovery.run(signal),
  });
  let isDraining = false;
  const health = serveHealth(registry, () => !isDraining && redis.status === 'ready');
  health.on('error', (error) => log.warn({ reason: error.message }, 'health port not served'));
  health.listen(config.WORKER_PORT, config.WORKER_HOST);
  log.info({ id, slots }, 'worker ready');

  stopOnSignal(async (signalName) => {
    isDraining = true;
    log.info({ signalName }, 'worker drains');
    stopSweeper();
    await stopHeartbeat();
    await work.close();
    await worker.close();
    health.close();
    await stopTracing();
    log.info('worker stopped');
  }, DRAIN_MILLIS);
}

/** Starts everything that takes work: from queues, from batches, sources and the outbox of webhooks. */
async function startWork(worker: WorkerServices) {
  const sources = openSources(worker.declared);
  const feedRuns = new FeedRunStages(worker);
  const consumers = startConsumers(worker, sources.objects);
  const dispatcher = startDispatcher(worker, feedRuns);
  const stopImporters = startImporters(worker, sources.places);
  const stopOutbox = startOutbox(worker);
  const cancellations = worker.connect();
  await onCanceled(cancellations, (jobId) => {
    for (const consumer of consumers) consumer.cancel(jobId);
  });
  return {
    /** Handles due batches; returns how many. */
    sweepBatches: (nowMillis: number): Promise<number> =>
      sweepBatches(worker, feedRuns, dispatcher.requeueLostRows, nowMillis),
    /** Waits for the jobs in progress. */
    async close(): Promise<void> {
      await stopImporters();
      await stopOutbox();
      await Promise.all([dispatcher, ...consumers].map((each) => each.close()));
      sources.close();
      cancellations.disconnect();
    },
  };
}

/** Rows in addition to the engine's slots, while their images are read and results are written. */
const STORING_ROWS = 6;
/** Jobs of feeds taken from the queue at once. Feeds are imported outside of these slots. */
const FEED_JOBS = 2;
/** A delivery mostly waits for its receiver. */
const DELIVERIES = 64;

/** Starts what takes the jobs of each queue. */
function startConsumers(worker: WorkerServices, objects: SourceObjects): JobConsumer[] {
  const { slots, log, metrics, now, connect } = worker;
  const report = reportTo(metrics, log);
  const consume = <Q extends QueueName>(
    name: Q,
    processors: Processors<Q>,
    concurrency: number,
    onFailed?: ConsumerDeps['onFailed'],
  ) =>
    consumeJobs(name, processors, {
      ...{ connection: connect(), log, report, now, concurrency },
      ...(onFailed && { onFailed }),
    });
  return [
    // One more than the slots keeps the engine busy while images are read and written.
    consume('sync', answers(worker), slots + 1),
    consume('async', { 'run-job': runJob(worker) }, slots, (id) => failJob(worker, id)),
    consume('bulk', { 'run-row': runRow(worker, objects) }, slots + STORING_ROWS, (id) =>
      failRow(worker, id),
    ),
    consume(
      'feed',
      { 'ingest-feed': importFeed(worker), 'start-feed-run': startFeedRun(worker) },
      FEED_JOBS,
      (id) => failImport(worker, id),
    ),
    consume('webhook', { 'deliver-webhook': deliverWebhook(worker) }, DELIVERIES, (id) =>
      failDelivery(worker, id),
    ),
  ];
}
