import { deepEqual, equal } from 'node:assert/strict';
import { exportFeed, type Replace } from '../../src/feed-formats/export.ts';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { FEED_LIMITS } from '../../src/feed-formats/limits.ts';
import { type FeedReading, parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import type { Reason, RowError } from '../../src/feed-formats/row-error.ts';
import { streamOf } from '../support/feeds.ts';
import { chanceOf, cut, type Input, isOf } from './target.ts';

export const words = [
  ...[
    'id',
    'image_link',
    'additional_image_link',
    'https://a.test/',
    ',http://',
    '\t',
    '"',
    '\r\n',
  ],
  ...['{"id":"', '","image_link":"', '"}\n', '<rss><channel>', '<item>', '</item>', '<?xml '],
  ...['<g:id>', '</g:id>', '<image_link>', '</image_link>', '</channel></rss>', 'encoding="'],
  ...['windows-1252', 'utf-16', 'shift_jis', '\ufeff', '<html', 'constructor', '__proto__'],
];

const items = '<item><id>1</id><image_link>https://a.test/1?a&amp;b</image_link></item>';

export const seeds: readonly Input[] = [
  'id,image_link,additional_image_link\n1,http://a.test/1,"http://a.test/a,b , http://a.test/2"\n',
  'id\tImage Link\ttitle\n1\thttps://a.test/1\t"x"\n1\tftp://a.test\ty\n',
  '{"id":"1","imageLink":"https://a.test/1","additionalImageLinks":["https://a.test/2",3]}\n',
  `<?xml version="1.0" encoding="windows-1252"?><rss><channel>${items}</channel></rss>`,
  '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>x</title></entry></feed>',
  Buffer.from('\ufeffid,image_link\n1,https://a.test/ä\n'),
  Buffer.from('\ufeffid,image_link\n1,https://a.test/1\n', 'utf16le'),
  Buffer.from('id,image_link\n\xe4,https://a.test/1\n', 'latin1'),
  '<!doctype html><p>',
  '%PDF-1.7',
];

export const found: readonly Input[] = [
  // Members that every object has were taken for formats.
  '<constructor/>',
  '<__proto__ xmlns="x">',
  // Node reads windows-1252 as another encoding, and drops a first byte of 255.
  Buffer.from(
    'id,image_link,additional_image_link\n0,http://a.test/1,"http://a.t\xff\xff\xff\xffes\x8b/ $b,, http://aage_link\n0,httpst/2"\n',
    'latin1',
  ),
];

const limits = {
  ...{ maxBytes: 2000, maxRows: 8, maxRowBytes: 300, maxIdChars: 20, maxUrlChars: 80 },
  ...{ maxTextChars: 30, maxAdditionalImages: 2, maxDepth: 5 },
};
/** For what is written anew: it may be longer, and where a row that is too long ends depends on how long it may be. */
const wider = { ...limits, maxBytes: FEED_LIMITS.maxBytes, maxRowBytes: FEED_LIMITS.maxRowBytes };

const MEDIA_TYPES = ['text/plain', 'text/csv', 'application/xml; charset=windows-1252', 'a.b/c;d'];
const FILE_NAMES = ['feed', 'feed.jsonl', 'a.constructor', 'b.__proto__'];

function readingOf(input: Buffer): FeedReading {
  const chance = chanceOf(input);
  return { mediaType: chance.pick(MEDIA_TYPES), fileName: chance.pick(FILE_NAMES), limits };
}

/** All that comes, and the refusal it ends with. */
async function readAll<T>(source: AsyncIterable<T>): Promise<{ all: T[]; fault?: FeedError }> {
  const all: T[] = [];
  try {
    for await (const each of source) all.push(each);
    return { all };
  } catch (error) {
    if (isOf(error, FeedError)) return { all, fault: error };
    throw error;
  }
}

const isWide = ([a, b]: Buffer): boolean =>
  (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0) !== (b === 0);

const written = async (input: Buffer, reading: FeedReading, replace: Replace) =>
  readAll(exportFeed(streamOf(cut(input)), replace, reading));

const isMalformed = ({ code }: Reason): boolean => code === 'malformed';

/** What new links must not change in a row; its line may be another, since links may have been on several. */
function withoutLinks(item: FeedRow | RowError | undefined) {
  if (item?.kind !== 'row') return item;
  const { imageLink: _, additionalImageLinks, notes: __, line: ___, ...rest } = item;
  return { ...rest, images: additionalImageLinks.length + 1 };
}

/** With new links a feed is read as the same rows with these. */
async function takesLinks(input: Buffer, reading: FeedReading): Promise<void> {
  const before = await readAll(parseFeed(streamOf([input]), reading));
  if (before.fault) return;
  const linkOf = (index: number, image: number) => `https://n.test/${index}/${image}`;
  const changed = await written(input, reading, ({ index }, image) => linkOf(index, image));
  equal(changed.fault, undefined);
  const after = await readAll(parseFeed(streamOf(changed.all), reading));
  equal(after.fault, undefined);
  // A quote that is not closed may pair with one of a link further down, and does not when that is another.
  if (before.all.some((row) => row.kind === 'fault' && row.reasons.some(isMalformed))) return;
  for (const [i, row] of before.all.entries()) {
    if (row.kind !== 'row') continue;
    const other = after.all[i];
    deepEqual(withoutLinks(other), withoutLinks(row));
    if (other?.kind !== 'row') continue;
    const links = [other.imageLink, ...other.additionalImageLinks];
    deepEqual(
      links,
      links.map((_, image) => linkOf(i, image)),
    );
  }
}

/** A feed is refused as one or read to its end, and an export without new links is the feed again. */
export async function holds(input: Buffer): Promise<void> {
  const reading = readingOf(input);
  const { fault } = await readAll(parseFeed(streamOf([input]), reading));
  const same = await written(input, reading, () => undefined);
  equal(same.fault?.message, fault?.message);
  if (fault) return;
  if (!isWide(input)) deepEqual(Buffer.concat(same.all), input);
  await takesLinks(input, { ...reading, limits: wider });
}
