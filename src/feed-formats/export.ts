import { type Chunk, FEED_LIMITS } from './chunk.ts';
import { FILLED_COLUMNS, type FilledColumn, type FilledValues } from './columns.ts';
import type { RowError } from './feed-error.ts';
import { type Link, replaceLinks } from './links.ts';
import type { FeedReadOptions, OpenFeed } from './open-feed.ts';
import { feedChunks } from './parse.ts';
import { type FeedRow, ProductReader, type ReadChunks } from './row.ts';

/**
 * Returns the new link of one image of a row; undefined keeps the old one.
 * @param image 0 for `imageLink`, `additionalImageLinks` from 1
 */
export type ReplaceLink = (
  row: FeedRow,
  image: number,
  url: string,
) => string | undefined | Promise<string | undefined>;

/** Columns to fill in rows that have no value of their own. */
interface ColumnFilling {
  columns: readonly FilledColumn[];
  /** Called for each row after its links, in order. */
  valuesOf(row: FeedRow): Promise<Partial<Record<FilledColumn, string>>>;
}

/** Returns the values to write, one for each column: empty if the row has its own, or if there is none. */
async function filledValues(
  { columns, valuesOf }: ColumnFilling,
  row: FeedRow | RowError,
): Promise<FilledValues> {
  const values = row.kind === 'row' ? await valuesOf(row) : {};
  const hasOwn = (column: FilledColumn) => row.kind === 'row' && row[FILLED_COLUMNS[column]];
  return new Map(columns.map((column) => [column, hasOwn(column) ? '' : (values[column] ?? '')]));
}

const BLOCK_BYTES = 64 * 1024;

/** Normalises a link for any feed format: ASCII, and no commas, which would separate links. */
const plainLink = (link: string): string => new URL(link).href.replaceAll(',', '%2C');

/**
 * Exports a feed with other image links, as a stream in the same format, encoding and layout. Everything but the
 * replaced links and the filled columns stays byte for byte, including rows that cannot be parsed.
 * @param source the feed; with the `options` of the first reading the same rows are found
 * @throws FeedError as `parseFeed`; TypeError if `replace` returns an invalid URL
 */
export async function* exportFeed(
  source: AsyncIterable<Uint8Array>,
  replace: ReplaceLink,
  options: FeedReadOptions = {},
  filling: ColumnFilling = { columns: [], valuesOf: async () => ({}) },
): AsyncGenerator<Uint8Array> {
  let open: OpenFeed | undefined;
  let products: ProductReader | undefined;
  const chunks = feedChunks(source, options, (feed) => {
    open = feed;
    products = new ProductReader(options.limits ?? FEED_LIMITS, feed.reading);
  });

  async function newLinks({ item, images }: ReadChunks): Promise<Map<Link, string>> {
    const changes = new Map<Link, string>();
    for (const [image, links] of images.entries()) {
      const url = item?.kind === 'row' ? await replace(item, image, links[0].url) : undefined;
      if (url !== undefined) for (const link of links) changes.set(link, plainLink(url));
    }
    return changes;
  }

  function rewriteChunk(chunk: Chunk, changes: ReadonlyMap<Link, string>, filled: FilledValues) {
    const { splitter, reading } = open!;
    if (chunk.kind === 'between' && chunk.header)
      return splitter.rewriteHeader?.(chunk.raw, filling.columns) ?? chunk.raw;
    if (chunk.kind !== 'record') return chunk.raw;
    const own = new Map([...changes].filter(([{ record }]) => record === chunk));
    if (own.size === 0 && filled.size === 0) return chunk.raw;
    return splitter.rewrite(chunk, replaceLinks(chunk, own, reading), filled);
  }

  async function rewrite(read: ReadChunks): Promise<string> {
    const changes = await newLinks(read);
    const filled = read.item ? await filledValues(filling, read.item) : new Map();
    return read.chunks.map((chunk) => rewriteChunk(chunk, changes, filled)).join('');
  }

  let buffered = '';
  for await (const chunk of chunks) {
    for (const read of products!.push(chunk)) buffered += await rewrite(read);
    if (buffered.length < BLOCK_BYTES) continue;
    yield open!.encoding.toBytes(buffered);
    buffered = '';
  }
  for (const read of products?.end() ?? []) buffered += await rewrite(read);
  if (buffered) yield open!.encoding.toBytes(buffered);
}
