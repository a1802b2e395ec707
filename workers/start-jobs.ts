import type { Redis } from 'ioredis';
import type { Logger } from '../src/platform/log.ts';
import type { JobFact } from './attempt.ts';
import { classifyGarment } from './classify-garment.ts';
import { removeBackground } from './remove-background.ts';
import { failJob, type RunJobDeps, runJob } from './run-job.ts';
import { takeJobs } from './take-jobs.ts';

export interface JobTakerDeps extends RunJobDeps {
  /** A connection for taking jobs; used for nothing else from then on. */
  connect(): Redis;
  /** Images worked on at once. */
  slots: number;
  log: Logger;
  done(fact: JobFact): void;
  /** Epoch milliseconds, as Redis has it. */
  now(): number;
}

/** Takes jobs on one image: those that somebody waits for, and those that were accepted for later. */
export function startJobs(deps: JobTakerDeps) {
  const { connect, slots, log, done, now } = deps;
  const sync = takeJobs(
    'sync',
    { 'remove-background': removeBackground(deps), 'classify-garment': classifyGarment(deps) },
    // One more than there are slots keeps the engine fed while bytes are fetched and stored.
    { connection: connect(), concurrency: slots + 1, log, done, now },
  );
  const async = takeJobs(
    'async',
    { 'run-job': runJob(deps) },
    {
      ...{ connection: connect(), concurrency: slots, log, done, now },
      givenUp(jobId) {
        failJob(deps, jobId).catch((error) =>
          log.error({ jobId, reason: error.message }, 'end of a job not written'),
        );
      },
    },
  );
  return {
    cancel(jobId: string): void {
      sync.cancel(jobId);
      async.cancel(jobId);
    },
    async close(): Promise<void> {
      await Promise.all([sync.close(), async.close()]);
    },
  };
}
