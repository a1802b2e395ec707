import { readJobManifest } from '../../src/intake/job-manifest.ts';
import { enqueueJob } from '../../src/queue/queue.ts';
import { holderOf, INPUT_PREFIX, isBackground } from '../../src/storage/blob-keys.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newTally, type Rebuilder, type RecoverDeps, type Tally } from './rebuild.ts';

/** Enters one job again where its record is gone, and says what came of it. */
async function rebuildJob(
  { blobs, records, queue }: RecoverDeps,
  key: string,
  signal: AbortSignal,
): Promise<keyof Tally> {
  const holder = holderOf(key);
  if (holder?.kind !== 'job') return 'unknown';
  if (isBackground(key)) return 'known'; // it comes with its job
  if (await records.get(holder.id)) return 'known';
  const head = await blobs.head(key, signal);
  if (!head) return 'known'; // done and deleted at this moment
  const job = readJobManifest(head.meta.intent ?? '', holder.id, key);
  if (!job) return 'unknown';
  if (!(await records.create(job))) return 'known';
  await enqueueJob(queue, job);
  return 'rebuilt';
}

/** Jobs that were accepted and not done, from the inputs kept for them. */
export const jobs: Rebuilder = {
  name: 'jobs',
  async rebuild(deps, eachOf, signal) {
    const tally = newTally();
    await eachOf(deps.blobs.list(INPUT_PREFIX, signal), async ({ key }: BlobEntry) => {
      tally[await rebuildJob(deps, key, signal)]++;
    });
    return tally;
  },
};
