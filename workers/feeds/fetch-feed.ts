import { Readable } from 'node:stream';
import { FEED_LIMITS } from '../../src/feed-formats/chunk.ts';
import { expandFeed } from '../../src/feed-formats/expand.ts';
import {
  feedKeys,
  readSourceMetadata,
  type SourceMetadata,
  writeSourceMetadata,
} from '../../src/intake/feeds/feed-keys.ts';
import type { FeedDocument, FeedRecord } from '../../src/intake/feeds/feeds.ts';
import { Problem } from '../../src/platform/problem.ts';
import { copyIfPresent } from '../../src/storage/blobs.ts';
import type { WorkerServices } from '../worker-services.ts';

/** Enough for a feed of 2 GiB over a slow connection. */
const FETCH_MILLIS = 30 * 60_000;
/** A feed that takes longer than three minutes has to be large. */
const SPEED = { minBytesPerSecond: 64 * 1024, windowMillis: 120_000, graceMillis: 60_000 };

const ACCEPT_FEEDS =
  'text/csv,application/xml,text/xml,application/x-ndjson,application/json,application/gzip;q=0.9,*/*;q=0.5';

type Services = Pick<WorkerServices, 'blobs' | 'feeds' | 'safeFetch' | 'storedBytes'>;

const fileNameOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

/**
 * Streams the feed into storage; the blob appears only when it is complete. If the server says that it has not
 * changed, copies the document of the previous run, or fetches it after all if that is gone.
 */
async function download(
  { blobs, safeFetch }: Pick<Services, 'blobs' | 'safeFetch'>,
  { client, url, sent }: { client: string; url: string; sent: object },
  keys: { target: string; previous: string | undefined },
  document: Partial<FeedDocument>,
  signal: AbortSignal,
): Promise<void> {
  const { target, previous } = keys;
  const { etag, lastModified } = previous === undefined ? {} : document;
  const opened = await safeFetch.open(url, {
    ...sent,
    client,
    accept: ACCEPT_FEEDS,
    maxBytes: FEED_LIMITS.maxBytes,
    totalMillis: FETCH_MILLIS,
    speed: SPEED,
    signal,
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  });
  if (opened.notModified) {
    if (previous !== undefined && (await copyIfPresent(blobs, previous, target, signal))) return;
    const without = { target, previous: undefined };
    return download({ blobs, safeFetch }, { client, url, sent }, without, {}, signal);
  }
  const { contentType: mediaType, ...validators } = opened.headers;
  const metadata = { mediaType, fileName: fileNameOf(opened.finalUrl), ...validators };
  await blobs.put(
    target,
    Readable.from(expandFeed(opened.body)),
    writeSourceMetadata(metadata),
    signal,
  );
}

/**
 * Makes sure that the document of a run is in storage, complete. Returns its metadata.
 * @throws FetchError; Problem if it was never uploaded
 */
export async function fetchFeed(
  services: Services,
  { id, client, source, access, document, meter }: FeedRecord,
  runId: string,
  signal: AbortSignal,
): Promise<SourceMetadata> {
  const { blobs, storedBytes } = services;
  const keys = feedKeys(client, id);
  const target = keys.source(runId);
  const stored = await blobs.head(target, signal);
  if (stored) return readSourceMetadata(stored);
  if ('url' in source) {
    const previous = document && keys.source(document.runId);
    const sent = await services.feeds.access.forLink(client, access, source.url);
    const link = { client, url: source.url, sent };
    await download(services, link, { target, previous }, document ?? {}, signal);
  }
  const head = await blobs.head(target, signal);
  if (head) {
    await storedBytes.add(meter, head.bytes);
    return readSourceMetadata(head);
  }
  throw new Problem('invalid-request', 'The feed was not uploaded completely; send it again');
}
