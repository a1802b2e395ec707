import { deepEqual, equal } from 'node:assert/strict';
import { FEED_LIMITS } from '../../src/feed-formats/chunk.ts';
import { exportFeed, type ReplaceLink } from '../../src/feed-formats/export.ts';
import { FeedError, type Reason, type RowError } from '../../src/feed-formats/feed-error.ts';
import type { FeedReadOptions } from '../../src/feed-formats/open-feed.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import { streamOf } from '../support/feeds.ts';
import { type Input, isInstance, randomFor, splitAtRandom } from './target.ts';

// biome-ignore format: a list reads best in lines
export const dictionary = [
  'id', 'image_link', 'additional_image_link', 'https://a.test/', ',http://', '\t', '"', '\r\n',
  '{"id":"', '","image_link":"', '"}\n', '<rss><channel>', '<item>', '</item>', '<?xml ',
  '<g:id>', '</g:id>', '<image_link>', '</image_link>', '</channel></rss>', 'encoding="',
  'windows-1252', 'utf-16', 'shift_jis', '\ufeff', '<html', 'constructor', '__proto__',
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

export const regressions: readonly Input[] = [
  // Inherited members of objects were taken for formats.
  '<constructor/>',
  '<__proto__ xmlns="x">',
  // Node decodes windows-1252 as another encoding, and drops a leading 0xff.
  Buffer.from(
    'id,image_link,additional_image_link\n0,http://a.test/1,"http://a.t\xff\xff\xff\xffes\x8b/ $b,, http://aage_link\n0,httpst/2"\n',
    'latin1',
  ),
];

const limits = {
  maxBytes: 2000,
  maxRows: 8,
  maxRowBytes: 300,
  maxIdChars: 20,
  maxUrlChars: 80,
  maxTextChars: 30,
  maxAdditionalImages: 2,
  maxDepth: 5,
};
/** Limits for rewritten feeds, which may be longer; where a too-large row ends depends on the limit. */
const wider = { ...limits, maxBytes: FEED_LIMITS.maxBytes, maxRowBytes: FEED_LIMITS.maxRowBytes };

const MEDIA_TYPES = ['text/plain', 'text/csv', 'application/xml; charset=windows-1252', 'a.b/c;d'];
const FILE_NAMES = ['feed', 'feed.jsonl', 'a.constructor', 'b.__proto__'];

function toParseOptions(input: Buffer): FeedReadOptions {
  const chance = randomFor(input);
  return { mediaType: chance.pick(MEDIA_TYPES), fileName: chance.pick(FILE_NAMES), limits };
}

/** Reads a source to its end, or to a FeedError. */
async function readAll<T>(source: AsyncIterable<T>): Promise<{ all: T[]; error?: FeedError }> {
  const all: T[] = [];
  try {
    for await (const each of source) all.push(each);
    return { all };
  } catch (error) {
    if (isInstance(error, FeedError)) return { all, error };
    throw error;
  }
}

const isWide = ([a, b]: Buffer): boolean =>
  (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0) !== (b === 0);

const exportAll = async (input: Buffer, options: FeedReadOptions, replace: ReplaceLink) =>
  readAll(exportFeed(streamOf(splitAtRandom(input)), replace, options));

const isMalformed = ({ code }: Reason): boolean => code === 'malformed';

/** The parts of a row that new links must not change; its line may change, since links may span lines. */
function withoutLinks(item: FeedRow | RowError | undefined) {
  if (item?.kind !== 'row') return item;
  const { imageLink: _, additionalImageLinks, notes: __, line: ___, ...rest } = item;
  return { ...rest, images: additionalImageLinks.length + 1 };
}

/** A feed with replaced links gives the same rows with the new links. */
async function checkReplacedLinks(input: Buffer, options: FeedReadOptions): Promise<void> {
  const before = await readAll(parseFeed(streamOf([input]), options));
  if (before.error) return;
  const linkOf = (index: number, image: number) => `https://n.test/${index}/${image}`;
  const changed = await exportAll(input, options, ({ index }, image) => linkOf(index, image));
  equal(changed.error, undefined);
  const after = await readAll(parseFeed(streamOf(changed.all), options));
  equal(after.error, undefined);
  // An unclosed quote may match one in a later link, which is then replaced.
  if (before.all.some((row) => row.kind === 'error' && row.reasons.some(isMalformed))) return;
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

/** A feed is rejected or read to its end, and an export without new links equals the feed. */
export async function fuzz(input: Buffer): Promise<void> {
  const options = toParseOptions(input);
  const { error } = await readAll(parseFeed(streamOf([input]), options));
  const same = await exportAll(input, options, () => undefined);
  equal(same.error?.message, error?.message);
  if (error) return;
  if (!isWide(input)) deepEqual(Buffer.concat(same.all), input);
  await checkReplacedLinks(input, { ...options, limits: wider });
}
