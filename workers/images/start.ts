import type { WorkerServices } from '../worker-services.ts';
import { answers } from './answer.ts';
import { failJob, runJob } from './run-job.ts';

export function startJobs(worker: WorkerServices) {
  const { consume, slots } = worker;
  const syncJobs = consume(
    'sync',
    answers(worker),
    // One more than the slots keeps the engine busy while images are read and written.
    { concurrency: slots + 1 },
  );
  const acceptedJobs = consume(
    'async',
    { 'run-job': runJob(worker) },
    {
      concurrency: slots,
      onFailed: (jobId) => failJob(worker, jobId),
      unrecorded: 'job failure not recorded',
    },
  );
  return {
    cancel(jobId: string): void {
      syncJobs.cancel(jobId);
      acceptedJobs.cancel(jobId);
    },
    async close(): Promise<void> {
      await Promise.all([syncJobs.close(), acceptedJobs.close()]);
    },
  };
}
