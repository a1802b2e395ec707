import { HEARTBEAT_MILLIS } from '../src/queue/worker-registry.ts';
import type { WorkerServices } from './worker-services.ts';

/** Registers this worker and repeats it regularly. Returns a function that stops it. */
export async function startHeartbeat({
  workers,
  id,
  slots,
  engine,
  log,
}: Pick<WorkerServices, 'workers' | 'id' | 'slots' | 'engine' | 'log'>) {
  const { model, device, serviceTime } = engine;
  const info = { id, slots, model: `${model.id}@${model.version}`, device };
  const beat = () =>
    workers
      .heartbeat({ ...info, serviceTime: serviceTime() })
      .catch((error) => log.warn({ reason: error.message }, 'no heartbeat'));
  await beat();
  const timer = setInterval(beat, HEARTBEAT_MILLIS);
  return async (): Promise<void> => {
    clearInterval(timer);
    await workers
      .leave(id)
      .catch(() => log.warn('worker not unregistered; its entry expires within seconds'));
  };
}
