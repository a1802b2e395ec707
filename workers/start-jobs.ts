import { isHeavy } from '../src/queue/service-time.ts';
import type { Processor } from './attempt.ts';
import { classifyGarment } from './classify-garment.ts';
import { fetchImage } from './fetch-image.ts';
import { withFetchPermit } from './fetch-input.ts';
import { refineStoredCutOut } from './refine-cut-out.ts';
import { removeBackground } from './remove-background.ts';
import { failJob, runJob } from './run-job.ts';
import { separateGarments } from './separate-garments.ts';
import type { WorkerServices } from './worker-services.ts';

/** Starts consuming jobs with one image: synchronous and accepted ones. */
export function startJobs(worker: WorkerServices) {
  const { consume, pools, slots, log } = worker;
  /** Makes heavy work wait until it leaves a slot to other jobs. */
  const leaveSlot =
    <N extends 'remove-background' | 'refine-cut-out'>(run: Processor<N>): Processor<N> =>
    (data, signal, attempt) => {
      const { client, work = 1 } = data;
      const link = isHeavy(work) ? '' : undefined;
      const turn = { client, attempt };
      return withFetchPermit(pools.heavy, turn, link, signal, () => run(data, signal, attempt));
    };
  const syncJobs = consume(
    'sync',
    {
      'remove-background': leaveSlot(removeBackground(worker)),
      'refine-cut-out': leaveSlot(refineStoredCutOut(worker)),
      'fetch-image': fetchImage(worker),
      'classify-garment': classifyGarment(worker),
      'separate-garments': separateGarments(worker),
    },
    // One more than the slots keeps the engine busy while images are read and written.
    { concurrency: slots + 1 },
  );
  const acceptedJobs = consume(
    'async',
    { 'run-job': runJob(worker) },
    {
      concurrency: slots,
      onFailed(jobId) {
        failJob(worker, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'job failure not recorded'),
        );
      },
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
