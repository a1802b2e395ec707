import { FEED_LIMITS } from './chunk.ts';
import { plainName } from './columns.ts';
import { detectEncoding } from './encoding.ts';
import { expandFeed } from './expand.ts';
import { FeedError } from './feed-error.ts';
import { idSet, takeId } from './id-set.ts';
import { openFeed } from './open-feed.ts';
import { parseFeed } from './parse.ts';
import { charsetOf, type FeedHints, isBinary } from './sniff.ts';

/** An image of a feed, or why there is none, by the line of its product. */
type FeedImage =
  | { line: number; customId: string; url: string }
  | { line: number; customId?: string; detail: string };

/**
 * Reads the images of a feed of any kind, each as a row: `customId` is the id, of further images with their number.
 * @param ids those in use
 * @throws FeedError
 */
export async function* feedImages(
  source: AsyncIterable<Uint8Array>,
  hints: FeedHints,
  ids = idSet(),
): AsyncGenerator<FeedImage> {
  for await (const item of parseFeed(expandFeed(source), hints)) {
    const { line, id } = item;
    if (item.kind === 'error') {
      yield { line, detail: item.detail, ...(id !== undefined && { customId: id }) };
      continue;
    }
    for (const [image, url] of [item.imageLink, ...item.additionalImageLinks].entries()) {
      const customId = image === 0 ? item.id : `${item.id}-${image + 1}`;
      const reason = takeId(ids, customId, 'id', FEED_LIMITS.maxIdChars);
      yield { line, customId, ...(reason ? { detail: reason.detail } : { url }) };
    }
  }
}

/** Bytes at the beginning of an upload that show what it is. */
export const HEAD_BYTES = 64 * 1024;

/** Whether an upload of rows is a feed, by its first bytes: compressed, or with other columns than rows have. */
export function isFeed(head: Buffer, hints: FeedHints): boolean {
  if (isBinary(head)) return true;
  try {
    const { labels, reading } = openFeed(
      detectEncoding(head, charsetOf(hints.mediaType)),
      head,
      hints,
    );
    const has = (name: string) => labels.some((label) => plainName(label) === name);
    if (has('customid') && (has('imageurl') || has('imagebase64'))) return false;
    const columns = new Set(labels.map(reading.columnOf));
    return columns.has('id') && columns.has('imageLink');
  } catch (error) {
    if (error instanceof FeedError) return false;
    throw error;
  }
}
