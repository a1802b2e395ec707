import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Call } from '../http/route.ts';
import { writeIntent } from '../jobs/intent.ts';
import { expiryOf } from '../jobs/keeping.ts';
import { unlessUsual } from '../jobs/quality.ts';
import { enqueueJob } from '../jobs/queue.ts';
import type { JobRecord, NewJob, Records } from '../jobs/records.ts';
import { unavailable } from '../problem.ts';
import type { Blobs, PutOptions } from '../store/blobs.ts';
import type { InboxLimits } from '../store/inbox.ts';
import { jobBackgroundKey, jobInputKey } from '../store/keys.ts';
import { contentOf } from './image-work.ts';
import type { Wish } from './intake-request.ts';
import { type PolicyOf, policyFor } from './kept.ts';

/** What accepting a job needs. */
export interface AcceptParts {
  blobs: Blobs;
  records: Records;
  /** The queue `async`. */
  queue: Queue;
  limits: InboxLimits;
  policyOf: PolicyOf;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
}

/** A new job's id; known before the job, so that one can wait for it first. */
export const newJobId = (): string => `job_${randomUUID().replaceAll('-', '')}`;

/** Accepts jobs. What is accepted is durable: first what was handed in, then the record, then the queue. */
export const jobAcceptance =
  ({ blobs, records, queue, limits, policyOf, now: time = Date.now }: AcceptParts) =>
  async (
    id: string,
    { source, operations, options, background, outputSeconds, webhook }: Wish,
    call: Pick<Call, 'caller' | 'requestId' | 'signal' | 'takeQuota'>,
  ): Promise<JobRecord> => {
    call.signal.throwIfAborted();
    const { bytes, mediaType, input } = contentOf(source, limits);
    const behind = background && contentOf(background, limits, 'background image');
    const { caller } = call;
    if (!caller) throw new Error('a job without a caller');
    const { client } = caller;
    const kept = await policyFor(caller, outputSeconds, policyOf);
    const now = time();
    const quota = call.takeQuota();
    const backgroundKey = behind && jobBackgroundKey(client, id);
    const job: NewJob = {
      ...{ id, client, requestId: call.requestId, operations: [...operations], ...kept },
      createdAt: new Date(now).toISOString(),
      expiresAt: expiryOf(kept, now).expiresAt,
      inputKey: jobInputKey(client, id),
      ...unlessUsual(options),
      ...(backgroundKey && { backgroundKey }),
      ...(input && { input }),
      ...(webhook && { webhook }),
      ...(quota?.reserved && { quota: quota.reserved }),
    };
    const facts: PutOptions = { mediaType, meta: { intent: writeIntent(job) } };
    try {
      if (backgroundKey) await blobs.put(backgroundKey, behind.bytes, behind);
      await blobs.put(job.inputKey, bytes, facts);
      await records.create(job);
      await enqueueJob(queue, job);
      return { ...job, status: 'queued', attempt: 0 };
    } catch (cause) {
      // A worker that finds the job in the queue all the same finds no record, and leaves it.
      const keys = [job.inputKey, ...(backgroundKey ? [backgroundKey] : [])];
      const undo = [records.remove(id), ...keys.map((key) => blobs.delete(key))];
      await Promise.allSettled([...undo, quota?.refund()]);
      throw unavailable('The job cannot be accepted right now; try again', 1, cause);
    }
  };
