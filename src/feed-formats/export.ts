import type { Chunk } from './chunk.ts';
import { FEED_LIMITS } from './limits.ts';
import { type Link, replaceLinks } from './links.ts';
import { type FeedReading, feedChunks, type OpenFeed } from './parse.ts';
import { type FeedRow, rowReader } from './row.ts';

/**
 * The new link of one image of a row; undefined keeps the old one.
 * @param image 0 for `imageLink`, then `additionalImageLinks` from 1
 */
export type Replace = (
  row: FeedRow,
  image: number,
  url: string,
) => string | undefined | Promise<string | undefined>;

const BLOCK_BYTES = 64 * 1024;

/** A link that any feed can carry: in ASCII, and without the commas that would divide it. */
const plainLink = (link: string): string => new URL(link).href.replaceAll(',', '%2C');

/**
 * Writes a feed again with other image links, as a stream in the same format, encoding and layout.
 * Whatever is no replaced link leaves byte for byte as it came, faulty rows included.
 * @param source the feed, read with the same `reading` as before so that the same rows are found
 * @throws FeedError as `parseFeed`; TypeError when `replace` gives what is no URL
 */
export async function* exportFeed(
  source: AsyncIterable<Uint8Array>,
  replace: Replace,
  reading: FeedReading = {},
): AsyncGenerator<Uint8Array> {
  const read = rowReader(reading.limits ?? FEED_LIMITS);
  let open: OpenFeed | undefined;
  const pieces = feedChunks(source, reading, (feed) => {
    open = feed;
  });

  async function rewritten(piece: Chunk): Promise<string> {
    const found = read(piece);
    if (piece.kind !== 'record' || found?.item.kind !== 'row') return piece.raw;
    const changes = new Map<Link, string>();
    for (const [image, link] of found.links.entries()) {
      const url = await replace(found.item, image, link.url);
      if (url !== undefined) changes.set(link, plainLink(url));
    }
    if (changes.size === 0) return piece.raw;
    return open!.splitter.rewrite(piece, replaceLinks(piece, changes));
  }

  let held = '';
  for await (const piece of pieces) {
    held += await rewritten(piece);
    if (held.length < BLOCK_BYTES) continue;
    yield open!.encoding.toBytes(held);
    held = '';
  }
  if (held) yield open!.encoding.toBytes(held);
}
