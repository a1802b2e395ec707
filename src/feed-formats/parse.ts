import type { Chunk } from './chunk.ts';
import { FeedError } from './feed-error.ts';
import { FEED_LIMITS } from './limits.ts';
import { type FeedReadOptions, type OpenFeed, openFeed } from './open-feed.ts';
import { readChunks } from './read-chunks.ts';
import { type FeedRow, ProductReader } from './row.ts';
import type { RowError } from './row-error.ts';
import { charsetOf } from './sniff.ts';

async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new FeedError('too-large', `The feed is larger than ${maxBytes} bytes`);
    }
    yield chunk;
  }
  if (bytes === 0) throw new FeedError('empty', 'The feed is empty');
}

/**
 * Returns the chunks of a feed.
 * @param onOpen called before the first chunk
 * @throws FeedError
 */
export function feedChunks(
  source: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
  onOpen: (feed: OpenFeed) => void = () => {},
): AsyncGenerator<Chunk> {
  const { limits = FEED_LIMITS, mediaType } = options;
  return readChunks(limitBytes(source, limits.maxBytes), charsetOf(mediaType), (encoding, head) => {
    const feed = openFeed(encoding, head, options);
    onOpen(feed);
    return feed.splitter;
  });
}

/**
 * Parses a feed as a stream: yields each of its products once, as a row or as an error, in the order of the feed.
 * Memory is constant except for some 32 bytes a product, used to detect duplicate ids.
 * @param onOpen called before the first row
 * @throws FeedError if the feed cannot be read further; the rows before that have been yielded
 */
export async function* parseFeed(
  source: AsyncIterable<Uint8Array>,
  options: FeedReadOptions = {},
  onOpen: (feed: OpenFeed) => void = () => {},
): AsyncGenerator<FeedRow | RowError> {
  const { limits = FEED_LIMITS, takeNote } = options;
  let products: ProductReader | undefined;
  const chunks = feedChunks(source, options, (feed) => {
    products = new ProductReader(limits, feed.reading, takeNote);
    onOpen(feed);
  });
  for await (const chunk of chunks) {
    for (const { item } of products!.push(chunk)) if (item) yield item;
  }
  for (const { item } of products?.end() ?? []) if (item) yield item;
}
