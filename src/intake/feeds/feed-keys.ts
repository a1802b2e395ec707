import { type CacheInputs, cutOutPrefix, FEEDS_PREFIX, segment } from '../../storage/blob-keys.ts';
import type { BlobHead, BlobMetadata } from '../../storage/blobs.ts';

/** All blobs of a feed but its runs' rows and results have this prefix. */
export const feedPrefix = (client: string, feedId: string): string =>
  `${FEEDS_PREFIX}${segment(client)}/${feedId}/`;

export const feedKeys = (client: string, feedId: string) => {
  const prefix = feedPrefix(client, feedId);
  return {
    manifest: `${prefix}feed.json`,
    /** The feed document that a run has read, byte for byte. */
    source: (runId: string): string => `${prefix}runs/${runId}/source`,
    /** Rows that have left it, for the time of grace. */
    kept: `${prefix}kept.ndjson`,
    /** Its images that no row uses, and since when. */
    unused: `${prefix}unused.ndjson`,
    /** Prefix of all its cut-outs and pictures. */
    images: `${prefix}images/`,
  };
};

/**
 * The key of a feed's cut-out, shared by all its products and runs with the same image.
 * @param extension of its format, as in file names
 */
export function feedImageKey(
  client: string,
  feedId: string,
  inputs: CacheInputs,
  extension: string,
): string {
  const [, , sha256, pipeline] = cutOutPrefix(inputs).split('/');
  return `${feedKeys(client, feedId).images}${sha256}-${pipeline}.${extension}`;
}

/** The key of the results of a photo of a feed. @param photo its bytes and options, hex */
export const feedPhotoKey = (client: string, feedId: string, photo: string): string =>
  `${feedKeys(client, feedId).images}photo-${photo}.json`;

/** The prefix of the cut-outs of the garments in an image of a feed, shared as its cut-out is. */
export const feedGarmentsPrefix = (client: string, feedId: string, sha256: string): string =>
  `${feedKeys(client, feedId).images}${sha256}-garment-`;

/** The key of a cut-out's picture for marketplaces: a JPEG on a background, else a PNG. @param background `#rrggbb` */
export const feedPictureKey = (cutoutKey: string, background: string | undefined): string =>
  cutoutKey.replace(/\.png$/, background ? `-${background.slice(1)}.jpg` : '-clear.png');

export interface SourceMetadata {
  /** As its server or the client gave it. */
  mediaType?: string | undefined;
  fileName?: string | undefined;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** Longer values are dropped: without them a run only does more work. */
const MAX_CHARS = 300;
const MEDIA_TYPE = /^[\x21-\x7e](?:[\x20-\x7e]{0,200}[\x21-\x7e])?$/;

const NAMES = { 'file-name': 'fileName', etag: 'etag', 'last-modified': 'lastModified' } as const;

/** Returns the metadata as object storage takes it; untrusted values are percent-encoded. */
export function writeSourceMetadata({ mediaType = '', ...values }: SourceMetadata): BlobMetadata {
  const meta = Object.entries(NAMES).flatMap(([name, property]) => {
    const encoded = encodeURIComponent(values[property] ?? '');
    return encoded && encoded.length <= MAX_CHARS ? [[name, encoded] as const] : [];
  });
  return { ...(MEDIA_TYPE.test(mediaType) && { mediaType }), meta: Object.fromEntries(meta) };
}

export function readSourceMetadata(head: Pick<BlobHead, 'mediaType' | 'meta'>): SourceMetadata {
  const { mediaType, meta } = head;
  const values = Object.entries(NAMES).flatMap(([name, property]) => {
    const encoded = meta[name];
    return encoded === undefined ? [] : [[property, decodeURIComponent(encoded)] as const];
  });
  return { mediaType, ...Object.fromEntries(values) };
}
