import type { RowError } from '../../src/feed-formats/feed-error.ts';
import type { FeedReadOptions } from '../../src/feed-formats/open-feed.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import { streamOf } from '../support/feeds.ts';

export type Item = FeedRow | RowError;

/** Reads all items of a feed. */
export async function readItems(
  feed: string | Uint8Array,
  reading: FeedReadOptions = {},
): Promise<Item[]> {
  return collect(parseFeed(streamOf([feed]), reading));
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}

/** An item's line, kind, id and codes in one line. */
export const summary = (item: Item): string => {
  const codes = (item.kind === 'row' ? item.notes : item.reasons).map(({ code }) => code);
  return [item.line, item.kind, item.id ?? '-', ...codes].join(' ');
};
