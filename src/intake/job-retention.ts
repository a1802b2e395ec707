import {
  inputMillis,
  type JobRecord,
  type JobRecords,
  LOOK_AFTER_MILLIS,
  PENDING_STATUSES,
  TERMINAL_STATUSES,
} from './job-records.ts';

/** How long it is remembered that there was a job or a batch, ms; a day unless its policy says. */
export const tombstoneMillis = ({
  recordSeconds = 86_400,
}: {
  recordSeconds?: number | undefined;
}) => recordSeconds * 1000;

/** What of a store is needed to delete and to count what was deleted. */
export interface BlobEraser {
  head(key: string): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** What became of a job that a client erased. */
export interface Erasure {
  erasedAt: string;
  blobs: number;
}

/** When the sweeper looks at a job that ends now, epoch milliseconds, and the same for its record. */
export function expiryOf(job: Pick<JobRecord, 'outputSeconds'>, nowMillis: number) {
  const dueAtMillis = nowMillis + job.outputSeconds * 1000;
  return { dueAtMillis, expiresAt: new Date(dueAtMillis).toISOString() };
}

/**
 * Keeps what a job left as long as it may be kept, and no longer. Every deed may be cut off and done
 * again: a tombstone comes first, blobs go next, and only then is the sweeper told that it is done.
 */
export function createJobRetention(records: JobRecords, bin: BlobEraser) {
  async function discard(key: string): Promise<number> {
    const isThere = (await bin.head(key)) !== undefined;
    await bin.delete(key);
    return isThere ? 1 : 0;
  }

  /** Deletes what a job was handed. */
  async function clearInputs({ inputKey, backgroundKey }: JobRecord): Promise<number> {
    return (await discard(inputKey)) + (backgroundKey ? await discard(backgroundKey) : 0);
  }

  /** Deletes a job's blobs: nobody else has them. */
  async function clear(job: JobRecord): Promise<number> {
    return (await clearInputs(job)) + (job.outputKey ? await discard(job.outputKey) : 0);
  }

  return {
    /**
     * Deletes what a job needs no more, by the state it is in: for whoever worked on it, won or lost.
     * Without a record nothing is deleted: a Redis that lost its data is rebuilt from the inputs.
     */
    async tidy({ id }: Pick<JobRecord, 'id'>): Promise<void> {
      const now = await records.get(id);
      if (!now || PENDING_STATUSES.includes(now.status)) return;
      if (now.status === 'succeeded') await clearInputs(now);
      else await clear(now);
    },

    /** Expires a job that has ended, and forgets it a day later. */
    async expire(job: JobRecord, nowMillis: number): Promise<void> {
      const { id } = job;
      const buriedAt = job.buriedAt ?? new Date(nowMillis).toISOString();
      const fields = { buriedAt };
      await records.end(job, {
        from: TERMINAL_STATUSES,
        to: 'expired',
        fields,
        dueAtMillis: nowMillis,
      });
      await clear(job);
      const removeAtMillis = Date.parse(buriedAt) + tombstoneMillis(job);
      if (removeAtMillis <= nowMillis) await records.remove(id);
      else await records.postpone(id, nowMillis, removeAtMillis);
    },

    /** Erases a job in whatever state it is. Doing it again answers the same. */
    async erase(job: JobRecord, nowMillis: number): Promise<Erasure> {
      if (job.erasure) return job.erasure;
      const erasedAt = new Date(nowMillis).toISOString();
      await records.end(job, {
        from: [...PENDING_STATUSES, ...TERMINAL_STATUSES, 'expired'],
        to: 'expired',
        fields: { buriedAt: erasedAt, expiresAt: erasedAt },
        // Later than now: a sweep at this moment would delete the blobs before they are counted here.
        dueAtMillis: nowMillis + LOOK_AFTER_MILLIS,
      });
      const blobs = await clear((await records.get(job.id)) ?? job);
      const erasure = { erasedAt, blobs };
      await records.inscribe(job.id, { erasure });
      await records.postpone(job.id, nowMillis, nowMillis + tombstoneMillis(job));
      return erasure;
    },
  };
}

export type JobRetention = ReturnType<typeof createJobRetention>;

/** What the sweeper does with. */
export interface SweepDeps {
  records: JobRecords;
  keeping: JobRetention;
  /** Puts a job back in its queue where it is not there any more, or failed there. */
  enqueue(job: JobRecord): Promise<unknown>;
}

/**
 * Looks at every job whose time has come: what has ended expires; what should be under way is, even
 * where the process that accepted it died before it could say so. Answers how many.
 */
export async function eraseExpired(deps: SweepDeps, nowMillis: number): Promise<number> {
  let looked = 0;
  for (;;) {
    const ids = await deps.records.due(nowMillis);
    if (ids.length === 0) return looked;
    for (const id of ids) await lookAfter(deps, id, nowMillis);
    looked += ids.length;
  }
}

/** Ends a job whose input waited for longer than it may be kept. */
async function giveUpWaiting(
  { records, keeping }: SweepDeps,
  job: JobRecord,
  nowMillis: number,
): Promise<void> {
  const { dueAtMillis, expiresAt } = expiryOf(job, nowMillis);
  const detail = 'The image waited for longer than it may be kept, and was deleted; send it again';
  const finishedAt = new Date(nowMillis).toISOString();
  const fields = { problem: { type: 'upstream-unavailable', detail }, finishedAt, expiresAt };
  await records.end(job, { from: ['queued'], to: 'failed', fields, dueAtMillis });
  await keeping.tidy(job);
}

/** Afterwards the job is not due any more, whatever it was. */
async function lookAfter(deps: SweepDeps, id: string, nowMillis: number): Promise<void> {
  const { records, keeping, enqueue } = deps;
  const job = await records.get(id);
  if (!job) return records.remove(id);
  const expiresAtMillis = Date.parse(job.expiresAt);
  if (TERMINAL_STATUSES.includes(job.status) && expiresAtMillis > nowMillis) {
    // It was under way when its time to be looked at came, and has ended since.
    return records.postpone(id, nowMillis, expiresAtMillis);
  }
  if (!PENDING_STATUSES.includes(job.status)) return keeping.expire(job, nowMillis);
  const inputDueAtMillis = Date.parse(job.createdAt) + inputMillis(job);
  if (job.status === 'queued' && inputDueAtMillis <= nowMillis) {
    return giveUpWaiting(deps, job, nowMillis);
  }
  await enqueue(job);
  const isWaiting = inputDueAtMillis > nowMillis;
  const lookAt = nowMillis + LOOK_AFTER_MILLIS;
  await records.postpone(id, nowMillis, isWaiting ? Math.min(lookAt, inputDueAtMillis) : lookAt);
}
