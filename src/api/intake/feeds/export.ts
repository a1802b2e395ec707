import type { FilledColumn } from '../../../feed-formats/columns.ts';
import { exportFeed } from '../../../feed-formats/export.ts';
import type { FeedReadOptions } from '../../../feed-formats/open-feed.ts';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import type { SourceMetadata } from '../../../intake/feeds/feed-keys.ts';
import type { ImageEvidence } from '../../../taxonomy/classify.ts';
import { SANDBOX_HEADERS } from '../../send-blob.ts';
import {
  asDecided,
  classifyProduct,
  columnValues,
  evidenceOf,
  type LearnedOf,
} from './classify-product.ts';
import { type ImageLine, imagesInOrder, pictureKeyOf } from './report-lines.ts';

/**
 * Rewrites the image links of a feed's document. Images that failed keep their original link.
 * @param filled columns filled from the classification of each product that has no value of its own
 */
export async function* exportWithLinks(
  document: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
  outcomes: AsyncIterable<RowOutcome>,
  linkOf: (id: string, image: number, of: Pick<ImageLine, 'pictureKey'>) => string | undefined,
  { columns, learnedOf }: { columns: readonly FilledColumn[]; learnedOf: LearnedOf },
): AsyncGenerator<Uint8Array> {
  const images = imagesInOrder(outcomes);
  let evidence: ImageEvidence | undefined;
  let decided: string | undefined;
  try {
    yield* exportFeed(
      document,
      async ({ id }, image) => {
        const { result, category } = (await images.next(id, image)) ?? {};
        evidence = (image === 0 ? undefined : evidence) ?? evidenceOf(result);
        decided = (image === 0 ? undefined : decided) ?? category;
        return linkOf(id, image, { pictureKey: pictureKeyOf(result) });
      },
      options,
      {
        columns,
        async valuesOf(row) {
          const learned = decided === undefined ? learnedOf(row) : asDecided(decided);
          const classification = await classifyProduct(row, evidence, learned);
          return classification ? columnValues(classification) : {};
        },
      },
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
  const isFeed = FEED_MEDIA_TYPES.some((each) => each === essence) && !/zip/.test(essence);
  const plainName = fileName.replace(/\.(gz|zip)$/i, ''); // it was decompressed
  const safeName = plainName.replace(/[^A-Za-z0-9._-]+/g, '-').slice(-100);
  const known = Object.hasOwn(EXTENSIONS, essence) ? EXTENSIONS[essence] : undefined;
  const extension = known ?? (essence.includes('xml') ? 'xml' : 'txt');
  const name = /\w\.\w+$/.test(safeName) ? safeName : `${feedId}.${extension}`;
  return {
    'content-type': isFeed ? mediaType : 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    ...SANDBOX_HEADERS,
  };
}
