import { type Chunk, FEED_LIMITS, type Splitter } from './chunk.ts';
import { BOM, detectEncoding, type Encoding } from './encoding.ts';
import { FeedError, type RowError } from './feed-error.ts';
import { type FeedReadOptions, type OpenFeed, openFeed } from './open-feed.ts';
import { type FeedRow, ProductReader } from './row.ts';
import { charsetOf } from './sniff.ts';

const BLOCK_BYTES = 64 * 1024;

/** Regroups bytes into blocks of one size: splitters see neither tiny nor huge blocks. */
async function* blocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let length = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; ) {
      const taken = Math.min(chunk.length - from, BLOCK_BYTES - length);
      block.set(chunk.subarray(from, from + taken), length);
      length += taken;
      from += taken;
      if (length < BLOCK_BYTES) continue;
      yield block;
      block = Buffer.allocUnsafe(BLOCK_BYTES);
      length = 0;
    }
  }
  if (length > 0) yield block.subarray(0, length);
}

/** Joins consecutive chunks between rows: a feed may have millions of blank lines. */
function* joinBetween(chunks: Iterable<Chunk>): Iterable<Chunk> {
  let between = '';
  for (const chunk of chunks) {
    if (chunk.kind === 'between' && !chunk.header) {
      between += chunk.raw;
      continue;
    }
    if (between) yield { kind: 'between', raw: between };
    between = '';
    yield chunk;
  }
  if (between) yield { kind: 'between', raw: between };
}

/**
 * Reads a source to its end as chunks, in constant memory; an empty source has none.
 * @param charset of the source's media type
 * @param open creates the splitter, once, from the first block of bytes (up to 64 KiB)
 * @throws FeedError encoding, and those of `open` and the splitter
 */
export async function* readChunks(
  source: AsyncIterable<Uint8Array>,
  charset: string | { readonly certain: string } | undefined,
  open: (encoding: Encoding, head: Buffer) => Splitter,
): AsyncGenerator<Chunk> {
  let reader: { encoding: Encoding; splitter: Splitter } | undefined;
  function openReader(head: Buffer) {
    const encoding =
      typeof charset === 'object'
        ? detectEncoding(head, charset.certain, true)
        : detectEncoding(head, charset);
    return { encoding, splitter: open(encoding, head) };
  }
  for await (const block of blocks(source)) {
    const isFirst = !reader;
    reader ??= openReader(block);
    let raw = reader.encoding.toRaw(block);
    if (isFirst && raw.startsWith(BOM)) {
      yield { kind: 'between', raw: BOM };
      raw = raw.slice(BOM.length);
    }
    yield* joinBetween(reader.splitter.push(raw));
  }
  if (reader) yield* joinBetween(reader.splitter.end());
}

async function* limitBytes(source: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new FeedError('too-large', `The feed is larger than ${maxBytes} bytes`);
    yield chunk;
  }
  if (bytes === 0) throw new FeedError('empty', 'The feed is empty');
}

/** Returns the chunks of a feed. @param onOpen called before the first chunk @throws FeedError */
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
