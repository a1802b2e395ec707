import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { getJson, putJson } from '../../src/intake/batches/batch-files.ts';
import { feedGarmentsPrefix, feedKeys, feedPhotoKey } from '../../src/intake/feeds/feed-keys.ts';
import { Lease } from '../../src/intake/leases.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import { PreviousImage } from '../../src/queue/job-data.ts';
import { segment } from '../../src/storage/blob-keys.ts';
import { type Blobs, copyIfPresent } from '../../src/storage/blobs.ts';
import { fileKeys, ifComplete } from './row-output.ts';

/** How long other feeds of a client find a photo. */
const SHARED_SECONDS = 14 * 86_400;
const LEASE_MILLIS = 30_000;
const POLL_MILLIS = 200;

/** One photo with options, in a feed. */
export interface PhotoRef {
  client: string;
  feedId: string;
  /** See `photoId`. */
  photo: string;
}

/** Identifies the bytes of a photo with everything that its results depend on. */
export const photoId = (facts: object): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex');

/** The results of photos, by their bytes: each is made once for a client, whatever its links, rows and feeds. */
export class FeedPhotos {
  readonly #redis: Redis;
  readonly #blobs: Blobs;

  constructor(redis: Redis, blobs: Blobs) {
    this.#redis = redis;
    this.#blobs = blobs;
  }

  /** Finds the results of a photo in its feed, or copies them from another feed of the client. */
  async find(ref: PhotoRef, signal: AbortSignal): Promise<PreviousImage | undefined> {
    const own = await this.#read(ref, signal);
    if (own) return own;
    const feedId = await this.#redis.get(this.#sharedKey(ref));
    if (feedId === null || feedId === ref.feedId) return undefined;
    const other = await this.#read({ ...ref, feedId }, signal);
    return other && this.#copy(other, feedId, ref, signal);
  }

  async #read({ client, feedId, photo }: PhotoRef, signal: AbortSignal) {
    const json = await getJson(this.#blobs, feedPhotoKey(client, feedId, photo), signal);
    const found = PreviousImage.safeParse(json).data;
    const prefixOf = (sha256: string) => feedGarmentsPrefix(client, feedId, sha256);
    return found && ifComplete(this.#blobs, found, prefixOf, signal);
  }

  /** Copies the files of a photo; undefined if one is gone meanwhile. */
  async #copy(from: PreviousImage, feedId: string, ref: PhotoRef, signal: AbortSignal) {
    const { client } = ref;
    const [there, here] = [feedId, ref.feedId].map((id) => feedKeys(client, id).images);
    const moved = (key: string): string => key.replace(there ?? '', here ?? '');
    for (const key of fileKeys(from, (sha256) => feedGarmentsPrefix(client, feedId, sha256))) {
      if (!(await copyIfPresent(this.#blobs, key, moved(key), signal))) return undefined;
    }
    const { cutout } = from.results;
    const { madeBy: _, ...made } = from;
    const photo: PreviousImage = {
      ...made,
      results: {
        ...from.results,
        ...(cutout && { cutout: { ...cutout, key: moved(cutout.key) } }),
      },
      ...(from.picture && { picture: { ...from.picture, key: moved(from.picture.key) } }),
    };
    await this.put(ref, photo);
    return photo;
  }

  /** Stores the results of a photo, where further rows find them. */
  async put({ client, feedId, photo }: PhotoRef, result: PreviousImage): Promise<void> {
    await putJson(this.#blobs, feedPhotoKey(client, feedId, photo), result);
  }

  /** Lets other feeds of the client find a photo that was charged. */
  async share(ref: PhotoRef): Promise<void> {
    await this.#redis.set(this.#sharedKey(ref), ref.feedId, 'EX', SHARED_SECONDS);
  }

  /** Runs work on a photo while nobody else of the client works on it. */
  async alone<T>(ref: PhotoRef, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lease = new Lease(this.#redis, `${this.#sharedKey(ref)}:lease`);
    while (!(await lease.acquire(LEASE_MILLIS))) await sleep(POLL_MILLIS, undefined, { signal });
    // Without Redis it ends, and at worst a photo is processed twice.
    return lease.whileHeld(LEASE_MILLIS, work);
  }

  #sharedKey = ({ client, photo }: PhotoRef): string =>
    `${PREFIX}:photo:${segment(client)}:${photo.slice(0, 32)}`;
}
