import { batchKeys } from '../../src/intake/batches/batch-files.ts';
import { feedPhotoKey } from '../../src/intake/feeds/feed-keys.ts';
import type { ValidatedImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import { readData } from '../../src/queue/catalog.ts';
import { BlobMissing } from '../../src/storage/blobs.ts';
import type { AttemptContext, Processor } from '../consume-jobs.ts';
import { HostHealth } from '../fetch/host-health.ts';
import {
  type FetchServices,
  type FetchTurn,
  finalProblem,
  openInput,
  readInput,
} from '../images/read-input.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import type { WorkerServices } from '../worker-services.ts';
import { FeedPhotos } from './feed-photos.ts';
import { RowMaker, type RowServices } from './make-row.ts';
import {
  fileKeys,
  garmentsOfRow,
  type RowJob,
  type RowOutput,
  reused,
  rowProblem,
  withoutImage,
} from './row-output.ts';
import { resultOfSameLink, WrittenResults } from './same-link.ts';

/** Fetches backgrounds; concurrent rows of a batch share one fetch. */
function fetchBackgrounds(inputs: FetchServices) {
  const inFlight = new Map<string, Promise<ValidatedImage>>();
  return (key: string, turn: FetchTurn, signal: AbortSignal): Promise<ValidatedImage> => {
    // Opened now: another row may have fetched it while this one waited.
    const fetch = async () => {
      const input = await openInput(inputs.blobs, key, signal, 'background image');
      return readInput(inputs, input, turn, signal);
    };
    const fetched = inFlight.get(key) ?? fetch().finally(() => inFlight.delete(key));
    inFlight.set(key, fetched);
    return fetched;
  };
}

/** The result of a row whose link another row has: that one's, at no cost; undefined if the run has ended. */
async function sameResult(
  services: RowServices,
  job: RowJob,
  first: { chunk: number; row: number },
  attempt: AttemptContext,
  signal: AbortSignal,
): Promise<RowOutput | undefined> {
  const result = await resultOfSameLink(services, job, first, attempt, signal);
  if (result?.status === 'failed') return withoutImage(services, job, result.problem);
  return result && reused(job, result);
}

/** Records the result of a row. If the batch was erased meanwhile, deletes what the row made. */
async function finish(
  { batches, blobs }: Pick<WorkerServices, 'batches' | 'blobs'>,
  job: RowJob,
  output: RowOutput,
): Promise<boolean> {
  const { batchId, chunk, chunkRows, row } = job;
  const { result, quota = 'free' } = output;
  const completion = { row: row.row, chunk, chunkRows, result, quota };
  if (await batches.finishRow(batchId, completion)) return true;
  const batch = await batches.get(batchId);
  const isErased = batch === undefined || batch.status === 'expired';
  if (!isErased || result.status === 'failed') return false;
  const keys = fileKeys(result, garmentsOfRow(job));
  if (job.feed && result.photo) keys.push(feedPhotoKey(job.client, job.feed.id, result.photo));
  keys.push(batchKeys({ client: job.client, id: batchId }).photo(row.row));
  for (const key of keys) await blobs.delete(key);
  return false;
}

/**
 * The result that storage has of a row whose image is deleted: Redis has lost that it had ended.
 * @throws BlobMissing if storage has none
 */
async function storedOutput(
  { written }: Pick<RowServices, 'written'>,
  job: RowJob,
  missing: BlobMissing,
): Promise<RowOutput> {
  const { chunk, row } = job;
  const result = await written.find(job, { chunk, row: row.row });
  if (!result) throw missing;
  return { result, quota: 'held' };
}

const tooLate = () =>
  new Problem('upstream-unavailable', 'The run has taken too long; start it again to go on');

/**
 * Runs one row of a batch or of a feed run. Only the first attempt to complete the row counts. A failed row is
 * a result like any other: the batch continues.
 */
export function runRow(worker: WorkerServices, objects: SourceObjects): Processor<'run-row'> {
  const { batches, redis, blobs, now } = worker;
  const services = {
    ...worker,
    objects,
    photos: new FeedPhotos(redis, blobs),
    written: new WrittenResults(blobs),
    health: new HostHealth(now),
    fetchBackground: fetchBackgrounds(worker),
  };
  return async (job, signal, attempt) => {
    const { batchId, chunk, row } = job;
    if (!(await batches.isRowPending(batchId, chunk, row.row))) return { millis: {} };
    try {
      if ((job.feed?.endsAtMillis ?? Number.POSITIVE_INFINITY) < now()) throw tooLate();
      const output = row.sameAs
        ? await sameResult(services, job, row.sameAs, attempt, signal)
        : await new RowMaker(services, job, attempt, signal).make().catch((error) => {
            if (error instanceof BlobMissing) return storedOutput(services, job, error);
            throw error;
          });
      if (!output) return { millis: {} };
      const isFirst = await finish(services, job, output);
      const { result } = output;
      if (isFirst && job.feed && result.status === 'succeeded' && result.charged && result.photo) {
        await services.photos.share({
          client: job.client,
          feedId: job.feed.id,
          photo: result.photo,
        });
      }
      return { millis: output.millis ?? {} };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, attempt);
      if (!final) throw error;
      await finish(services, job, await withoutImage(services, job, rowProblem(final)));
      return { millis: {} };
    }
  };
}

/** Fails a row whose workers died too often. */
export async function failRow(
  services: Pick<WorkerServices, 'batches' | 'blobs' | 'queues' | 'now'>,
  jobId: string,
): Promise<void> {
  const queued = await services.queues.bulk.getJob(jobId);
  if (!queued) return;
  const job = readData('run-row', queued.data);
  const problem = new Problem('upstream-failed', 'The work was interrupted too often');
  await finish(services, job, await withoutImage(services, job, rowProblem(problem)));
}
