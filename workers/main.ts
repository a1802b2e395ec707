import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { BUILT_IN_PACKS } from '../src/output/rules/pack.ts';
import { type Config, readConfig } from '../src/platform/config.ts';
import { WorkerMetrics } from '../src/platform/metrics/worker.ts';
import { openPlatform } from '../src/platform/open-platform.ts';
import { endStart } from '../src/platform/start-error.ts';
import { type Engine, startEngine } from './inference/pool.ts';

/**
 * Starts the worker. What takes jobs is imported while the inference processes load the model: a worker that is killed
 * again and again, on a host short of memory, must get to work before the next time.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { version } = manifest;
  const platform = await openPlatform({ process: 'worker', config, version });
  const metrics = new WorkerMetrics(platform.registry);
  const starting = openEngine(config, metrics);
  const [{ openServices, openWorker, startWorker }] = await Promise.all([
    import('./start-worker.ts'),
    starting,
  ]);
  const services = await openServices(config, platform);
  const worker = openWorker(config, platform, services, await starting, metrics);
  await startWorker(config, platform, worker);
}

/** Starts the engine, and adds it to the metrics. */
async function openEngine(config: Config, metrics: WorkerMetrics): Promise<Engine> {
  const engine = await startEngine({
    model: config.MODEL,
    device: config.DEVICE,
    slots: config.WORKER_CONCURRENCY,
    batch: config.WORKER_BATCH,
    warmUp: config.WORKER_WARM_UP,
    maxPixels: config.MAX_IMAGE_PIXELS,
    modelsHome: join(config.SELVAGE_HOME, 'models'),
    observe: metrics.picture,
    onReview: metrics.review,
    onRules: ({ pack, verdicts }) =>
      metrics.rules(BUILT_IN_PACKS.has(pack) ? pack : 'own', verdicts),
  });
  metrics.engine(engine, () => engine.pids().length);
  return engine;
}

main().catch(endStart);
