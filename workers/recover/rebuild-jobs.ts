import { readJobManifest } from '../../src/intake/job-manifest.ts';
import { enqueueJob } from '../../src/queue/queue.ts';
import { blobOwner, INPUT_PREFIX, isBackground } from '../../src/storage/blob-keys.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newCounts, type Outcome, type Rebuilder, type RecoverDeps } from './rebuild.ts';

/** Restores one job if its record is missing. */
async function rebuildJob(
  { blobs, records, queue }: RecoverDeps,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const owner = blobOwner(key);
  if (owner?.kind !== 'job') return 'unknown';
  if (isBackground(key)) return 'known'; // it is restored with its job
  if (await records.get(owner.id)) return 'known';
  const head = await blobs.head(key, signal);
  if (!head) return 'known'; // completed and deleted meanwhile
  const job = readJobManifest(head.meta.intent ?? '', owner.id, key);
  if (!job) return 'unknown';
  if (!(await records.create(job))) return 'known';
  await enqueueJob(queue, job);
  return 'rebuilt';
}

/** Restores accepted jobs that have not ended, from their stored inputs. */
export const jobs: Rebuilder = {
  name: 'jobs',
  async rebuild(deps, forEach, signal) {
    const counts = newCounts();
    await forEach(deps.blobs.list(INPUT_PREFIX, signal), async ({ key }: BlobEntry) => {
      counts[await rebuildJob(deps, key, signal)]++;
    });
    return counts;
  },
};
