import { exportFeed } from '../../../feed-formats/export.ts';
import type { FeedReadOptions } from '../../../feed-formats/parse.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import type { SourceMetadata } from '../../../intake/feeds/feed-source.ts';
import { type ImageLine, imagesInOrder, pictureKeyOf } from './report-lines.ts';
import { FEED_MEDIA_TYPES } from './request.ts';

/** Rewrites the image links of a feed's document. Images that failed keep their original link. */
export async function* exportWithLinks(
  document: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
  outcomes: AsyncIterable<RowOutcome>,
  linkOf: (id: string, image: number, of: Pick<ImageLine, 'pictureKey'>) => string | undefined,
): AsyncGenerator<Uint8Array> {
  const images = imagesInOrder(outcomes);
  try {
    yield* exportFeed(
      document,
      async ({ id }, image) => {
        const pictureKey = pictureKeyOf((await images.next(id, image))?.result);
        return linkOf(id, image, { pictureKey });
      },
      options,
    );
  } finally {
    await images.close();
  }
}

/** File extensions, for feeds without a file name or with one that has no extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'jsonl',
};

/**
 * Returns the headers of an export: the original media type if it is one of a feed, so that
 * browsers treat the file as nothing else, and a safe file name.
 */
export function exportHeaders(
  feedId: string,
  { mediaType = '', fileName = '' }: SourceMetadata,
): Record<string, string> {
  const essence = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  const isFeed = FEED_MEDIA_TYPES.some((known) => known === essence);
  const safeName = fileName.replace(/[^A-Za-z0-9._-]+/g, '-').slice(-100);
  const known = Object.hasOwn(EXTENSIONS, essence) ? EXTENSIONS[essence] : undefined;
  const extension = known ?? (essence.includes('xml') ? 'xml' : 'txt');
  const name = /\w\.\w+$/.test(safeName) ? safeName : `${feedId}.${extension}`;
  return {
    'content-type': isFeed ? mediaType : 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
}
