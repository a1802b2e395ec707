import { Readable } from 'node:stream';
import { garmentsPrefix, refinementsPrefix } from '../storage/blob-keys.ts';
import { type BlobEraser, deleteBlob } from '../storage/blobs.ts';
import type { JobRecord, JobRecords } from './job-records.ts';
import { inputMillis, PENDING_STATUSES, RECHECK_MILLIS, TERMINAL_STATUSES } from './job-records.ts';
import { type Erasure, erasureOf } from './retention.ts';

/** How long the tombstone of a job or batch lasts, ms; a day unless its policy says otherwise. */
export const tombstoneMillis = ({
  recordSeconds = 86_400,
}: {
  recordSeconds?: number | undefined;
}) => recordSeconds * 1000;

/**
 * How long the blobs of a job that a worker has ended stay as they were: a power cut may take the end from Redis, whose
 * append-only file is written to disk every second. The job then ends again with the same input and result.
 */
export const SETTLE_MILLIS = 5000;

/** Returns when a job that ends now expires, as epoch milliseconds and for its record. */
export function expiryOf(job: Pick<JobRecord, 'outputSeconds'>, nowMillis: number) {
  const dueAtMillis = nowMillis + job.outputSeconds * 1000;
  return { dueAtMillis, expiresAt: new Date(dueAtMillis).toISOString() };
}

/**
 * Owns the deletion of single jobs: their blobs and records, on expiry or on request. Every action may be
 * interrupted and repeated: the tombstone is written first, blobs are deleted next, and only then is the
 * job rescheduled or removed.
 */
export class JobRetention {
  readonly #records;
  readonly #blobs;

  constructor(records: JobRecords, blobs: BlobEraser) {
    this.#records = records;
    this.#blobs = blobs;
  }

