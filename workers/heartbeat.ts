import type { Logger } from '../src/platform/log.ts';
import {
  HEARTBEAT_MILLIS,
  type WorkerInfo,
  type WorkerRegistry,
} from '../src/queue/worker-registry.ts';

/** Weight of the newest image in the moving average of the service time. */
const NEWEST_WEIGHT = 0.1;

/** Registers this worker and repeats it regularly, with its mean service time. */
export async function startHeartbeat(
  registry: WorkerRegistry,
  worker: Omit<WorkerInfo, 'serviceMillis'>,
  log: Logger,
) {
  let serviceMillis: number | undefined;
  const beat = () =>
    registry
      .heartbeat({ ...worker, ...(serviceMillis && { serviceMillis }) })
      .catch((error) => log.warn({ reason: error.message }, 'no heartbeat'));
  await beat();
  const timer = setInterval(beat, HEARTBEAT_MILLIS);
  return {
    /** Adds the time the engine took for one image. */
    observe(millis: number): void {
      serviceMillis = serviceMillis
        ? serviceMillis + NEWEST_WEIGHT * (millis - serviceMillis)
        : millis;
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await registry
        .leave(worker.id)
        .catch(() => log.warn('worker not unregistered; its entry expires within seconds'));
    },
  };
}
