import { garmentKeys } from '../../src/intake/garment-files.ts';
import { checkSent } from '../../src/intake/wrong-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { JobData } from '../../src/queue/catalog.ts';
import type { AcceptedRow, Operation, PreviousImage } from '../../src/queue/job-data.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { HostHealth } from '../fetch/host-health.ts';
import { ACCEPT_IMAGES } from '../fetch/safe-fetch.ts';
import { type FetchTurn, fetchMillis } from '../images/read-input.ts';
import type { SourceObjects } from '../sources/source-objects.ts';
import type { WorkerServices } from '../worker-services.ts';

interface RowImageServices
  extends Pick<WorkerServices, 'blobs' | 'safeFetch' | 'maxBytes' | 'feeds'> {
  objects: Pick<SourceObjects, 'read'>;
  health: HostHealth;
}

/** The results a row needs. */
interface RowRequest {
  operations: readonly Operation[];
  /** `id@version` */
  model: string;
  /** The parse network, `id@version`. */
  parser: string;
  /** Background of marketplace pictures of a feed, `#rrggbb`. */
  background: string | undefined;
  /** Returns the prefix of the keys of garments in an image. */
  garmentsPrefix(sha256: string): string;
  /** Returns the key of an image's cut-out by the present options; undefined outside feeds. */
  cutOutKey(sha256: string): string | undefined;
}

/** The bytes of a row's image, and the validators of its HTTP response. */
export interface RowImage {
  bytes: Uint8Array;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** Returns an earlier result if all its files still exist. */
export async function ifComplete<T extends PreviousImage>(
  blobs: Blobs,
  photo: T,
  garmentsPrefix: (sha256: string) => string,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const heads = await Promise.all(
    fileKeys(photo, garmentsPrefix).map((key) => blobs.head(key, signal)),
  );
  return heads.every((head) => head !== undefined) ? photo : undefined;
}

/** Returns the keys of all files of a result. */
export const fileKeys = (
  { results, picture, input }: PreviousImage,
  garmentsPrefix: (sha256: string) => string,
): string[] =>
  [
    results.cutout?.key,
    picture?.key,
    ...garmentKeys(garmentsPrefix(input.sha256), results.outfit),
  ].filter((key) => key !== undefined);

/** Returns the results of the previous run if they satisfy the request and still exist. */
export async function reusableResult(
  blobs: Blobs,
  { earlier }: AcceptedRow,
  { operations, model, parser, background, garmentsPrefix, cutOutKey }: RowRequest,
  signal: AbortSignal,
): Promise<PreviousImage | undefined> {
  if (!earlier) return undefined;
  const { cutout, view, outfit } = earlier.results;
  if (operations.includes('classify') && !view) return undefined;
  if (operations.includes('separate') && outfit?.model !== parser) return undefined;
  if (operations.includes('remove-background')) {
    if (cutout?.model !== model || earlier.picture?.background !== background) return undefined;
    // The row may sell another garment of the photo now, or another network find it.
    if (cutout.key !== cutOutKey(earlier.input.sha256)) return undefined;
  }
  return ifComplete(blobs, earlier, garmentsPrefix, signal);
}

/**
 * Reads or fetches the image of a row.
 * @returns undefined if its server says that it has not changed since the previous run
 * @throws FetchError; LocationUnavailable; Problem if the server's response makes no sense
 */
export async function fetchRowImage(
  { blobs, safeFetch, objects, health, maxBytes, feeds }: RowImageServices,
  {
    client,
    row: { source, isOtherLink },
    feed,
  }: Pick<JobData<'run-row'>, 'client' | 'row' | 'feed'>,
  previous: PreviousImage | undefined,
  { attempt }: Pick<FetchTurn, 'attempt'>,
  signal: AbortSignal,
): Promise<RowImage | undefined> {
  if ('key' in source) return { bytes: await blobs.get(source.key, signal) };
  if ('object' in source) return { bytes: await objects.read(source.object, signal) };
  const validators = isOtherLink
    ? {}
    : { etag: previous?.etag, lastModified: previous?.lastModified };
  const sent = await feeds.access.forLink(client, feed?.access, source.url);
  const fetched = await health.ask(source.url, () =>
    safeFetch.fetch(source.url, {
      accept: ACCEPT_IMAGES,
      ...sent,
      client,
      maxBytes,
      totalMillis: fetchMillis(attempt),
      signal,
      ...(validators.etag && { etag: validators.etag }),
      ...(validators.lastModified && { lastModified: validators.lastModified }),
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
