import { createHash } from 'node:crypto';
import { sniffFormat } from '../../src/imaging/sniff.ts';
import { batchKeys } from '../../src/intake/batches/batch-files.ts';
import { feedPictureKey } from '../../src/intake/feeds/feed-keys.ts';
import type { ValidatedImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { JobResults, PreviousImage } from '../../src/queue/job-data.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import type { HostHealth } from '../fetch/host-health.ts';
import { cutOutKeyOf, processImage, withBackgroundHash } from '../images/process-image.ts';
import type { FetchTurn } from '../images/read-input.ts';
import type { ImageServices } from '../images/run-engine.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import type { WorkerServices } from '../worker-services.ts';
import type { FeedPhotos, PhotoRef } from './feed-photos.ts';
import type { RowImage } from './row-image.ts';
import { makerOf, ownerOf, type RowJob, type RowOutput } from './row-output.ts';

/** What a row needs besides the worker. */
export interface RowServices extends WorkerServices {
  /** Of sources. */
  objects: SourceObjects;
  photos: FeedPhotos;
  health: HostHealth;
  /** The background image of a batch, by its key. */
  fetchBackground(key: string, turn: FetchTurn, signal: AbortSignal): Promise<ValidatedImage>;
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
export const pictureBackground = ({ feed, options }: RowJob): string | undefined =>
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
export const backgroundKeyOf = ({ client, batchId, options }: RowJob): string | undefined =>
  options?.backgroundImageUrl === undefined ? undefined : batchKeys(client, batchId).background;

/** Returns where the garment that a row sells is worn, if its picture is to show only that. */
export const soldRegion = ({ options, row }: RowJob): Region | undefined =>
  options?.subject === 'garment' ? row.region : undefined;

/** Makes the results of an image that the client has not had yet. */
export async function makeResults(
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
