import { createHash } from 'node:crypto';
import { modelVersionOf } from '../../models/catalog.ts';
import { sniffFormat } from '../../src/imaging/sniff.ts';
import { batchKeys } from '../../src/intake/batches/batch-files.ts';
import { feedPhotoKey, feedPictureKey } from '../../src/intake/feeds/feed-keys.ts';
import { type ValidatedImage, validateImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import { readData } from '../../src/queue/catalog.ts';
import type { JobResults, PreviousImage } from '../../src/queue/job-data.ts';
import { BlobMissing } from '../../src/storage/blobs.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import type { AttemptContext, Processor } from '../attempt.ts';
import { HostHealth } from '../fetch/host-health.ts';
import { finalProblem } from '../images/final-problem.ts';
import {
  cacheOptions,
  cutOutKeyOf,
  processImage,
  withBackgroundHash,
} from '../images/process-image.ts';
import {
  type FetchServices,
  type FetchTurn,
  openBackground,
  openInput,
  readInput,
  withFetchPermit,
} from '../images/read-input.ts';
import type { ImageServices } from '../images/run-engine.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import type { WorkerServices } from '../worker-services.ts';
import { FeedPhotos, type PhotoRef, photoId } from './feed-photos.ts';
import { fetchRowImage, fileKeys, type RowImage, reusableResult } from './row-image.ts';
import {
  garmentsOfRow,
  makerOf,
  ownerOf,
  type RowJob,
  type RowOutput,
  reused,
  rowProblem,
  unchanged,
  withoutImage,
} from './row-output.ts';
import { resultOfSameLink, writtenResult } from './same-link.ts';

type FetchBackground = ReturnType<typeof fetchBackgrounds>;

/** What a row needs besides the worker. */
interface RowServices extends WorkerServices {
  /** Of sources. */
  objects: SourceObjects;
  photos: FeedPhotos;
  health: HostHealth;
  fetchBackground: FetchBackground;
}

/** Rows of a batch are charged when they are accepted; rows of a feed when there is work to do. */
async function checkQuota({ batches }: RowServices, { feed }: RowJob): Promise<void> {
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

/** Returns the background of the marketplace pictures of a feed; if rules judge its cut-outs, there are none. */
const pictureBackground = ({ feed, options }: RowJob): string | undefined =>
  options?.rules === undefined ? feed?.background : undefined;

/** Makes the marketplace picture of a feed's cut-out; undefined if the cut-out itself serves. */
async function makePicture(
  { blobs, engine }: ImageServices,
  { feed, options, client, weight }: RowJob,
  cutoutKey: string | undefined,
  signal: AbortSignal,
): Promise<PreviousImage['picture']> {
  if (!feed || !cutoutKey || options?.rules !== undefined) return undefined;
  const { background } = feed;
  const key = feedPictureKey(cutoutKey, background);
  const existing = await blobs.head(key, signal);
  if (existing) return { key, mediaType: existing.mediaType, background };
  const cutout = await blobs.get(cutoutKey, signal);
  const picture = await engine.renderMarketplacePicture(
    cutout,
    { background },
    { signal, owner: { client, weight } },
  );
  if (!picture) return undefined;
  const { bytes, mediaType } = picture;
  const meta = { sha256: createHash('sha256').update(bytes).digest('hex') };
  await blobs.put(key, bytes, { mediaType, meta }, signal);
  return { key, mediaType, background };
}

/** Writes the cut-out of an object of a source to its place. An attempt that comes late writes none. */
async function deliver(
  { batches, objects, blobs }: RowServices,
  { batchId, chunk, row }: RowJob,
  cutout: JobResults['cutout'],
  key: string,
  signal: AbortSignal,
): Promise<void> {
  if (!cutout || !('object' in row.source)) return;
  const bytes = await blobs.get(key, signal);
  if (!(await batches.isRowPending(batchId, chunk, row.row))) return;
  await objects.deliver(row.source.object, bytes, cutout.mediaType, signal);
}

/** Keeps the photo of a cut-out that needs a review, as long as the batch: who reviews it compares and mends. */
async function keepDoubtful(
  { blobs, keepsPhotos }: RowServices,
  { client, batchId, row }: RowJob,
  { cutout }: JobResults,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (!keepsPhotos || !cutout?.review?.needed) return;
  const mediaType = `image/${sniffFormat(bytes)}`;
  await blobs.put(batchKeys(client, batchId).photo(row.row), bytes, { mediaType }, signal);
}

/** Returns the key of a batch's background image, which all its rows share. */
const backgroundKeyOf = ({ client, batchId, options }: RowJob): string | undefined =>
  options?.backgroundImageUrl === undefined ? undefined : batchKeys(client, batchId).background;

/** Returns where the garment that a row sells is worn, if its picture is to show only that. */
const soldRegion = ({ options, row }: RowJob): Region | undefined =>
  options?.subject === 'garment' ? row.region : undefined;

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

/** Runs the work of a row, with a permit to fetch if there is something to fetch. */
async function workInTurn(
  services: RowServices,
  job: RowJob,
  signal: AbortSignal,
  attempt: AttemptContext,
): Promise<RowOutput> {
  const { blobs, pools } = services;
  const { client, row } = job;
  const background = await openBackground(blobs, backgroundKeyOf(job), signal);
  const link = 'url' in row.source ? row.source.url : background?.link;
  const turn = { client, attempt };
  if ('url' in row.source) {
    const { url } = row.source;
    await attempt.withoutSlot(() => services.health.turn(url, signal));
  }
  return withFetchPermit(pools.background, turn, link, signal, () =>
    work(services, job, turn, signal),
  );
}

async function work(
  services: RowServices,
  job: RowJob,
  turn: FetchTurn,
  signal: AbortSignal,
): Promise<RowOutput> {
  const { engine } = services;
  const { client, operations, row, feed } = job;
  const model = modelVersionOf(engine.model);
  const region = soldRegion(job);
  const request = {
    operations,
    model,
    parser: modelVersionOf(engine.parser),
    background: pictureBackground(job),
    garmentsPrefix: garmentsOfRow(job),
    cutOutKey: (sha256: string) =>
      feed && cutOutKeyOf(engine, ownerOf(job), { sha256, options: job.options, region }),
  };
  const previous = await reusableResult(services.blobs, row, request, signal);
  const image = await fetchRowImage(services, job, previous, turn, signal);
  if (previous && !image) return unchanged(job, previous, image);
  if (!image) throw new Error('There is neither an image nor a previous result');
  const { bytes, width, height, sha256 } = validateImage(image.bytes, services.limits);
  if (previous?.input.sha256 === sha256) return unchanged(job, previous, image);

  const photo = feed && {
    client,
    feedId: feed.id,
    photo: photoId({
      sha256,
      operations,
      model,
      parser: request.parser,
      options: cacheOptions(engine, { options: job.options, region }),
      background: feed.background,
    }),
  };
  const make = () =>
    makeResults(services, job, { ...image, bytes, width, height, sha256 }, photo, turn, signal);
  if (!photo) return make();
  const find = async () => {
    const known = await services.photos.find(photo, signal);
    return known && reused(job, known, image);
  };
  return (
    (await find()) ??
    services.photos.alone(photo, signal, async () => (await find()) ?? (await make()))
  );
}

/** Makes the results of an image that the client has not had yet. */
async function makeResults(
  services: RowServices,
  job: RowJob,
  image: RowImage & Pick<ValidatedImage, 'width' | 'height' | 'sha256'>,
  photo: PhotoRef | undefined,
  turn: FetchTurn,
  signal: AbortSignal,
): Promise<RowOutput> {
  const { engine } = services;
  const { client, weight, operations, row, feed } = job;
  const { bytes, width, height, sha256, etag, lastModified } = image;
  await checkQuota(services, job);
  const backgroundKey = backgroundKeyOf(job);
  const background =
    backgroundKey === undefined
      ? undefined
      : await services.fetchBackground(backgroundKey, turn, signal);
  const options = withBackgroundHash(job.options, background);
  const region = soldRegion(job);
  const task = { client, weight, image: bytes, sha256, options, background, region };
  const outputKey = cutOutKeyOf(engine, ownerOf(job), task);
  const { results, millis } = await processImage(services, operations, task, ownerOf(job), signal);
  await keepDoubtful(services, job, results, bytes, signal);
  await deliver(services, job, results.cutout, outputKey, signal);
  const picture = await makePicture(services, job, results.cutout && outputKey, signal);
  const made = {
    input: { sha256, bytes: bytes.length, width, height },
    results: withKey(results, outputKey),
    ...(picture && { picture }),
    ...(photo && { photo: photo.photo }),
  };
  if (photo) await services.photos.put(photo, { ...made, madeBy: makerOf(job) });
  return {
    result: {
      row: row.row,
      status: 'succeeded',
      unchanged: false,
      ...(feed && { charged: true }),
      etag,
      lastModified,
      ...made,
    },
    quota: feed ? { charge: feed.meter } : 'held',
    millis,
  };
}

/** Records the result of a row. If the batch was erased meanwhile, deletes what the row made. */
async function finish(
  { batches, blobs }: Pick<WorkerServices, 'batches' | 'blobs'>,
  job: RowJob,
  output: RowOutput,
): Promise<boolean> {
  const { batchId, chunk, chunkRows, row } = job;
  const { result, quota } = output;
  const completion = { row: row.row, chunk, chunkRows, result, quota };
  const isFirst = await batches.finishRow(batchId, completion);
  if (isFirst) return true;
  const batch = await batches.get(batchId);
  const isErased = batch === undefined || batch.status === 'expired';
  if (!isErased || result.status === 'failed') return false;
  const keys = fileKeys(result, garmentsOfRow(job));
  if (job.feed && result.photo) keys.push(feedPhotoKey(job.client, job.feed.id, result.photo));
  keys.push(batchKeys(job.client, batchId).photo(row.row));
  for (const key of keys) await blobs.delete(key);
  return false;
}

/**
 * The result that storage has of a row whose image is deleted: Redis has lost that it had ended.
 * @throws BlobMissing if storage has none
 */
async function storedOutput(
  { blobs }: Pick<RowServices, 'blobs'>,
  job: RowJob,
  missing: BlobMissing,
) {
  const { chunk, row } = job;
  const result = await writtenResult(blobs, job, { chunk, row: row.row });
  if (!result) throw missing;
  return { result, quota: 'held', millis: {} } as const;
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
        : await workInTurn(services, job, signal, attempt).catch((error) => {
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
      return { millis: output.millis };
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