  async #deleteInputs({ inputKey, backgroundKey }: JobRecord): Promise<number> {
    const input = await deleteBlob(this.#blobs, inputKey);
    return input + (backgroundKey ? await deleteBlob(this.#blobs, backgroundKey) : 0);
  }

  /** Deletes the cut-outs of a job, those before and after its refinements too. */
  async #deleteOutputs(job: JobRecord): Promise<number> {
    const { id, client, outputKey, earlierCutOuts = [], hasRefinements } = job;
    const keys = [outputKey, ...earlierCutOuts.map(({ key }) => key)];
    let count = 0;
    for (const key of new Set(keys))
      if (key !== undefined) count += await deleteBlob(this.#blobs, key);
    const refined = hasRefinements ? refinementsPrefix(client, id) : undefined;
    return count + (refined ? await this.#blobs.deleteAll(refined) : 0);
  }

  /** Deletes the cut-outs of garments, those of attempts that did not end among them. */
  async #deleteGarments({ id, client, operations, input }: JobRecord): Promise<number> {
    if (!input || !operations.includes('separate')) return 0;
    return this.#blobs.deleteAll(garmentsPrefix(client, input.sha256, id));
  }

  /** Deletes all blobs of a job; no other job shares them. */
  async #deleteAll(job: JobRecord): Promise<number> {
    return (
      (await this.#deleteInputs(job)) +
      (await this.#deleteOutputs(job)) +
      (await this.#deleteGarments(job))
    );
  }

  /**
   * Deletes the blobs that a job no longer needs in its present state; called by the sweeper after its end has
   * settled, and after every attempt that came too late to end it. Without a record nothing is deleted: after a loss of Redis's data the record is
   * rebuilt from the input.
   */
  async cleanUp({ id }: Pick<JobRecord, 'id'>): Promise<void> {
    const job = await this.#records.get(id);
    if (!job || PENDING_STATUSES.includes(job.status)) return;
    if (job.status === 'succeeded') await this.#deleteInputs(job);
    else await this.#deleteAll(job);
  }

  /** Expires a job that has ended; removes it when its tombstone's time is over. */
  async expire(job: JobRecord, nowMillis: number): Promise<void> {
    const { id } = job;
    const buriedAt = job.buriedAt ?? new Date(nowMillis).toISOString();
    await this.#records.end(job, {
      from: TERMINAL_STATUSES,
      to: 'expired',
      fields: { buriedAt },
      dueAtMillis: nowMillis,
    });
    await this.#deleteAll(job);
    const removeAtMillis = Date.parse(buriedAt) + tombstoneMillis(job);
    if (removeAtMillis <= nowMillis) await this.#records.remove(id);
    else await this.#records.postpone(id, nowMillis, removeAtMillis);
  }

  /** Erases a job in any state. Repeated, it returns the same receipt. */
  async erase(job: JobRecord, nowMillis: number): Promise<Erasure> {
    if (job.erasure) return job.erasure;
    const erasedAt = new Date(nowMillis).toISOString();
    await this.#records.end(job, {
      from: [...PENDING_STATUSES, ...TERMINAL_STATUSES, 'expired'],
      to: 'expired',
      fields: { buriedAt: erasedAt, expiresAt: erasedAt },
      // Later than now: a sweep at this moment would delete the blobs before they are counted here.
      dueAtMillis: nowMillis + RECHECK_MILLIS,
    });
    const deleted = await this.#deleteAll((await this.#records.get(job.id)) ?? job);
    const erasure = erasureOf(this.#blobs, erasedAt, deleted);
    await this.#records.updateTombstone(job.id, { erasure });
    await this.#records.postpone(job.id, nowMillis, nowMillis + tombstoneMillis(job));
    return erasure;
  }
}

/** Due jobs that are handled at once. */
const CONCURRENCY = 16;

interface SweepDeps {
  records: JobRecords;
  retention: JobRetention;
  /** Puts a job back in its queue if it is missing there or failed there. */
  enqueue(job: JobRecord): Promise<unknown>;
}

/**
 * Handles every due job: an ended one expires, and a pending one is put back in its queue if the process
 * that accepted it died before it did so. Returns how many were due.
 */
export async function sweepDueJobs(deps: SweepDeps, nowMillis: number): Promise<number> {
  let handled = 0;
  for (;;) {
    const ids = await deps.records.due(nowMillis);
    if (ids.length === 0) return handled;
    const handle = async (id: string) => void (await handleDue(deps, id, nowMillis));
    await Readable.from(ids).forEach(handle, { concurrency: CONCURRENCY });
    handled += ids.length;
  }
}

/** Fails a job whose input waited longer than its retention. */
async function failUnstarted({ records, retention }: SweepDeps, job: JobRecord, nowMillis: number) {
  const { dueAtMillis, expiresAt } = expiryOf(job, nowMillis);
  const detail =
    'The image was not processed before its retention time ended, and was deleted; send it again';
  const finishedAt = new Date(nowMillis).toISOString();
  const fields = { problem: { type: 'upstream-unavailable', detail }, finishedAt, expiresAt };
  await records.end(job, { from: ['queued'], to: 'failed', fields, dueAtMillis });
  await retention.cleanUp(job);
}

/** Afterwards the job is no longer due, whatever its state. */
async function handleDue(deps: SweepDeps, id: string, nowMillis: number): Promise<void> {
  const { records, retention, enqueue } = deps;
  const job = await records.get(id);
  if (!job) return records.remove(id);
  const expiresAtMillis = Date.parse(job.expiresAt);
  if (TERMINAL_STATUSES.includes(job.status) && expiresAtMillis > nowMillis) {
    await retention.cleanUp(job);
    return records.postpone(id, nowMillis, expiresAtMillis);
  }
  if (!PENDING_STATUSES.includes(job.status)) return retention.expire(job, nowMillis);
  const inputDueAtMillis = Date.parse(job.createdAt) + inputMillis(job);
  if (job.status === 'queued' && inputDueAtMillis <= nowMillis)
    return failUnstarted(deps, job, nowMillis);
  await enqueue(job);
  const isInputRetained = inputDueAtMillis > nowMillis;
  const recheckAtMillis = nowMillis + RECHECK_MILLIS;
  await records.postpone(
    id,
    nowMillis,
    isInputRetained ? Math.min(recheckAtMillis, inputDueAtMillis) : recheckAtMillis,
  );
}
