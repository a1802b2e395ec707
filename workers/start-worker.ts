import type { Config } from '../src/platform/config.ts';
import type { Platform } from '../src/platform/open-platform.ts';
import { stopOnSignal } from '../src/platform/shutdown.ts';
import { onCanceled } from '../src/queue/queue.ts';
import { startBatches } from './batches/start.ts';
import { startFeeds } from './feeds/start.ts';
import { serveHealth } from './health.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startJobs } from './images/start.ts';
import { AutomaticRecovery } from './recover/automatic.ts';
import { openSources, startSources } from './sources/source-objects.ts';
import { startSweeper } from './sweeper.ts';
import { startWebhooks } from './webhooks/start.ts';
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
  const { log, redis, engine, id, slots } = worker;
  const { model, device, batch, fallback } = engine;
  log.info({ model: `${model.id}@${model.version}`, device, slots, batch }, 'engine ready');
  if (fallback) log.warn({ device, reason: fallback }, 'the GPU is not used');
  const heartbeat = await startHeartbeat(worker);
  const consumers = await startConsumers(worker);
  const recovery = new AutomaticRecovery(worker, worker.metrics.recovered);
  const stopSweeper = startSweeper(worker, {
    sweepBatches: consumers.sweepBatches,
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
    await heartbeat.stop();
    await consumers.close();
    await worker.close();
    health.close();
    await stopTracing();
    log.info('worker stopped');
  }, DRAIN_MILLIS);
}

async function startConsumers(worker: WorkerServices) {
  const places = openSources(worker.declared);
  const jobs = startJobs(worker);
  const imports = startFeeds(worker);
  const rows = startBatches(worker, places.objects, imports.runs);
  const stopSources = startSources(worker, places);
  const webhooks = startWebhooks(worker);
  const cancellations = worker.connect();
  await onCanceled(cancellations, (jobId) => {
    for (const consumer of [jobs, rows, imports]) consumer.cancel(jobId);
  });
  return {
    sweepBatches: rows.sweep,
    /** Waits for the jobs in progress. */
    async close(): Promise<void> {
      await stopSources();
      await Promise.all([jobs, rows, imports, webhooks].map((consumer) => consumer.close()));
      places.close();
      cancellations.disconnect();
    },
  };
}
