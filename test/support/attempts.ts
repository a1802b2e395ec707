import type { AttemptContext } from '../../workers/attempt.ts';

/** The context of an attempt at a job: by default of the only one. */
export const attemptOf = (context: Partial<AttemptContext> = {}): AttemptContext => ({
  jobId: 'job',
  number: 1,
  isLast: true,
  withoutSlot: (work) => work(),
  ...context,
});
