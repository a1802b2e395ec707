import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import type { SyncLoad } from '../platform/metrics/gateway.ts';
import { type Admission, createAdmission, type ShedReason } from './admission.ts';
import { createJobWaiter, type JobWaiter } from './job-waiter.ts';
import type { Queues } from './queue.ts';
import { serviceMillis } from './service-time.ts';
import type { WorkerRegistry } from './worker-registry.ts';

interface SyncQueueBase {
  redis: Redis;
  queues: Pick<Queues, 'sync'>;
  workers: WorkerRegistry;
}

interface SyncQueueOptions {
  /** The deadline of a synchronous request. */
  deadlineMillis: number;
  log: Logger;
  /** Called for each request that is rejected at once. */
  onShed(reason: ShedReason): void;
}

/** Sizes of images whose times are in the metrics. */
const SHOWN_MEGAPIXELS = [1, 12, 50];

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

/**
 * Opens the queue `sync` with admission by the load of its workers.
 * @param blocking for the stream of events; closed with it
 */
export async function openSyncQueue(
  { redis, queues, workers: registry }: SyncQueueBase,
  blocking: Redis,
  { deadlineMillis, log, onShed }: SyncQueueOptions,
): Promise<SyncQueue> {
  const jobWaiter = await createJobWaiter(queues.sync, redis, blocking, log);
  const admission = createAdmission({ jobs: jobWaiter, registry, deadlineMillis, log, onShed });
  await admission.sample();

  return {
    jobWaiter,
    admission,
    load() {
      const { depth, workers } = admission.load();
      const { queueMillis = Number.POSITIVE_INFINITY, serviceTime } = admission.prediction() ?? {};
      return {
        queueMillis,
        waitMillis: queueMillis + (serviceTime ? serviceMillis(serviceTime) : 0),
        imageMillis: serviceTime
          ? SHOWN_MEGAPIXELS.map((size) => [size, serviceMillis(serviceTime, size)] as const)
          : [],
        depth,
        workMillis: admission.workMillis(),
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
