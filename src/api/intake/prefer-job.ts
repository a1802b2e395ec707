import type { Call, Reply } from '../../http/route.ts';
import { type JobRecord, PENDING_STATUSES } from '../../intake/job-records.ts';
import { acceptedResponse, type JobActions } from './job-actions.ts';
import type { JobRequest } from './job-request.ts';

/** A client's preferences (RFC 7240). Unknown ones are ignored. */
export interface Preference {
  /** Respond now and deliver the result later. */
  respondAsync: boolean;
  /** Seconds the client waits for the result itself. */
  waitSeconds: number | undefined;
}

const WAIT = /^wait\s*=\s*"?(\d{1,6})"?$/i;
const ASYNC = /^respond-async$/i;

export function readPrefer(header: string | string[] | undefined): Preference {
  const tokens = [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((token) => token.split(';')[0]!.trim());
  const waits = tokens.flatMap((token) => WAIT.exec(token)?.[1] ?? []);
  return {
    respondAsync: tokens.some((token) => ASYNC.test(token)),
    waitSeconds: waits[0] === undefined ? undefined : Number(waits[0]),
  };
}

export const prefersJob = ({ respondAsync, waitSeconds }: Preference): boolean =>
  respondAsync || waitSeconds !== undefined;

export const preferenceApplied = ({ respondAsync, waitSeconds }: Preference): string =>
  [respondAsync && 'respond-async', waitSeconds !== undefined && `wait=${waitSeconds}`]
    .filter(Boolean)
    .join(', ');

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
  if (!prefersJob({ respondAsync, waitSeconds }) || !call.caller.rights.includes('jobs'))
    return undefined;
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
