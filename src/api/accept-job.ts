import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Call } from '../http/route.ts';
import { expiryOf } from '../jobs/keeping.ts';
import { enqueueJob } from '../jobs/queue.ts';
import type { JobRecord, NewJob, Records } from '../jobs/records.ts';
import { unavailable } from '../problem.ts';
import type { Blobs, PutOptions } from '../store/blobs.ts';
import { type InboxLimits, measureImage } from '../store/inbox.ts';
import { jobInputKey, LINK_MEDIA_TYPE } from '../store/keys.ts';
import type { Wish } from './intake-request.ts';

/** What accepting a job needs. */
export interface AcceptParts {
  blobs: Blobs;
  records: Records;
  /** The queue `async`. */
  queue: Queue;
  limits: InboxLimits;
}

/** A new job's id; known before the job, so that one can wait for it first. */
export const newJobId = (): string => `job_${randomUUID().replaceAll('-', '')}`;

/** What is kept with the input, so that the job can be told from the store alone. */
const intentOf = ({ client, requestId, operations, createdAt, outputSeconds }: NewJob): string =>
  Buffer.from(JSON.stringify({ client, requestId, operations, createdAt, outputSeconds })).toString(
    'base64url',
  );

/** The bytes to store, and what is known of the image already. */
function contentOf(source: Wish['source'], limits: InboxLimits) {
  if ('imageUrl' in source) {
    return { bytes: Buffer.from(source.imageUrl), mediaType: LINK_MEDIA_TYPE, input: undefined };
  }
  const { bytes, format, width, height, sha256 } = measureImage(source.image, limits);
  const input = { sha256, bytes: bytes.length, width, height };
  return { bytes, mediaType: `image/${format}`, input };
}

/** Accepts jobs. What is accepted is durable: the input first, then the record, then the queue. */
export const jobAcceptance =
  ({ blobs, records, queue, limits }: AcceptParts) =>
  async (
    id: string,
    { source, operations, outputSeconds }: Wish,
    call: Pick<Call, 'caller' | 'requestId' | 'signal' | 'takeQuota'>,
  ): Promise<JobRecord> => {
    call.signal.throwIfAborted();
    const { bytes, mediaType, input } = contentOf(source, limits);
    const client = call.caller?.client ?? 'anonymous';
    const now = Date.now();
    const quota = call.takeQuota();
    const job: NewJob = {
      ...{ id, client, requestId: call.requestId, operations: [...operations], outputSeconds },
      createdAt: new Date(now).toISOString(),
      expiresAt: expiryOf({ outputSeconds }, now).expiresAt,
      inputKey: jobInputKey(client, id),
      ...(input && { input }),
      ...(quota?.reserved && { quota: quota.reserved }),
    };
    const facts: PutOptions = { mediaType, meta: { intent: intentOf(job) } };
    try {
      await blobs.put(job.inputKey, bytes, facts);
      await records.create(job);
      await enqueueJob(queue, job);
      return { ...job, status: 'queued', attempt: 0 };
    } catch (cause) {
      // A worker that finds the job in the queue all the same finds no record, and leaves it.
      const undo = [records.remove(id), blobs.delete(job.inputKey), quota?.refund()];
      await Promise.allSettled(undo);
      throw unavailable('The job cannot be accepted right now; try again', 1, cause);
    }
  };
