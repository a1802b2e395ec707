import type { AttemptContext } from '../../workers/consume-jobs.ts';

/** The context of an attempt at a job: by default of the only one. */
export const attemptOf = (context: Partial<AttemptContext> = {}): AttemptContext => ({
  jobId: 'job',
  number: 1,
  isLast: true,
  withoutSlot: (work) => work(),
  ...context,
});
