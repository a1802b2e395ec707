import type { Queue } from 'bullmq';
import { batchKeys } from '../../src/intake/batches/batch-files.ts';
import type { Batches, RowCompletion } from '../../src/intake/batches/batches.ts';
import { feedImageKey, feedPictureKey } from '../../src/intake/feeds/feed-keys.ts';
import { validateImage } from '../../src/intake/validate-image.ts';
import { formatOf } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type JobData, readData } from '../../src/queue/catalog.ts';
import type { JobResults, PreviousImage } from '../../src/queue/job-data.ts';
import { cutOutKey } from '../../src/storage/blob-keys.ts';
import type { Processor } from '../attempt.ts';
import { type FetchInputDeps, fetchBackground } from '../fetch-input.ts';
import { finalProblem } from '../final-problem.ts';
import type { ImageDeps } from '../image-job.ts';
import { optionsWith, perform } from '../job-operations.ts';
import { type RowImage, type RowImageDeps, rowImage, usableEarlier } from './row-image.ts';

/** What the rows of batches are worked on with. */
export interface RunRowDeps extends ImageDeps, RowImageDeps, FetchInputDeps {
  batches: Batches;
}

type EndDeps = Pick<RunRowDeps, 'batches' | 'blobs'>;
type RowJob = JobData<'run-row'>;

/** What a row came to, and what it costs. */
interface RowDone extends Pick<RowCompletion, 'result' | 'quota'> {
  millis: Record<string, number>;
}

const unchanged = (
  { row }: RowJob,
  earlier: PreviousImage,
  image: RowImage | undefined,
): RowDone => ({
  result: {
    ...earlier,
    ...(image && { etag: image.etag, lastModified: image.lastModified }),
    ...{ row: row.row, status: 'succeeded', unchanged: true },
  },
  quota: 'free',
  millis: {},
});

/** Rows of a batch took their quota when they were accepted; a feed's take it when there is work to do. */
async function checkQuota({ batches }: RunRowDeps, { feed }: RowJob): Promise<void> {
  if (!feed || (await batches.hasQuota(feed.meter))) return;
  throw new Problem(
    'quota-exceeded',
    'The units of the day are used up; run the feed again tomorrow',
  );
}

const withKey = ({ cutout, ...rest }: JobResults, key: string): PreviousImage['results'] => ({
  ...rest,
  ...(cutout && { cutout: { ...cutout, key } }),
});

/** What marketplaces are given of a feed's cut-out; nothing where that is the cut-out itself. */
async function pictureOf(
  { blobs, engine }: RunRowDeps,
  { feed }: RowJob,
  cutoutKey: string | undefined,
  signal: AbortSignal,
): Promise<PreviousImage['picture']> {
  if (!feed || !cutoutKey) return undefined;
  const { background } = feed;
  const key = feedPictureKey(cutoutKey, background);
  const kept = await blobs.head(key, signal);
  if (kept) return { key, mediaType: kept.mediaType, background };
  const cutout = await blobs.get(cutoutKey, signal);
  const picture = await engine.showCutOut(cutout, { background }, { signal });
  if (!picture) return undefined;
  const { bytes, mediaType } = picture;
  await blobs.put(key, bytes, { mediaType }, signal);
  return { key, mediaType, background };
}

/** Where what goes behind the subjects of a batch is; once fetched it is there for all rows. */
const backgroundKeyOf = ({ client, batchId, options }: RowJob): string | undefined =>
  options?.backgroundImageUrl === undefined ? undefined : batchKeys(client, batchId).background;

/** Rows that begin together share one fetch of what goes behind them. */
function sharedBackgrounds(deps: RunRowDeps) {
  const underWay = new Map<string, ReturnType<typeof fetchBackground>>();
  return (job: RowJob, signal: AbortSignal): ReturnType<typeof fetchBackground> => {
    const key = backgroundKeyOf(job);
    if (key === undefined) return Promise.resolve(undefined);
    const fetched =
      underWay.get(key) ?? fetchBackground(deps, key, signal).finally(() => underWay.delete(key));
    underWay.set(key, fetched);
    return fetched;
  };
}

