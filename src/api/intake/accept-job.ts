import { randomUUID } from 'node:crypto';
import type { Retention } from '../../auth/client-retention.ts';
import type { Gateway } from '../../gateway.ts';
import type { Call, Caller } from '../../http/route.ts';
import { writeJobManifest } from '../../intake/job-manifest.ts';
import type { JobRecord, NewJob } from '../../intake/job-records.ts';
import { expiryOf } from '../../intake/job-retention.ts';
import { DEFAULT_RETENTION, type Policy, shortestRetention } from '../../intake/retention.ts';
import { unlessDefault } from '../../output/request.ts';
import { Problem } from '../../platform/problem.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { jobBackgroundKey, jobInputKey } from '../../storage/blob-keys.ts';
import type { PutOptions } from '../../storage/blobs.ts';
import { validateSource } from '../removal/image-requests.ts';
import { resolveRules } from './accept-options.ts';
import type { JobRequest } from './job-request.ts';

/** Reads the operator's limits for all keys of a client. */
type ReadClientLimits = (client: string) => Promise<Retention>;

type StorageCaller = Pick<Caller, 'client' | 'retention'>;

const forbidsStorage = ({ retention = {} }: StorageCaller, clientLimits: Retention): boolean =>
  clientLimits.store === 'none' || retention.store === 'none';

/** Returns whether a client and its key may store anything. @throws Problem upstream-unavailable */
export async function allowsStorage(
  caller: StorageCaller,
  readClientLimits: ReadClientLimits,
): Promise<boolean> {
  return !forbidsStorage(caller, await readClientLimits(caller.client));
}

/**
 * Returns how long the data of a request is retained: the shortest of the request's, the key's and
 * the client's policy applies.
 * @param outputSeconds as requested, or the default
 * @throws Problem conflict if the client or the key may retain nothing; upstream-unavailable
 */
export async function retentionPolicy(
  caller: StorageCaller,
  outputSeconds: number,
  readClientLimits: ReadClientLimits,
): Promise<Policy> {
  const clientLimits = await readClientLimits(caller.client);
  if (forbidsStorage(caller, clientLimits)) {
    throw new Problem(
      'conflict',
      'This key does not allow storage, so it can use only the synchronous endpoints: POST /bg/v1/background-removals or /taxonomy/v1/taxonomy',
    );
  }
  return shortestRetention(
    { ...DEFAULT_RETENTION, outputSeconds },
    clientLimits,
    caller.retention ?? {},
  );
}

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
  const { source, operations, background, outputSeconds, webhook, classification } = request;
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
    meter,
    weight,
    ...policy,
    createdAt: new Date(nowMillis).toISOString(),
    expiresAt: expiryOf(policy, nowMillis).expiresAt,
    inputKey: jobInputKey(client, id),
    ...unlessDefault(options),
    backgroundKey,
    input,
    webhook,
    classification,
    quota: quota?.reserved,
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
