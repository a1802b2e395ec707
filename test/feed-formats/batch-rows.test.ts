import { describe, expect, test } from 'vitest';
import type { BatchReadOptions } from '../../src/feed-formats/batch-rows.ts';
import { BATCH_LIMITS, parseBatchRows } from '../../src/feed-formats/batch-rows.ts';
import { idSet } from '../../src/feed-formats/id-set.ts';
import { streamOf } from '../support/feeds.ts';
import { collect } from './read-items.ts';

const IMAGE = 'https://img.example/1.jpg';

const read = (upload: string | Uint8Array, reading: BatchReadOptions) =>
  collect(parseBatchRows(streamOf([upload]), reading));

type Item = Awaited<ReturnType<typeof read>>[number];

const summary = (item: Item): string => {
  if (item.kind === 'header') return 'header';
  if (item.kind === 'row') return `${item.line} row ${item.customId}`;
  return `${item.line} error ${item.id ?? '-'} ${item.reasons.map(({ code }) => code).join(' ')}`;
};

describe('each bad row yields one error, and reading continues', () => {
  const good = `{"customId":"z","imageUrl":"${IMAGE}"}`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { line: `{"customId":"a","imageUrl":"${IMAGE}"}`, says: 'row a' },
    { line: '{"customId":"a","imageBase64":"aGk="}', says: 'row a' },
    { line: `{"custom_id":" a ","image_url":" ${IMAGE} "}`, says: 'row a' },
    { line: `{"imageUrl":"${IMAGE}"}`, says: 'error - missing-id' },
    { line: '{"customId":"a"}', says: 'error a missing-image' },
    { line: '{}', says: 'error - missing-id missing-image' },
    { line: `{"customId":"a","imageUrl":"${IMAGE}","imageBase64":"aGk="}`, says: 'error a malformed' },
    { line: '{"customId":"a","imageUrl":"file:///etc/passwd"}', says: 'error a bad-url' },
    { line: '{"customId":"a","imageUrl":"img.example/1.jpg"}', says: 'error a bad-url' },
    { line: `{"customId":"${'a'.repeat(257)}","imageUrl":"${IMAGE}"}`, says: `error ${'a'.repeat(256)} too-long` },
    { line: Buffer.from(`{"customId":"\xff","imageUrl":"${IMAGE}"}`, 'latin1'), says: 'error \ufffd broken-text' },
    { line: 'customId=a', says: 'error - malformed' },
  ])('$says: $line', async ({ line, says }) => {
    const upload = Buffer.concat([Buffer.from(line), Buffer.from(`\r\n\n${good}`)]);
    const items = await read(upload, { format: 'ndjson' });
    expect(items.map(summary)).toEqual([`1 ${says}`, '3 row z']);
  });

  test('in CSV as well', async () => {
    const upload = `\ufeffImage URL;Custom ID;note\r\n${IMAGE};a;"x;\ny"\r\n;b;\r\n${IMAGE};a;\r\n${IMAGE}\r\n`;
    const items = await read(upload, { format: 'csv' });
    expect(items.map(summary)).toEqual([
      'header',
      '2 row a',
      '4 error b missing-image',
      '5 error a duplicate-id',
      '6 error - missing-id',
    ]);
    expect(items[1]).toMatchObject({ image: { url: IMAGE }, others: { note: ['x;\ny'] } });
  });
});

test('other members are passed through as text', async () => {
  const upload = `{"customId":"a","title":"Coat","imageBase64":"aGk=","size":42,"tags":["x","y"]}`;
  expect(await read(upload, { format: 'ndjson' })).toMatchObject([
    { image: { base64: 'aGk=' }, others: { title: ['Coat'], size: ['42'], tags: ['x', 'y'] } },
  ]);
});

test('an image of 20 MiB fits into a row, a larger one does not', async () => {
  const line = (bytes: number) =>
    `{"customId":"${bytes}","imageBase64":"${'A'.repeat(Math.ceil(bytes / 3) * 4)}"}\n`;
  const upload = line(20 * 1024 * 1024) + line(22 * 1024 * 1024) + line(3);
  const items = await read(upload, { format: 'ndjson' });
  expect(items.map(summary)).toEqual(['1 row 20971520', '2 error - too-large', '3 row 3']);
});

