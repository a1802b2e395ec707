import { deepEqual, equal, ok } from 'node:assert/strict';
import {
  BATCH_LIMITS,
  type BatchHeader,
  type BatchReadOptions,
  type BatchRow,
  type BatchRowError,
  parseBatchRows,
} from '../../src/feed-formats/batch-rows.ts';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { type IdSet, idSet } from '../../src/feed-formats/id-set.ts';
import { streamOf } from '../support/feeds.ts';
import { type Input, isInstance, randomFor } from './target.ts';

// biome-ignore format: a list reads best in lines
export const dictionary = [
  'custom_id', 'image_url', 'image_base64', '{"customId":"', '","imageUrl":"', '"}\n', '"imageBase64"',
  'https://a.test/', '\r\n', '""', 'constructor', '__proto__', '\ufeff',
];

export const seeds: readonly Input[] = [
  '{"customId":"1","imageUrl":"https://a.test/1"}\n{"customId":"2","imageBase64":"aGk="}\n',
  '{"customId":"1"}\r\n\n{"customId":"1","imageUrl":"x","imageBase64":"y"}\nno\n{"constructor":1}',
  'custom_id,image_url,note\n1,https://a.test/1,"a\nb"\n\n2,,x\n1,https://a.test/2,\n',
  '\ufeff\ncustom_id;image_url\n"1;https://a.test/1\n2;https://a.test/2\n3\n',
];

export const regressions: readonly Input[] = [
  // Read from its middle on, the upload seemed to be in windows-1252.
  Buffer.from(
    'custom_id,image_url,note\n1,https://a.test/1,"a\nb"\n\n2,,x\n1,https://a.test/2,\n\xd8\x85"}\n\xaa\\\x9a',
    'latin1',
  ),
  // A row in the middle was taken for the start of a file with another encoding.
  '{"customIId#\nno\n{\0\0\u0004\0"constructor%\0\0\0\ufeff\ncustom_id;image_url\n"1\n\0\0\0',
  '{\n\ufeff{"customId":"1","imageUrl":"https://a.test"}\n',
  // A header row read again matched its quotes with those of other rows, or was too long for one.
  Buffer.from(
    '"+c\x00\t\t\timage_url\t\t\tcustom_id\t\t\t\t\t\t\t\tp\tcustom_i,idmage_url\t\n,n]ote\n,note\n0,https://atest/0,"a\nb"\n\n1(,,custom_id,image_url,nte\n0=,https://atest/1, a\nb"\n\n\x1b,,x\n\xff\nb',
    'latin1',
  ),
  // Its delimiter was detected from all of its lines, not from the first alone.
  Buffer.from(
    'custom_1,"a\nb",custom_id,image_url,no\x90\xe6"+cge_u\tr\x97\tlc\xe1\timage_url\t\t\tcustom_id\n\n\n\n\n\n\n\n\n\n\n"}\n,\n\n\n\n\n\xffgeBase64"jLL\xff\xff\xff\n\n\nLLLLLLLL\n\n\n\n\nLLLLLLLLLLLLLLLLLLLL\xccLLLLLLLLLLLLLLLLLobjectx"\n\x00\x00\x00\x00\x01\x00\x00\x08\x08\x08\x01\x00\x00tc./0,"a\ntb",',
    'latin1',
  ),
  Buffer.from(
    'custom_id,image_url,\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6image_url\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6\xd6no\xf1 us\xb4\x8c\x9a\n1,htt,ps\x8b\x8c\xd0"\r\na\nb"\n\n1,,xima\x9d\n1,\x8c,',
    'latin1',
  ),
];

const limits = { ...BATCH_LIMITS, maxRowBytes: 200, maxIdChars: 10, maxUrlChars: 40 };

type Item = BatchHeader | BatchRow | BatchRowError;

/** Reads up to `count` items, and the error that ends them. */
async function readRows(
  source: Buffer,
  options: BatchReadOptions,
  count = Number.POSITIVE_INFINITY,
): Promise<{ items: Item[]; error?: string }> {
  const items: Item[] = [];
  if (count === 0) return { items };
  try {
    for await (const item of parseBatchRows(streamOf([source]), options)) {
      items.push(item);
      if (items.length === count) break;
    }
    return { items };
  } catch (error) {
    if (isInstance(error, FeedError)) return { items, error: error.message };
    throw error;
  }
}

const rowsOf = (items: readonly Item[]) => items.filter((item) => item.kind !== 'header');

/** An upload interrupted and resumed after any row gives the same rows as an uninterrupted one. */
async function checkResume(input: Buffer, format: 'csv' | 'ndjson', items: readonly Item[]) {
  const count = 1 + randomFor(input).below(items.length);
  const ids: IdSet = idSet();
  await readRows(input, { format, limits, ids }, count);
  const end = items
    .slice(0, count)
    .flatMap((item) => (item.kind === 'header' ? [] : [item.end]))
    .at(-1);
  if (!end) return;
  ok(end.offset <= input.length);
  const header = items.find((item) => item.kind === 'header')?.text;
  const from = { ...end, ...(header !== undefined && { header }) };
  const rest = await readRows(input.subarray(end.offset), { format, limits, ids, from });
  deepEqual(rowsOf(rest.items), rowsOf(items.slice(count)));
}

export async function fuzz(input: Buffer): Promise<void> {
  const format = input.includes('{') ? 'ndjson' : 'csv';
  const { items, error } = await readRows(input, { format, limits });
  const rows = rowsOf(items);
  deepEqual(
    rows.map(({ index }) => index),
    rows.map((_, i) => i),
  );
  for (const row of rows) {
    if (row.kind === 'error') ok(row.detail.length > 0 && row.reasons.length > 0);
    else equal('url' in row.image && row.image.url.length > limits.maxUrlChars, false);
  }
  if (error === undefined && rows.length > 0) await checkResume(input, format, items);
}
