import { randomUUID } from 'node:crypto';
import type { Gateway } from '../../gateway.ts';
import type { Call } from '../../http/route.ts';
import { writeJobManifest } from '../../intake/job-manifest.ts';
import type { JobRecord, NewJob } from '../../intake/job-records.ts';
import { expiryOf } from '../../intake/job-retention.ts';
import { unlessDefault } from '../../output/request.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { jobBackgroundKey, jobInputKey } from '../../storage/blob-keys.ts';
import type { PutOptions } from '../../storage/blobs.ts';
import { validateSource } from '../removal/image-requests.ts';
import { resolveRules } from './accept-options.ts';
import type { JobRequest } from './job-request.ts';
import { retentionPolicy } from './retention-policy.ts';

/**
 * Undoes an acceptance that failed: removes its records, and only when they are gone what they refer to. The failure
 * may have come after a record was written: one that cannot be removed keeps its image or manifest, and the request
 * can be sent again.
 */
export async function undoAcceptance(
  records: readonly Promise<unknown>[],
  rest: () => readonly (Promise<unknown> | undefined)[],
): Promise<void> {
  const removals = await Promise.allSettled(records);
  if (removals.every(({ status }) => status === 'fulfilled')) await Promise.allSettled(rest());
}

/**
 * Returns an id for a new job. The id exists before the job so that callers can subscribe to its end first.
 * @param ref of an idempotent request
 */
export const newJobId = (ref = randomUUID().replaceAll('-', '')): string => `job_${ref}`;

/** Accepts a job. An accepted job is durable: the blobs are written first, then the record, then the queue entry. */
export async function acceptJob(
  services: Gateway,
  id: string,
  request: JobRequest,
  call: Pick<Call, 'caller' | 'requestId' | 'signal' | 'takeQuota'>,
): Promise<JobRecord> {
  const { blobs, storedBytes, jobs, queues, limits, rulePacks, readClientLimits, now } = services;
  const { source, operations, background, outputSeconds } = request;
  const { webhook, classification } = request;
  call.signal.throwIfAborted();
  const { bytes, mediaType, input } = validateSource(source, limits);
  const backgroundContent = background && validateSource(background, limits, 'background image');
  const caller = call.caller;
  const { client, weight, meter } = caller;
  const options = await resolveRules(rulePacks, client, request.options, '/options/rules');
  const policy = await retentionPolicy(caller, outputSeconds, readClientLimits);
  const nowMillis = now();
  const storesBytes = bytes.length + (backgroundContent?.bytes.length ?? 0);
  const reservation = await storedBytes.reserve(caller, storesBytes);
  if (call.signal.aborted) {
    // The client has left meanwhile, and got its quota back: the job would not be charged.
    await storedBytes.release(reservation).catch(() => {}); // or at the end of the day
    throw call.signal.reason;
  }
  const quota = call.takeQuota();
  const backgroundKey = backgroundContent && jobBackgroundKey(client, id);
  const job: NewJob = {
    id,
    client,
    requestId: call.requestId,
    operations: [...operations],
    ...policy,
    createdAt: new Date(nowMillis).toISOString(),
    expiresAt: expiryOf(policy, nowMillis).expiresAt,
    inputKey: jobInputKey(client, id),
    meter,
    weight,
    ...unlessDefault(options),
    ...(backgroundKey && { backgroundKey }),
    ...(input && { input }),
    ...(webhook && { webhook }),
    ...(classification && { classification }),
    ...(quota?.reserved && { quota: quota.reserved }),
  };
  const metadata: PutOptions = { mediaType, meta: { intent: writeJobManifest(job) } };
  try {
    if (backgroundKey) await blobs.put(backgroundKey, backgroundContent.bytes, backgroundContent);
    await blobs.put(job.inputKey, bytes, metadata);
    await jobs.create(job);
    await enqueueJob(queues.async, job);
    return { ...job, status: 'queued', attempt: 0 };
  } catch (cause) {
    // If the job reached the queue after all, its worker finds no record and skips it.
    const keys = [job.inputKey, ...(backgroundKey ? [backgroundKey] : [])];
    await undoAcceptance([jobs.remove(id)], () => [
      ...keys.map((key) => blobs.delete(key)),
      quota?.refund(),
      storedBytes.release(reservation),
    ]);
    throw cause;
  }
}
