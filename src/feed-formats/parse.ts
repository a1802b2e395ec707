import type { Chunk, Splitter } from './chunk.ts';
import { columnOf } from './columns.ts';
import { csvSplitter } from './csv.ts';
import type { Encoding } from './encoding.ts';
import { FeedError } from './feed-error.ts';
import { FEED_LIMITS, type FeedLimits } from './limits.ts';
import { ndjsonSplitter } from './ndjson.ts';
import { readChunks } from './read-chunks.ts';
import { createRowReader, type FeedRow } from './row.ts';
import type { RowError } from './row-error.ts';
import { charsetOf, type FeedFormat, type FeedHints, isBinary, sniffFeed } from './sniff.ts';
import { xmlSplitter } from './xml.ts';

/** How to read a feed: in a given format, or in the one detected from its bytes and these hints. */
export interface FeedReadOptions extends FeedHints {
  format?: FeedFormat | undefined;
  limits?: FeedLimits;
}

const delimited = (encoding: Encoding, limits: FeedLimits, delimiter?: string): Splitter =>
  csvSplitter({
    encoding,
    delimiter,
    columnOf,
    maxRowBytes: limits.maxRowBytes,
    required: { id: 'id', imageLink: 'image_link' },
  });

type OpenSplitter = (encoding: Encoding, limits: FeedLimits) => Splitter;

const SPLITTERS: Readonly<Record<FeedFormat, OpenSplitter>> = {
  rss: (encoding, limits) => xmlSplitter('rss', encoding, limits),
  atom: (encoding, limits) => xmlSplitter('atom', encoding, limits),
  tsv: (encoding, limits) => delimited(encoding, limits, '\t'),
  csv: (encoding, limits) => delimited(encoding, limits),
  ndjson: (encoding, { maxRowBytes }) => ndjsonSplitter({ encoding, maxRowBytes, columnOf }),
};

/**
 * Returns the splitter for a feed.
 * @param head its first bytes, some thousands if it has them
 * @throws FeedError compressed, unknown-format, encoding
 */
function openSplitter(encoding: Encoding, head: Buffer, options: FeedReadOptions): Splitter {
  if (isBinary(head)) {
    throw new FeedError('compressed', 'This is a compressed or binary file; send the feed itself');
  }
  const format = options.format ?? sniffFeed(head, options);
  if (format) return SPLITTERS[format](encoding, options.limits ?? FEED_LIMITS);
  const detail = /^\s*<(!doctype )?html/i.test(head.subarray(0, 1024).toString('latin1'))
    ? 'This is an HTML page, not a feed'
    : 'This is not an RSS, Atom, TSV, CSV or NDJSON feed with columns such as id and image_link';
  throw new FeedError('unknown-format', detail);
}

/** Encoding and splitter of a feed, known after its first bytes. */
export interface OpenFeed {
  encoding: Encoding;
  splitter: Splitter;
}

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
}

/**
 * Yields the chunks of a feed.
 * @param onOpen called with the splitter before the first chunk
 * @throws FeedError
 */
export async function* feedChunks(
  source: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
  onOpen: (feed: OpenFeed) => void = () => {},
): AsyncGenerator<Chunk> {
  const { limits = FEED_LIMITS, mediaType } = options;
  let empty = true;
  yield* readChunks(limitBytes(source, limits.maxBytes), charsetOf(mediaType), (encoding, head) => {
    empty = false;
    const splitter = openSplitter(encoding, head, options);
    onOpen({ encoding, splitter });
    return splitter;
  });
  if (empty) throw new FeedError('empty', 'The feed is empty');
}

/**
 * Parses a feed as a stream: yields each of its rows once, as a row or as an error, in the order of the feed.
 * Memory is constant except for some 32 bytes a row, used to detect duplicate ids.
 * @throws FeedError if the feed cannot be read further; the rows before that have been yielded
 */
export async function* parseFeed(
  source: AsyncIterable<Uint8Array>,
  options: FeedReadOptions = {},
): AsyncGenerator<FeedRow | RowError> {
  const read = createRowReader(options.limits ?? FEED_LIMITS);
  for await (const chunk of feedChunks(source, options)) {
    const row = read(chunk);
    if (row) yield row.item;
  }
}
