import type { BlobHead, BlobMetadata } from '../../storage/blobs.ts';

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
  return {
    ...(MEDIA_TYPE.test(mediaType) && { mediaType }),
    meta: Object.fromEntries(meta),
  };
}

export function readSourceMetadata({
  mediaType,
  meta,
}: Pick<BlobHead, 'mediaType' | 'meta'>): SourceMetadata {
  const values = Object.entries(NAMES).flatMap(([name, property]) => {
    const encoded = meta[name];
    return encoded === undefined ? [] : [[property, decodeURIComponent(encoded)] as const];
  });
  return { mediaType, ...Object.fromEntries(values) };
}
