import type { Chunk, Splitter } from './chunk.ts';
import { columnOf } from './columns.ts';
import { csvSplitter } from './csv.ts';
import type { Encoding } from './encoding.ts';
import { FeedError } from './feed-error.ts';
import { FEED_LIMITS, type FeedLimits } from './limits.ts';
import { ndjsonSplitter } from './ndjson.ts';
import { readChunks } from './read-chunks.ts';
import { type FeedRow, rowReader } from './row.ts';
import type { RowError } from './row-error.ts';
import { charsetOf, type FeedFormat, type FeedHints, isBinary, sniffFeed } from './sniff.ts';
import { xmlSplitter } from './xml.ts';

/** How to read a feed: in a format that is known, or in the one its bytes and these hints show. */
export interface FeedReading extends FeedHints {
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

type Open = (encoding: Encoding, limits: FeedLimits) => Splitter;

const SPLITTERS: Readonly<Record<FeedFormat, Open>> = {
  rss: (encoding, limits) => xmlSplitter('rss', encoding, limits),
  atom: (encoding, limits) => xmlSplitter('atom', encoding, limits),
  tsv: (encoding, limits) => delimited(encoding, limits, '\t'),
  csv: (encoding, limits) => delimited(encoding, limits),
  ndjson: (encoding, { maxRowBytes }) => ndjsonSplitter({ encoding, maxRowBytes, columnOf }),
};

/**
 * The splitter for a feed.
 * @param head its first bytes, some thousands where it has them
 * @throws FeedError compressed, unknown-format, encoding
 */
function openSplitter(encoding: Encoding, head: Buffer, reading: FeedReading): Splitter {
  if (isBinary(head)) {
    throw new FeedError('compressed', 'This is a packed or binary file; send the feed itself');
  }
  const format = reading.format ?? sniffFeed(head, reading);
  if (format) return SPLITTERS[format](encoding, reading.limits ?? FEED_LIMITS);
  const detail = /^\s*<(!doctype )?html/i.test(head.subarray(0, 1024).toString('latin1'))
    ? 'This is an HTML page, not a feed'
    : 'This is no feed in RSS, Atom, TSV, CSV or NDJSON with columns such as id and image_link';
  throw new FeedError('unknown-format', detail);
}

/** What a feed is read with, once its first bytes are there. */
export interface OpenFeed {
  encoding: Encoding;
  splitter: Splitter;
}

async function* cutOff(
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
 * The pieces of a feed.
 * @param opened told of the splitter before the first piece comes
 * @throws FeedError
 */
export async function* feedChunks(
  source: AsyncIterable<Uint8Array>,
  reading: FeedReading,
  opened: (feed: OpenFeed) => void = () => {},
): AsyncGenerator<Chunk> {
  const { limits = FEED_LIMITS, mediaType } = reading;
  let empty = true;
  yield* readChunks(cutOff(source, limits.maxBytes), charsetOf(mediaType), (encoding, head) => {
    empty = false;
    const splitter = openSplitter(encoding, head, reading);
    opened({ encoding, splitter });
    return splitter;
  });
  if (empty) throw new FeedError('empty', 'The feed is empty');
}

/**
 * Reads a feed as a stream: each of its rows once, as a row or as a fault, in the order of the feed and
 * in constant memory but for some 32 bytes a row, which find duplicate ids.
 * @throws FeedError where nothing more can be read; the rows before that have been given
 */
export async function* parseFeed(
  source: AsyncIterable<Uint8Array>,
  reading: FeedReading = {},
): AsyncGenerator<FeedRow | RowError> {
  const read = rowReader(reading.limits ?? FEED_LIMITS);
  for await (const piece of feedChunks(source, reading)) {
    const row = read(piece);
    if (row) yield row.item;
  }
}
