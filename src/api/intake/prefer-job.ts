import type { Preference } from '../../http/request-head.ts';
import type { Call, Reply } from '../../http/route.ts';
import { type JobRecord, PENDING_STATUSES } from '../../intake/job-records.ts';
import { acceptedResponse, type JobActions } from './job-actions.ts';
import type { JobRequest } from './job-request.ts';

export const preferenceApplied = ({ respondAsync, waitSeconds }: Preference): string =>
  [respondAsync && 'respond-async', waitSeconds !== undefined && `wait=${waitSeconds}`]
    .filter(Boolean)
    .join(', ');

export interface PreferJob {
  jobs: Pick<JobActions, 'isAllowed' | 'startAndWait' | 'classification' | 'result'>;
  maxWaitSeconds: number;
}

/**
 * Returns the client's preference of a job, if it may store one; a longer wait is shortened.
 * Undefined means that the request is handled synchronously: a preference is no condition (RFC 7240).
 * @throws Problem upstream-unavailable
 */
export async function grantedPreference(
  { jobs, maxWaitSeconds }: PreferJob,
  { respondAsync, waitSeconds }: Preference,
  call: Call,
): Promise<Preference | undefined> {
  if (!call.caller.rights.includes('jobs') || !(await jobs.isAllowed(call))) return undefined;
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
