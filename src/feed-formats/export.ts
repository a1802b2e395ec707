import type { Chunk } from './chunk.ts';
import { FEED_LIMITS } from './limits.ts';
import { type Link, replaceLinks } from './links.ts';
import { type FeedReadOptions, feedChunks, type OpenFeed } from './parse.ts';
import { createRowReader, type FeedRow } from './row.ts';

/**
 * Returns the new link of one image of a row; undefined keeps the old one.
 * @param image 0 for `imageLink`, `additionalImageLinks` from 1
 */
export type ReplaceLink = (
  row: FeedRow,
  image: number,
  url: string,
) => string | undefined | Promise<string | undefined>;

const BLOCK_BYTES = 64 * 1024;

/** Normalises a link for any feed format: ASCII, and no commas, which would separate links. */
const plainLink = (link: string): string => new URL(link).href.replaceAll(',', '%2C');

/**
 * Exports a feed with other image links, as a stream in the same format, encoding and layout. Everything but the
 * replaced links stays byte for byte, including invalid rows.
 * @param source the feed; with the `options` of the first reading the same rows are found
 * @throws FeedError as `parseFeed`; TypeError if `replace` returns an invalid URL
 */
export async function* exportFeed(
  source: AsyncIterable<Uint8Array>,
  replace: ReplaceLink,
  options: FeedReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const read = createRowReader(options.limits ?? FEED_LIMITS);
  let open: OpenFeed | undefined;
  const chunks = feedChunks(source, options, (feed) => {
    open = feed;
  });

  async function rewrite(chunk: Chunk): Promise<string> {
    const found = read(chunk);
    if (chunk.kind !== 'record' || found?.item.kind !== 'row') return chunk.raw;
    const changes = new Map<Link, string>();
    for (const [image, link] of found.links.entries()) {
      const url = await replace(found.item, image, link.url);
      if (url !== undefined) changes.set(link, plainLink(url));
    }
    if (changes.size === 0) return chunk.raw;
    return open!.splitter.rewrite(chunk, replaceLinks(chunk, changes));
  }

  let buffered = '';
  for await (const chunk of chunks) {
    buffered += await rewrite(chunk);
    if (buffered.length < BLOCK_BYTES) continue;
    yield open!.encoding.toBytes(buffered);
    buffered = '';
  }
  if (buffered) yield open!.encoding.toBytes(buffered);
}
