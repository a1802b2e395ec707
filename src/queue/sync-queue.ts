import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import type { SyncLoad } from '../platform/metrics/gateway.ts';
import { type Admission, createAdmission, type ShedReason } from './admission.ts';
import { createJobWaiter, type JobWaiter } from './job-waiter.ts';
import { createWorkerRegistry } from './worker-registry.ts';

interface SyncQueueDeps {
  /** For commands. */
  redis: Redis;
  /** For the stream of events; closed with the queue. */
  blocking: Redis;
  /** The deadline of a synchronous request. */
  deadlineMillis: number;
  log: Logger;
  /** Called for each request that is rejected at once. */
  onShed(reason: ShedReason): void;
}

/** The queue of jobs that a request waits for. */
export interface SyncQueue {
  jobWaiter: JobWaiter;
  admission: Admission;
  /** Returns the load for metrics. */
  load(): SyncLoad;
  /** Rejects if there is no live worker. Samples anew, so that a gateway reported ready also admits. */
  checkWorkers(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue `sync` with admission by the load of its workers. */
export async function openSyncQueue({
  redis,
  blocking,
  deadlineMillis,
  log,
  onShed,
}: SyncQueueDeps): Promise<SyncQueue> {
  const jobWaiter = await createJobWaiter('sync', redis, blocking, log);
  const registry = createWorkerRegistry(redis);
  const admission = createAdmission({ jobs: jobWaiter, registry, deadlineMillis, log, onShed });
  await admission.sample();

  return {
    jobWaiter,
    admission,
    load() {
      const { depth, workers } = admission.load();
      return {
        waitMillis: admission.waitMillis(),
        depth,
        slots: workers.reduce((slots, worker) => slots + worker.slots, 0),
        workers: workers.length,
      };
    },
    async checkWorkers() {
      await admission.sample();
      if (admission.load().workers.length === 0) throw new Error('no live worker');
    },
    async close() {
      admission.close();
      await jobWaiter.close();
    },
  };
}
