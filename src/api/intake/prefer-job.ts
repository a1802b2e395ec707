import { type Preference, preferenceApplied, prefersJob, readPrefer } from '../../http/prefer.ts';
import type { Call, Reply } from '../../http/route.ts';
import { type JobRecord, PENDING_STATUSES } from '../../intake/job-records.ts';
import { acceptedResponse, type JobActions } from './job-actions.ts';
import type { JobRequest } from './job-request.ts';

export interface PreferJob {
  jobs: Pick<JobActions, 'isAllowed' | 'startAndWait' | 'classification' | 'result'>;
  maxWaitSeconds: number;
}

/**
 * Returns what the client prefers, if it prefers a job and may store one; a longer wait is shortened.
 * Undefined means that the request is handled synchronously: a preference is no condition (RFC 7240).
 * @throws Problem upstream-unavailable
 */
export async function readJobPreference(
  { jobs, maxWaitSeconds }: PreferJob,
  call: Call,
): Promise<Preference | undefined> {
  const { respondAsync, waitSeconds } = readPrefer(call.headers.prefer);
  if (!prefersJob({ respondAsync, waitSeconds }) || !call.caller.rights.includes('jobs')) {
    return undefined;
  }
  if (!(await jobs.isAllowed(call))) return undefined;
  return {
    respondAsync,
    waitSeconds: waitSeconds === undefined ? undefined : Math.min(waitSeconds, maxWaitSeconds),
  };
}

/**
 * Starts a job, once per `Idempotency-Key`. Returns its result if it ends within the time the client
 * waits, else the job.
 * @param path of the endpoint
 * @param respond returns the response to a job that has ended, with these headers
 */
export async function startPreferredJob(
  { jobs }: PreferJob,
  request: JobRequest,
  call: Call,
  { path, prefer }: { path: string; prefer: Preference },
  respond: (job: JobRecord, headers: Record<string, string>) => Promise<Reply> | Reply,
): Promise<Reply> {
  const applied = { 'preference-applied': preferenceApplied(prefer) };
  const waitMillis = (prefer.waitSeconds ?? 0) * 1000;
  const job = await jobs.startAndWait(request, call, path, waitMillis);
  if (!PENDING_STATUSES.includes(job.status)) return respond(job, applied);
  const { headers, ...response } = acceptedResponse(job);
  return { ...response, headers: { ...headers, ...applied } };
}
