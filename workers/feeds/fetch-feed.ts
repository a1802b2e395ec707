import { Readable } from 'node:stream';
import { FEED_LIMITS } from '../../src/feed-formats/limits.ts';
import { feedKeys } from '../../src/intake/feeds/feed-keys.ts';
import {
  readSourceFacts,
  type SourceFacts,
  writeSourceFacts,
} from '../../src/intake/feeds/feed-source.ts';
import type { FeedDocument, FeedRecord } from '../../src/intake/feeds/feeds.ts';
import { Problem } from '../../src/platform/problem.ts';
import { BlobMissing, type Blobs } from '../../src/storage/blobs.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';

/** A feed of 2 GiB over a slow line. */
const FEED_MILLIS = 30 * 60_000;

export interface FetchFeedDeps {
  blobs: Blobs;
  safeFetch: Pick<SafeFetch, 'open'>;
}

const fileNameOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

/** Takes the document of an earlier run; false where that is gone. */
async function copied(blobs: Blobs, from: string, to: string, signal: AbortSignal) {
  try {
    await blobs.copy(from, to, signal);
    return true;
  } catch (error) {
    if (error instanceof BlobMissing) return false;
    throw error;
  }
}

/** Fetches the feed into the store as it comes; nothing is there before all of it is. */
async function download(
  { blobs, safeFetch }: FetchFeedDeps,
  url: string,
  keys: { to: string; former: string | undefined },
  known: Partial<FeedDocument>,
  signal: AbortSignal,
): Promise<void> {
  const { etag, lastModified } = keys.former === undefined ? {} : known;
  const opened = await safeFetch.open(url, {
    maxBytes: FEED_LIMITS.maxBytes,
    totalMillis: FEED_MILLIS,
    signal,
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  });
  if (opened.notModified) {
    if (keys.former !== undefined && (await copied(blobs, keys.former, keys.to, signal))) return;
    return download({ blobs, safeFetch }, url, { ...keys, former: undefined }, {}, signal);
  }
  const { contentType: mediaType, ...said } = opened.headers;
  const facts = { mediaType, fileName: fileNameOf(opened.finalUrl), ...said };
  await blobs.put(keys.to, Readable.from(opened.body), writeSourceFacts(facts), signal);
}

/**
 * Sees to it that a run's document lies in the store, whole.
 * @returns what is known of it
 * @throws FetchRefused; Problem where it was never sent
 */
export async function fetchFeed(
  deps: FetchFeedDeps,
  { id, client, source, document }: FeedRecord,
  runId: string,
  signal: AbortSignal,
): Promise<SourceFacts> {
  const { blobs } = deps;
  const keys = feedKeys(client, id);
  const to = keys.source(runId);
  if ('url' in source && !(await blobs.head(to, signal))) {
    const former = document && keys.source(document.runId);
    await download(deps, source.url, { to, former }, document ?? {}, signal);
  }
  const head = await blobs.head(to, signal);
  if (head) return readSourceFacts(head);
  throw new Problem('invalid-request', 'The feed was not sent whole; send it again');
}
