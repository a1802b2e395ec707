import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Call } from '../../http/route.ts';
import { writeJobManifest } from '../../intake/job-manifest.ts';
import type { JobRecord, JobRecords, NewJob } from '../../intake/job-records.ts';
import { expiryOf } from '../../intake/job-retention.ts';
import type { ImageLimits } from '../../intake/validate-image.ts';
import { unlessDefault } from '../../output/quality.ts';
import { unavailable } from '../../platform/problem.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { jobBackgroundKey, jobInputKey } from '../../storage/blob-keys.ts';
import type { Blobs, PutOptions } from '../../storage/blobs.ts';
import { contentOf } from '../removal/image-requests.ts';
import type { JobRequest } from './job-request.ts';
import { type PolicyOf, policyFor } from './retention-policy.ts';

/** What accepting a job needs. */
export interface AcceptDeps {
  blobs: Blobs;
  records: JobRecords;
  /** The queue `async`. */
  queue: Queue;
  limits: ImageLimits;
  policyOf: PolicyOf;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
}

/** A new job's id; known before the job, so that one can wait for it first. */
export const newJobId = (): string => `job_${randomUUID().replaceAll('-', '')}`;

/** Accepts jobs. What is accepted is durable: first what was handed in, then the record, then the queue. */
export const createJobAcceptance =
  ({ blobs, records, queue, limits, policyOf, now: time = Date.now }: AcceptDeps) =>
  async (
    id: string,
    { source, operations, options, background, outputSeconds, webhook }: JobRequest,
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
      ...unlessDefault(options),
      ...(backgroundKey && { backgroundKey }),
      ...(input && { input }),
      ...(webhook && { webhook }),
      ...(quota?.reserved && { quota: quota.reserved }),
    };
    const facts: PutOptions = { mediaType, meta: { intent: writeJobManifest(job) } };
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
