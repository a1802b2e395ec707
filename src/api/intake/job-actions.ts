import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { insufficientScope } from '../../http/auth.ts';
import type { Call } from '../../http/route.ts';
import type { Completions } from '../../intake/completions.ts';
import type { Answer, Idempotency } from '../../intake/idempotency.ts';
import { type JobRecord, PENDING_STATUSES } from '../../intake/job-records.ts';
import { expiryOf, type JobRetention } from '../../intake/job-retention.ts';
import { extensionOf } from '../../output/options.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { cancelJob } from '../../queue/cancel.ts';
import type { Operation } from '../../queue/job-data.ts';
import { BlobMissing } from '../../storage/blobs.ts';
import type { FileLinks } from '../../storage/file-links.ts';
import { type AcceptDeps, createJobAcceptance, newJobId } from './accept-job.ts';
import { STORE_LINK_SECONDS } from './files.ts';
import type { JobRequest } from './job-request.ts';
import { JOBS_PATH, jobProblem, jobResponse, RETRY_SOON } from './job-response.ts';
import { checkWebhook, type WebhookDeps } from './webhooks.ts';

/** What intake is built of. */
export interface IntakeDeps extends AcceptDeps {
  redis: Redis;
  queue: Queue;
  keeping: JobRetention;
  endings: Completions;
  idempotency: Idempotency;
  links: FileLinks;
  webhooks: WebhookDeps;
}

const SCOPES: Readonly<Record<Operation, string>> = {
  'remove-background': 'background-removal:process',
  classify: 'taxonomy:classify',
};

/** @throws Problem insufficient-scope: what is asked for decides, not the address */
export function checkScopes(operations: readonly Operation[], call: Call): void {
  const missing = operations
    .map((operation) => SCOPES[operation])
    .find((scope) => !call.caller?.scopes.includes(scope));
  if (missing) throw insufficientScope(missing);
}

/** The answer to a job that will be done later. */
export const accepted = (job: JobRecord): Answer => ({
  status: 202,
  headers: { location: `${JOBS_PATH}/${job.id}`, ...RETRY_SOON },
  body: jobResponse(job),
});

const gone = (): Problem =>
  new Problem('gone', 'The results of this job have expired or were erased; send the image again');

const storeDown = (cause: unknown): never => {
  throw unavailable('The store does not answer; try again', 1, cause);
};

/** @throws Problem conflict while there is none yet, gone, not-found, or the job's own */
function cutOutOf({ outputKey, ...job }: JobRecord) {
  if (!job.operations.includes('remove-background')) {
    throw new Problem('not-found', 'This job makes no image; its results are in the job itself');
  }
  if (PENDING_STATUSES.includes(job.status)) {
    throw new Problem('conflict', 'The job is not done yet', { headers: RETRY_SOON });
  }
  if (job.status === 'canceled') throw new Problem('conflict', 'The job was canceled');
  if (job.status === 'failed') throw jobProblem(job);
  const cutout = job.results?.cutout;
  if (!outputKey || !cutout) throw gone();
  return { outputKey, cutout };
}

/** The deeds behind the routes; background removal uses them for those who prefer to wait less. */
export function createJobActions(deps: IntakeDeps) {
  const { redis, queue, records, keeping, endings, blobs, links, webhooks } = deps;
  const accept = createJobAcceptance(deps);

  async function read(id: string): Promise<JobRecord> {
    const job = await records.get(id).catch((cause) => {
      throw unavailable('The state of the job cannot be read right now; try again', 1, cause);
    });
    if (job) return job;
    throw new Problem('not-found', 'There is no such job, or it is long gone');
  }

  /** Somebody else's job is not there: its very existence is not told. */
  async function own(call: Call): Promise<JobRecord> {
    const job = await read(call.params.id ?? '');
    if (job.client !== call.caller?.client) {
      throw new Problem('not-found', 'There is no such job, or it is long gone');
    }
    checkScopes(job.operations, call);
    return job;
  }

  async function start(wish: JobRequest, call: Call): Promise<Answer> {
    if (wish.webhook) await checkWebhook(webhooks.receivers, call.caller?.client ?? '');
    return accepted(await accept(newJobId(), wish, call));
  }

  return {
    own,
    start,

    /** Accepts a job and waits for its end, at most so long; the job as it then is. */
    async startAndWait(wish: JobRequest, call: Call, waitMillis: number): Promise<JobRecord> {
      const id = newJobId();
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(waitMillis)]);
      const ended = endings.next(id, signal);
      await accept(id, wish, call);
      await ended;
      return read(id);
    },

    /**
     * Calls a job off; again is no fault.
     * @throws Problem conflict where it came to another end before
     */
    async cancel(job: JobRecord): Promise<JobRecord> {
      const now = Date.now();
      const { dueAtMillis, expiresAt } = expiryOf(job, now);
      const won = await records.end(job, {
        from: PENDING_STATUSES,
        to: 'canceled',
        fields: { finishedAt: new Date(now).toISOString(), expiresAt },
        dueAtMillis,
      });
      if (won) {
        await cancelJob(queue, redis, job.id);
        await keeping.tidy(job);
      }
      const after = await read(job.id);
      if (after.status === 'canceled') return after;
      if (after.status === 'expired') throw gone();
      throw new Problem('conflict', `The job has ${after.status} already`);
    },

    async erase(job: JobRecord) {
      const erasure = await keeping.erase(job, Date.now());
      if (PENDING_STATUSES.includes(job.status)) await cancelJob(queue, redis, job.id);
      return { id: job.id, ...erasure };
    },

    /** The cut-out of a job as a stream. Throws as `cutOutOf`. */
    async result(job: JobRecord, signal: AbortSignal) {
      const { outputKey, cutout } = cutOutOf(job);
      const body = await blobs.open(outputKey, signal).catch((error) => {
        if (error instanceof BlobMissing) throw gone();
        return storeDown(error);
      });
      return { body, cutout };
    },

    /** Where the cut-out of a job is to be had for some minutes without a key. Throws as `cutOutOf`. */
    async link(job: JobRecord, signal: AbortSignal): Promise<string> {
      const { outputKey, cutout } = cutOutOf(job);
      const now = Date.now();
      const secondsLeft = Math.floor((Date.parse(job.expiresAt) - now) / 1000);
      const seconds = Math.min(secondsLeft, STORE_LINK_SECONDS);
      if (seconds < 1 || !(await blobs.head(outputKey, signal).catch(storeDown))) throw gone();
      const address = await blobs.link(outputKey, seconds).catch(storeDown);
      return (
        address ??
        links.make(outputKey, `${job.id}.${extensionOf(cutout.mediaType)}`, now / 1000 + seconds)
      );
    },
  };
}

export type JobActions = ReturnType<typeof createJobActions>;