interface WorkDeps extends RunRowDeps {
  backgroundOf: ReturnType<typeof sharedBackgrounds>;
}

async function work(deps: WorkDeps, job: RowJob, signal: AbortSignal): Promise<RowDone> {
  const { blobs, engine, limits } = deps;
  const { batchId, client, operations, options, row, feed } = job;
  const model = `${engine.model.id}@${engine.model.version}`;
  const wish = { operations, model, background: feed?.background };
  const earlier = await usableEarlier(blobs, row, wish, signal);
  const image = await rowImage(deps, row, earlier, signal);
  if (earlier && !image) return unchanged(job, earlier, image);
  if (!image) throw new Error('no image, and none of before');
  const { bytes, width, height, sha256 } = validateImage(image.bytes, limits);
  if (earlier?.input.sha256 === sha256) return unchanged(job, earlier, image);

  await checkQuota(deps, job);
  const background = await deps.backgroundOf(job, signal);
  const asked = optionsWith(options, background);
  const makings = { client, sha256, model, options: asked };
  const outputKey = feed
    ? feedImageKey(client, feed.id, makings)
    : cutOutKey(makings, batchId, formatOf(asked).extension);
  const task = { ...makings, outputKey, image: bytes, background };
  const { results, millis } = await perform(deps, operations, task, signal);
  const picture = await pictureOf(deps, job, results.cutout && outputKey, signal);
  const { etag, lastModified } = image;
  return {
    result: {
      ...{ row: row.row, status: 'succeeded', unchanged: false, etag, lastModified },
      input: { sha256, bytes: bytes.length, width, height },
      results: withKey(results, outputKey),
      ...(picture && { picture }),
    },
    quota: feed ? { charge: feed.meter } : 'held',
    millis,
  };
}

const failed = ({ row, feed }: RowJob, { type, detail }: Problem): RowDone => ({
  result: { row: row.row, status: 'failed', problem: { type, detail } },
  quota: feed ? 'free' : 'held',
  millis: {},
});

/** Writes a row's end. A batch that was erased meanwhile is left nothing. */
async function finish({ batches, blobs }: EndDeps, job: RowJob, done: RowDone): Promise<void> {
  const { batchId, chunk, chunkRows, row } = job;
  const { result, quota } = done;
  const end = { row: row.row, chunk, chunkRows, result, quota };
  const isFirst = await batches.finishRow(batchId, end);
  if (isFirst && 'key' in row.source) await blobs.delete(row.source.key);
  if (isFirst) return;
  const batch = await batches.get(batchId);
  const isGone = batch === undefined || batch.status === 'expired';
  if (!isGone || result.status === 'failed') return;
  for (const made of [result.results.cutout, result.picture]) {
    if (made) await blobs.delete(made.key);
  }
}

/**
 * Works on one row of a batch or of a feed's run. Whoever ends the row first is the one that counts;
 * a row that fails is a result like any other.
 */
export function runRow(deps: RunRowDeps): Processor<'run-row'> {
  const backgroundOf = sharedBackgrounds(deps);
  return async (job, signal, isLastTry) => {
    const { batchId, chunk, row } = job;
    if (!(await deps.batches.isWanted(batchId, chunk, row.row))) return { millis: {} };
    try {
      const done = await work({ ...deps, backgroundOf }, job, signal);
      await finish(deps, job, done);
      return { millis: done.millis };
    } catch (error) {
      const final = signal.aborted ? undefined : finalProblem(error, isLastTry);
      if (!final) throw error;
      await finish(deps, job, failed(job, final));
      return { millis: {} };
    }
  };
}

/** Ends a row whose workers died under it too often. */
export async function failRow(deps: EndDeps, queue: Queue, jobId: string): Promise<void> {
  const queued = await queue.getJob(jobId);
  if (!queued) return;
  const job = readData('run-row', queued.data);
  const problem = new Problem('upstream-failed', 'The work was interrupted too often');
  await finish(deps, job, failed(job, problem));
}
