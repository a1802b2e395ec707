import type { Logger } from '../src/platform/log.ts';
import {
  HEARTBEAT_MILLIS,
  type WorkerInfo,
  type WorkerRegistry,
} from '../src/queue/worker-registry.ts';

/** Registers this worker and repeats it regularly. */
export async function startHeartbeat(
  registry: WorkerRegistry,
  id: string,
  describe: () => Omit<WorkerInfo, 'id'>,
  log: Logger,
) {
  const beat = () =>
    registry
      .heartbeat({ id, ...describe() })
      .catch((error) => log.warn({ reason: error.message }, 'no heartbeat'));
  await beat();
  const timer = setInterval(beat, HEARTBEAT_MILLIS);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await registry
        .leave(id)
        .catch(() => log.warn('worker not unregistered; its entry expires within seconds'));
    },
  };
}
