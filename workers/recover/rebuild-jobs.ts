import { readJobManifest } from '../../src/intake/job-manifest.ts';
import { jobKey, PENDING_STATUSES } from '../../src/intake/job-records.ts';
import { enqueueJob, requeueJob } from '../../src/queue/queue.ts';
import { blobOwner, INPUT_PREFIX, isBackground } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverServices } from './rebuild.ts';

const jobIdOf = (key: string): string | undefined => {
  const owner = blobOwner(key);
  return owner?.kind === 'job' ? owner.id : undefined;
};

/** Restores accepted jobs that have not ended, from their stored inputs, and their places in the queue. */
export const jobs = ({
  blobs,
  jobs: records,
  queues,
}: Pick<RecoverServices, 'blobs' | 'jobs' | 'queues'>): Rebuilder => ({
  name: 'jobs',
  prefix: INPUT_PREFIX,
  // A background is restored with its job.
  manifestOf: (key) => (isBackground(key) ? undefined : key),
  recordOf(key) {
    const id = jobIdOf(key);
    return id === undefined ? undefined : jobKey(id);
  },
  async restore(key, signal): Promise<Outcome> {
    const id = jobIdOf(key);
    if (id === undefined) return 'unknown';
    const known = await records.get(id);
    if (known) {
      if (PENDING_STATUSES.includes(known.status)) await requeueJob(queues.async, known);
      return 'known';
    }
    const head = await blobs.head(key, signal);
    if (head?.meta.intent === undefined) return 'absent';
    const job = readJobManifest(head.meta.intent, id, key);
    if (!job) return 'unknown';
    if (!(await records.create(job))) return 'known';
    await enqueueJob(queues.async, job);
    return 'rebuilt';
  },
});
