import type { JobRecords } from '../src/intake/job-records.ts';
import type { JobRetention } from '../src/intake/job-retention.ts';
import type { StoredBytes } from '../src/intake/stored-bytes.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/log.ts';
import { isHeavy } from '../src/queue/service-time.ts';
import type { Processor } from './attempt.ts';
import { classifyGarment } from './classify-garment.ts';
import type { Consume } from './consume-jobs.ts';
import type { FetchPools } from './fetch/fetch-pools.ts';
import { fetchImage } from './fetch-image.ts';
import { type FetchInputDeps, withFetchPermit } from './fetch-input.ts';
import type { ImageDeps } from './image-job.ts';
import { refineStoredCutOut } from './refine-cut-out.ts';
import { removeBackground } from './remove-background.ts';
import { failJob, runJob } from './run-job.ts';
import { separateGarments } from './separate-garments.ts';

interface StartJobsDeps {
  consume: Consume;
  images: ImageDeps;
  inputs: Omit<FetchInputDeps, 'pool'>;
  pools: FetchPools;
  storedBytes: StoredBytes;
  records: JobRecords;
  retention: JobRetention;
  /** Images processed at once. */
  slots: number;
  log: Logger;
  /** Redis's time. */
  now: Clock;
}

/** Starts consuming jobs with one image: synchronous and accepted ones. */
export function startJobs(deps: StartJobsDeps) {
  const { consume, images, inputs, pools, storedBytes, records, retention, slots, log, now } = deps;
  /** Makes heavy work wait until it leaves a slot to other jobs. */
  const leaveSlot =
    <N extends 'remove-background' | 'refine-cut-out'>(run: Processor<N>): Processor<N> =>
    (data, signal, attempt) => {
      const { client, work = 1 } = data;
      const link = isHeavy(work) ? '' : undefined;
      const turn = { client, attempt };
      return withFetchPermit(pools.heavy, turn, link, signal, () => run(data, signal, attempt));
    };
  const syncInputs = { ...inputs, pool: pools.sync };
  const syncJobs = consume(
    'sync',
    {
      'remove-background': leaveSlot(removeBackground({ images, inputs: syncInputs })),
      'refine-cut-out': leaveSlot(refineStoredCutOut({ images, inputs: syncInputs })),
      'fetch-image': fetchImage(syncInputs),
      'classify-garment': classifyGarment(images),
      'separate-garments': separateGarments(images),
    },
    // One more than the slots keeps the engine busy while images are read and written.
    { concurrency: slots + 1 },
  );
  const acceptedJobs = consume(
    'async',
    {
      'run-job': runJob({
        images,
        inputs: { ...inputs, pool: pools.background },
        storedBytes,
        records,
        retention,
        now,
      }),
    },
    {
      concurrency: slots,
      onFailed(jobId) {
        failJob({ records, retention, now }, jobId).catch((error) =>
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