describe('an interrupted upload resumes after any row', () => {
  const ndjson = [
    `\ufeff{"customId":"ä","imageUrl":"${IMAGE}"}`,
    '',
    'bad',
    `{"customId":"b","imageUrl":"${IMAGE}"}\r`,
    `{"customId":"${'x'.repeat(300)}"}`,
    `{"customId":"b","imageUrl":"${IMAGE}"}`,
    `{"customId":"c","imageUrl":"${IMAGE}"}`,
  ].join('\n');
  const csv = [
    '\ufeff',
    'custom_id,image_url,größe\r',
    `ä,${IMAGE},"1\n2"`,
    `"b,${IMAGE},1`,
    `c,${IMAGE},${'x'.repeat(300)}`,
    '',
    `d,${IMAGE},1`,
    `ä,${IMAGE},1\n`,
  ].join('\n');

  /** The first line alone suggests another delimiter than the whole header. */
  const header = 'x,"a\nb",custom_id,image_url,"\tcustom_id\timage_url\t"';

  test.each([
    { format: 'ndjson', upload: ndjson, count: 6 },
    { format: 'csv', upload: csv, count: 5 },
    { format: 'csv', upload: `${header}\n1,2,a,${IMAGE},3\n1,2,b,${IMAGE},3\n`, count: 2 },
  ] as const)('$format', async ({ format, upload, count }) => {
    const limits = { ...BATCH_LIMITS, maxRowBytes: 200 };
    const bytes = Buffer.from(upload);
    const whole = await read(bytes, { format, limits });
    const header = whole.find((item) => item.kind === 'header')?.text;
    const rows = whole.filter((item) => item.kind !== 'header');
    expect(rows).toHaveLength(count);
    expect(rows.at(-1)?.end.offset).toBe(bytes.length);
    for (const [i, { end }] of rows.entries()) {
      const ids = idSet();
      for (const row of rows.slice(0, i + 1)) if (row.kind === 'row') ids.add(row.customId);
      const from = header === undefined ? end : { ...end, header };
      const rest = await read(bytes.subarray(end.offset), { format, limits, from, ids });
      expect(rest).toEqual(rows.slice(i + 1));
    }
  });
});

test('the end of a row is the end of its line, in bytes', async () => {
  const first = `{"customId":"ä","imageUrl":"${IMAGE}"}\r\n`;
  const second = `{"customId":"b","imageUrl":"${IMAGE}"}`;
  expect(await read(first + second, { format: 'ndjson' })).toMatchObject([
    { end: { offset: Buffer.byteLength(first), line: 2, rows: 1 } },
    { end: { offset: Buffer.byteLength(first + second), line: 2, rows: 2 } },
  ]);
});

test('an empty upload has neither rows nor errors', async () => {
  expect(await read('', { format: 'ndjson' })).toEqual([]);
  expect(await read('', { format: 'csv' })).toEqual([]);
});

test.each([
  {
    upload: Buffer.from('\ufeff{"customId":"a"}', 'utf16le'),
    format: 'ndjson',
    reason: 'encoding',
  },
  { upload: 'price,size\n1,2\n', format: 'csv', reason: 'no-header' },
  { upload: '\n\n', format: 'csv', reason: 'no-header' },
] as const)('$format: refused as a whole for $reason', async ({ upload, format, reason }) => {
  await expect(read(upload, { format })).rejects.toMatchObject({ name: 'FeedError', reason });
});

describe('a row that takes too long to parse is an error, and the next one is read:', () => {
  const next = { ndjson: `{"customId":"z","imageUrl":"${IMAGE}"}`, csv: `z,${IMAGE}` };
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'members',         format: 'ndjson', row: `{${Array.from({ length: 30_000 }, (_, i) => `"${i}":1`)}}`, says: 'more than 20000 values' },
    { what: 'arrays in arrays', format: 'ndjson', row: `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,           says: 'more than 20000 values' },
    { what: 'cells',           format: 'csv',    row: ','.repeat(30_000),                                           says: 'too many cells' },
    { what: 'quoted cells',    format: 'csv',    row: `"${'""'.repeat(5000)}",`.repeat(40),                         says: 'A quote is not closed' },
    { what: 'doubled quotes',  format: 'csv',    row: `"${'""'.repeat(200_000)}",x`,                                says: 'A quote is not closed' },
  ] as const)('$what', async ({ format, row, says }) => {
    const header = format === 'csv' ? 'custom_id,image_url\n' : '';
    const items = await read(`${header}${row}\n${next[format]}\n`, { format });
    expect(items.filter(({ kind }) => kind !== 'header')).toMatchObject([
      { kind: 'error', detail: expect.stringContaining(says) },
      { kind: 'row', customId: 'z' },
    ]);
  });

  test('cells between tabs', async () => {
    const rows = `custom_id\timage_url\nx${'\t'.repeat(30_000)}\nz\t${IMAGE}\n`;
    expect(await read(rows, { format: 'csv' })).toMatchObject([
      { kind: 'header' },
      { kind: 'error', detail: expect.stringContaining('too many cells') },
      { kind: 'row', customId: 'z' },
    ]);
  });
});
