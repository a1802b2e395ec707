import { exportFeed } from '../../../feed-formats/export.ts';
import type { FeedReading } from '../../../feed-formats/parse.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import type { SourceFacts } from '../../../intake/feeds/feed-source.ts';
import { type ImageLine, imagesInOrder, pictureKeyOf } from './report-lines.ts';
import { FEED_MEDIA_TYPES } from './request.ts';

/** A feed's document with other links: images that failed keep their own. */
export async function* exportedFeed(
  document: AsyncIterable<Uint8Array>,
  reading: FeedReading,
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
      reading,
    );
  } finally {
    await images.close();
  }
}

/** For feeds whose file has no name, or one without an ending. */
const ENDINGS: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'jsonl',
};

/**
 * The headers an export leaves with: the media type it came with, unless browsers would make something
 * else of it, and a name to be saved under.
 */
export function exportHeaders(
  feedId: string,
  { mediaType = '', fileName = '' }: SourceFacts,
): Record<string, string> {
  const plain = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  const isFeed = FEED_MEDIA_TYPES.some((known) => known === plain) || plain === 'text/plain';
  const safe = fileName.replace(/[^A-Za-z0-9._-]+/g, '-').slice(-100);
  const known = Object.hasOwn(ENDINGS, plain) ? ENDINGS[plain] : undefined;
  const ending = known ?? (plain.includes('xml') ? 'xml' : 'txt');
  const name = /\w\.\w+$/.test(safe) ? safe : `${feedId}.${ending}`;
  return {
    'content-type': isFeed ? mediaType : 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
}
