import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { insufficientScope } from '../http/auth.ts';
import type { Call } from '../http/route.ts';
import { cancelJob } from '../jobs/cancel.ts';
import type { Endings } from '../jobs/endings.ts';
import type { Answer, Idempotency } from '../jobs/idempotency.ts';
import { expiryOf, type Keeping } from '../jobs/keeping.ts';
import { extensionOf } from '../jobs/output.ts';
import { type JobRecord, type Operation, UNDER_WAY } from '../jobs/records.ts';
import { Problem, unavailable } from '../problem.ts';
import { BlobMissing } from '../store/blobs.ts';
import type { FileLinks } from '../store/file-links.ts';
import { type AcceptParts, jobAcceptance, newJobId } from './accept-job.ts';
import { STORE_LINK_SECONDS } from './files.ts';
import type { Wish } from './intake-request.ts';
import { checkWebhook, type WebhookParts } from './intake-webhooks.ts';
import { ASK_AGAIN, JOBS_PATH, jobAnswer, jobProblem } from './job-answer.ts';

/** What intake is built of. */
export interface IntakeParts extends AcceptParts {
  redis: Redis;
  queue: Queue;
  keeping: Keeping;
  endings: Endings;
  idempotency: Idempotency;
  links: FileLinks;
  webhooks: WebhookParts;
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
  headers: { location: `${JOBS_PATH}/${job.id}`, ...ASK_AGAIN },
  body: jobAnswer(job),
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
  if (UNDER_WAY.includes(job.status)) {
    throw new Problem('conflict', 'The job is not done yet', { headers: ASK_AGAIN });
  }
  if (job.status === 'canceled') throw new Problem('conflict', 'The job was canceled');
  if (job.status === 'failed') throw jobProblem(job);
  const cutout = job.results?.cutout;
  if (!outputKey || !cutout) throw gone();
  return { outputKey, cutout };
}

/** The deeds behind the routes; background removal uses them for those who prefer to wait less. */
export function createIntake(parts: IntakeParts) {
  const { redis, queue, records, keeping, endings, blobs, links, webhooks } = parts;
  const accept = jobAcceptance(parts);

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

  async function start(wish: Wish, call: Call): Promise<Answer> {
    if (wish.webhook) await checkWebhook(webhooks.receivers, call.caller?.client ?? '');
    return accepted(await accept(newJobId(), wish, call));
  }

  return {
    own,
    start,

    /** Accepts a job and waits for its end, at most so long; the job as it then is. */
    async startAndWait(wish: Wish, call: Call, waitMillis: number): Promise<JobRecord> {
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
        from: UNDER_WAY,
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
      if (UNDER_WAY.includes(job.status)) await cancelJob(queue, redis, job.id);
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

export type Intake = ReturnType<typeof createIntake>;
