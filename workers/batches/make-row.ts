import { createHash } from 'node:crypto';
import { sniffFormat } from '../../src/imaging/image-header.ts';
import { batchKeys } from '../../src/intake/batches/batch-files.ts';
import { feedPictureKey } from '../../src/intake/feeds/feed-keys.ts';
import { checkSent, type ValidatedImage, validateImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { JobResults, PreviousImage } from '../../src/queue/job-data.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import type { AttemptContext } from '../consume-jobs.ts';
import type { HostHealth } from '../fetch/host-health.ts';
import { ACCEPT_IMAGES } from '../fetch/safe-fetch.ts';
import {
  cacheOptions,
  cutOutKeyOf,
  processImage,
  withBackgroundHash,
} from '../images/process-image.ts';
import {
  type FetchTurn,
  fetchMillis,
  openBackground,
  withFetchPermit,
} from '../images/read-input.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import type { WorkerServices } from '../worker-services.ts';
import { type FeedPhotos, type PhotoRef, photoId } from './feed-photos.ts';
import {
  garmentsOfRow,
  ifComplete,
  makerOf,
  ownerOf,
  type RowImage,
  type RowJob,
  type RowOutput,
  reused,
  unchanged,
} from './row-output.ts';
import type { WrittenResults } from './same-link.ts';

/** What a row needs besides the worker. */
export interface RowServices extends WorkerServices {
  /** Of sources. */
  objects: SourceObjects;
  photos: FeedPhotos;
  written: WrittenResults;
  health: HostHealth;
  /** The background image of a batch, by its key. */
  fetchBackground(key: string, turn: FetchTurn, signal: AbortSignal): Promise<ValidatedImage>;
}

const withKey = ({ cutout, ...rest }: JobResults, key: string): PreviousImage['results'] => ({
  ...rest,
  ...(cutout && { cutout: { ...cutout, key } }),
});

/** One attempt at making the result of a row. */
export class RowMaker {
  readonly #services: RowServices;
  readonly #job: RowJob;
  readonly #attempt: AttemptContext;
  readonly #signal: AbortSignal;
  readonly #turn: FetchTurn;
  /** Where the garment that the row sells is worn, if its picture is to show only that. */
  readonly #region: Region | undefined;

  constructor(services: RowServices, job: RowJob, attempt: AttemptContext, signal: AbortSignal) {
    this.#services = services;
    this.#job = job;
    this.#attempt = attempt;
    this.#signal = signal;
    this.#turn = { client: job.client, attempt };
    this.#region = job.options?.subject === 'garment' ? job.row.region : undefined;
  }

  /**
   * Makes the result, with a permit to fetch if there is something to fetch.
   * @throws FetchError; LocationUnavailable; BlobMissing; Problem
   */
  async make(): Promise<RowOutput> {
    const { blobs, pools, health } = this.#services;
    const { source } = this.#job.row;
    const background = await openBackground(blobs, this.#backgroundKey(), this.#signal);
    const link = 'url' in source ? source.url : background?.link;
    if ('url' in source) {
      await this.#attempt.withoutSlot(() => health.turn(source.url, this.#signal));
    }
    const work = () => this.#work();
    return link === undefined
      ? work()
      : withFetchPermit(pools.background, this.#turn, link, this.#signal, work);
  }

  async #work(): Promise<RowOutput> {
    const { limits, photos } = this.#services;
    const job = this.#job;
    const previous = await this.#reusable();
    const image = await this.#fetch(previous);
    if (previous && !image) return unchanged(job, previous, image);
    if (!image) throw new Error('There is neither an image nor a previous result');
    const valid = { ...image, ...validateImage(image.bytes, limits) };
    if (previous?.input.sha256 === valid.sha256) return unchanged(job, previous, image);
    const photo = this.#photoOf(valid.sha256);
    if (!photo) return this.#makeNew(valid, photo);
    const find = async () => {
      const known = await photos.find(photo, this.#signal);
      return known && reused(job, known, image);
    };
    const findOrMake = async () => (await find()) ?? (await this.#makeNew(valid, photo));
    return (await find()) ?? photos.alone(photo, this.#signal, findOrMake);
  }

  /** Returns the results of the previous run if they satisfy the request and still exist. */
  async #reusable(): Promise<PreviousImage | undefined> {
    const { blobs, versions } = this.#services;
    const { row, operations } = this.#job;
    const { earlier } = row;
    if (!earlier) return undefined;
    const { cutout, view, outfit } = earlier.results;
    if (operations.includes('classify') && !view) return undefined;
    if (operations.includes('separate') && outfit?.model !== versions.parser) return undefined;
    if (operations.includes('remove-background')) {
      if (cutout?.model !== versions.model) return undefined;
      if (earlier.picture?.background !== this.#pictureBackground()) return undefined;
      // The row may sell another garment of the photo now, or another network find it.
      if (cutout.key !== this.#feedCutOutKey(earlier.input.sha256)) return undefined;
    }
    return ifComplete(blobs, earlier, garmentsOfRow(this.#job), this.#signal);
  }

  /** The key of an image's cut-out by the present options; undefined outside feeds. */
  #feedCutOutKey(sha256: string): string | undefined {
    const { feed, options } = this.#job;
    const task = { sha256, options, region: this.#region };
    return feed && cutOutKeyOf(this.#services.versions, ownerOf(this.#job), task);
  }

  /**
   * Reads or fetches the image of the row.
   * @returns undefined if its server says that it has not changed since the previous run
   */
  async #fetch(previous: PreviousImage | undefined): Promise<RowImage | undefined> {
    const { blobs, safeFetch, objects, health, maxBytes, feeds } = this.#services;
    const { client, feed, row } = this.#job;
    const { source, isOtherLink } = row;
    const signal = this.#signal;
    if ('key' in source) return { bytes: await blobs.get(source.key, signal) };
    if ('object' in source) return { bytes: await objects.read(source.object, signal) };
    const known = isOtherLink ? undefined : previous;
    const sent = await feeds.access.forLink(client, feed?.access, source.url);
    const fetched = await health.ask(source.url, () =>
      safeFetch.fetch(source.url, {
        accept: ACCEPT_IMAGES,
        ...sent,
        ...{ client, maxBytes, signal, totalMillis: fetchMillis(this.#attempt) },
        ...(known?.etag && { etag: known.etag }),
        ...(known?.lastModified && { lastModified: known.lastModified }),
      }),
    );
    const { etag, lastModified } = fetched.headers;
    if (!fetched.notModified) {
      checkSent(fetched.bytes);
      return { bytes: fetched.bytes, etag, lastModified };
    }
    if (previous) return undefined;
    throw new Problem('upstream-failed', 'The server answered without the image');
  }

  /** Names the photo with everything that its results depend on; undefined outside feeds. */
  #photoOf(sha256: string): PhotoRef | undefined {
    const { versions } = this.#services;
    const { client, operations, options, feed } = this.#job;
    return (
      feed && {
        client,
        feedId: feed.id,
        photo: photoId({
          sha256,
          operations,
          model: versions.model,
          parser: versions.parser,
          options: cacheOptions(versions, { options, region: this.#region }),
          background: feed.background,
        }),
      }
    );
  }

  async #makeNew(
    image: RowImage & ValidatedImage,
    photo: PhotoRef | undefined,
  ): Promise<RowOutput> {
    const job = this.#job;
    const { versions, photos, fetchBackground } = this.#services;
    const { client, weight, operations, row, feed } = job;
    const { bytes, width, height, sha256, etag, lastModified } = image;
    await this.#checkQuota();
    const key = this.#backgroundKey();
    const background =
      key === undefined ? undefined : await fetchBackground(key, this.#turn, this.#signal);
    const task = {
      ...{ client, weight, sha256, image: bytes, region: this.#region },
      background,
      options: withBackgroundHash(job.options, background),
    };
    const owner = ownerOf(job);
    const outputKey = cutOutKeyOf(versions, owner, task);
    const { results, millis } = await processImage(
      this.#services,
      operations,
      task,
      owner,
      this.#signal,
    );
    await this.#keepDoubtful(results, bytes);
    await this.#deliver(results.cutout, outputKey);
    const picture = await this.#makePicture(results.cutout && outputKey);
    const made = {
      input: { sha256, bytes: bytes.length, width, height },
      results: withKey(results, outputKey),
      ...(picture && { picture }),
      ...(photo && { photo: photo.photo }),
    };
    if (photo) await photos.put(photo, { ...made, madeBy: makerOf(job) });
    const about = { row: row.row, status: 'succeeded' as const, unchanged: false };
    const result = { ...about, ...(feed && { charged: true }), etag, lastModified, ...made };
    return { result, quota: feed ? { charge: feed.meter } : 'held', millis };
  }

  /** Rows of a batch are charged when they are accepted; rows of a feed when there is work to do. */
  async #checkQuota(): Promise<void> {
    const { feed } = this.#job;
    if (!feed || (await this.#services.batches.hasQuota(feed.meter))) return;
    throw new Problem(
      'quota-exceeded',
      'The units of the day are used up; run the feed again tomorrow',
    );
  }

  #backgroundKey(): string | undefined {
    const { client, batchId, options } = this.#job;
    const { background } = batchKeys({ client, id: batchId });
    return options?.backgroundImageUrl === undefined ? undefined : background;
  }

  /** The background of the marketplace pictures of a feed; if rules judge its cut-outs, there are none. */
  #pictureBackground(): string | undefined {
    const { feed, options } = this.#job;
    return options?.rules === undefined ? feed?.background : undefined;
  }

  /** Keeps the photo of a cut-out that needs a review, as long as the batch: who reviews it compares and mends. */
  async #keepDoubtful({ cutout }: JobResults, bytes: Uint8Array): Promise<void> {
    const { blobs, keepsPhotos } = this.#services;
    const { client, batchId, row } = this.#job;
    if (!keepsPhotos || !cutout?.review?.needed) return;
    const mediaType = `image/${sniffFormat(bytes)}`;
    await blobs.put(
      batchKeys({ client, id: batchId }).photo(row.row),
      bytes,
      { mediaType },
      this.#signal,
    );
  }

  /** Writes the cut-out of an object of a source to its place. An attempt that comes late writes none. */
  async #deliver(cutout: JobResults['cutout'], key: string): Promise<void> {
    const { batches, objects, blobs } = this.#services;
    const { batchId, chunk, row } = this.#job;
    if (!cutout || !('object' in row.source)) return;
    const bytes = await blobs.get(key, this.#signal);
    if (!(await batches.isRowPending(batchId, chunk, row.row))) return;
    await objects.deliver(row.source.object, bytes, cutout.mediaType, this.#signal);
  }

  /** Makes the marketplace picture of a feed's cut-out; undefined if the cut-out itself serves. */
  async #makePicture(cutoutKey: string | undefined): Promise<PreviousImage['picture']> {
    const { blobs, engine } = this.#services;
    const { feed, options, client, weight } = this.#job;
    const signal = this.#signal;
    if (!feed || !cutoutKey || options?.rules !== undefined) return undefined;
    const { background } = feed;
    const key = feedPictureKey(cutoutKey, background);
    const existing = await blobs.head(key, signal);
    if (existing) return { key, mediaType: existing.mediaType, background };
    const cutout = await blobs.get(cutoutKey, signal);
    const use = { signal, owner: { client, weight } };
    const picture = await engine.renderMarketplacePicture(cutout, { background }, use);
    if (!picture) return undefined;
    const { bytes, mediaType } = picture;
    const meta = { sha256: createHash('sha256').update(bytes).digest('hex') };
    await blobs.put(key, bytes, { mediaType, meta }, signal);
    return { key, mediaType, background };
  }
}
