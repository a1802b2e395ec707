import type { BlobFacts, BlobHead } from '../../storage/blobs.ts';

/** What is known of a feed's document beside its bytes. */
export interface SourceFacts {
  /** As it was served or sent. */
  mediaType?: string | undefined;
  fileName?: string | undefined;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** Longer ones are dropped: they only save work. */
const MAX_CHARS = 300;
const MEDIA_TYPE = /^[\x21-\x7e](?:[\x20-\x7e]{0,200}[\x21-\x7e])?$/;

const NAMES = { 'file-name': 'fileName', etag: 'etag', 'last-modified': 'lastModified' } as const;

/** The facts as the store keeps them: a stranger's words travel encoded. */
export function writeSourceFacts({ mediaType = '', ...words }: SourceFacts): BlobFacts {
  const meta = Object.entries(NAMES).flatMap(([name, word]) => {
    const written = encodeURIComponent(words[word] ?? '');
    return written && written.length <= MAX_CHARS ? [[name, written] as const] : [];
  });
  return {
    ...(MEDIA_TYPE.test(mediaType) && { mediaType }),
    meta: Object.fromEntries(meta),
  };
}

export function readSourceFacts({ mediaType, meta }: Pick<BlobHead, 'mediaType' | 'meta'>) {
  const words = Object.entries(NAMES).flatMap(([name, word]) => {
    const written = meta[name];
    return written === undefined ? [] : [[word, decodeURIComponent(written)] as const];
  });
  const facts: SourceFacts = { mediaType, ...Object.fromEntries(words) };
  return facts;
}
