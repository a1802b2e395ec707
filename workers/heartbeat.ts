import type { Logger } from '../src/platform/log.ts';
import {
  HEARTBEAT_MILLIS,
  type WorkerInfo,
  type WorkerRegistry,
} from '../src/queue/worker-registry.ts';

/** Weight of the newest image in the running mean of service time. */
const NEWEST_SHARE = 0.1;

/** Says again and again that this worker lives, and how fast it is. */
export async function startHeartbeat(
  register: WorkerRegistry,
  facts: Omit<WorkerInfo, 'serviceMillis'>,
  log: Logger,
) {
  let serviceMillis: number | undefined;
  const beat = () =>
    register
      .beat({ ...facts, ...(serviceMillis && { serviceMillis }) })
      .catch((error) => log.warn({ reason: error.message }, 'no heartbeat'));
  await beat();
  const beats = setInterval(beat, HEARTBEAT_MILLIS);
  return {
    /** Hears how long the engine took for an image. */
    worked(millis: number): void {
      serviceMillis = serviceMillis
        ? serviceMillis + NEWEST_SHARE * (millis - serviceMillis)
        : millis;
    },
    async stop(): Promise<void> {
      clearInterval(beats);
      await register
        .leave(facts.id)
        .catch(() => log.warn('not signed off; others notice within seconds'));
    },
  };
}
