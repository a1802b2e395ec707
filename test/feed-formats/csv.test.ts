import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FEED_LIMITS } from '../../src/feed-formats/chunk.ts';
import { scanRow, unquote } from '../../src/feed-formats/csv-cells.ts';
import { readItems, summary } from './read-items.ts';

const HEAD = 'id,title,image_link';
const IMAGE = 'https://img.example/1.jpg';

const rows = async (...lines: string[]) =>
  (await readItems([HEAD, ...lines].join('\n'))).map(summary);

describe('each bad row yields one error, and reading continues', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'a good row', line: `a,Coat,${IMAGE}`, says: '2 row a' },
    { what: 'no id', line: `,Coat,${IMAGE}`, says: '2 error - missing-id' },
    { what: 'an id of spaces', line: `  ,Coat,${IMAGE}`, says: '2 error - missing-id' },
    { what: 'no image', line: 'a,Coat,', says: '2 error a missing-image' },
    { what: 'neither', line: ',Coat,', says: '2 error - missing-id missing-image' },
    { what: 'too few values', line: `a,${IMAGE}`, says: '2 error a missing-image' },
    { what: 'too many values', line: `a,Coat,M,${IMAGE}`, says: '2 error - ragged' },
    { what: 'an FTP link', line: 'a,Coat,ftp://img.example/1.jpg', says: '2 error a bad-url' },
    { what: 'a bare path', line: 'a,Coat,/1.jpg', says: '2 error a bad-url' },
    { what: 'no host', line: 'a,Coat,https://', says: '2 error a bad-url' },
    { what: 'an invalid port', line: 'a,Coat,https://img.example:99999/1.jpg', says: '2 error a bad-url' },
    { what: 'a script', line: 'a,Coat,javascript:alert(1)', says: '2 error a bad-url' },
    { what: 'an over-long link', line: `a,Coat,${IMAGE}?${'x'.repeat(2000)}`, says: '2 error a too-long' },
    { what: 'an over-long id', line: `${'a'.repeat(257)},Coat,${IMAGE}`, says: `2 error ${'a'.repeat(256)} too-long` },
    { what: 'an over-long title', line: `a,${'x'.repeat(5001)},${IMAGE}`, says: '2 row a too-long' },
    { what: 'text after a closing quote', line: `a,"Big" Coat,${IMAGE}`, says: '2 error - malformed' },
    { what: 'a quote within a plain value', line: `a,12" pan,${IMAGE}`, says: '2 row a' },
    { what: 'a quoted delimiter', line: `a,"Coat, red",${IMAGE}`, says: '2 row a' },
    { what: 'an empty quoted value', line: `a,"",${IMAGE}`, says: '2 row a' },
  ])('$what', async ({ line, says }) => {
    expect(await rows(line, `z,Last,${IMAGE}`)).toEqual([says, '3 row z']);
  });

  test('a duplicate id', async () => {
    const expected = ['2 row a', '3 row b', '4 error a duplicate-id'];
    expect(await rows(`a,One,${IMAGE}`, `b,Two,${IMAGE}`, `a,Three,${IMAGE}`)).toEqual(expected);
  });
});

describe('lines', () => {
  test('without values are not rows', async () => {
    const expected = ['3 row a', '6 row b'];
    expect(await rows('', `a,Coat,${IMAGE}`, ',,', '   ', `b,Coat,${IMAGE}`, '')).toEqual(expected);
  });

  test('may end with CRLF, the last one with nothing', async () => {
    const feed = `\ufeff${HEAD}\r\na,"Coat\r\nred",${IMAGE}\r\nb,Coat,${IMAGE}`;
    expect(await readItems(feed)).toMatchObject([
      { id: 'a', title: 'Coat\r\nred', imageLink: IMAGE, line: 2 },
      { id: 'b', imageLink: IMAGE, line: 4 },
    ]);
  });

  test('may break within quotes, and later rows have the right line numbers', async () => {
    const says = await rows(`a,"one\n\ntwo ""quoted""",${IMAGE}`, `b,Coat,${IMAGE}`);
    expect(says).toEqual(['2 row a', '5 row b']);
  });

  test('after an unclosed quote are read again', async () => {
    const lines = [`a,"12 inch pan,${IMAGE}`, `b,Coat,${IMAGE}`, `c,"Dress, red",${IMAGE}`];
    const says = await rows(...lines, `d,Hat,${IMAGE}`);
    expect(says).toEqual(['2 error - malformed', '3 row b', '4 row c', '5 row d']);
  });

  test('after an unclosed quote are read again, up to the end of the feed', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => `r${i},Coat,${IMAGE}`);
    const says = await rows(`a,"12 inch pan,${IMAGE}`, ...many);
    expect(says).toHaveLength(3001);
    expect(says[0]).toBe('2 error - malformed');
    expect(says.slice(1).every((each) => / row r\d+$/.test(each))).toBe(true);
  });

  test('too long to buffer yield one error each', async () => {
    const limits = { ...FEED_LIMITS, maxRowBytes: 200 };
    const long = 'x'.repeat(500);
    const feed = [
      HEAD,
      `a,${long},${IMAGE}`,
      `b,Coat,${IMAGE}`,
      `c,"${long}\n${long}",${IMAGE}`,
      `d,Hat,${IMAGE}`,
    ];
    const items = await readItems(feed.join('\n'), { limits });
    expect(items.map(summary)).toEqual([
      '2 error - too-large',
      '3 row b',
      '4 error - too-large',
      '5 error - too-large',
      '6 row d',
    ]);
  });
});

describe('tabs', () => {
  test('need no quotes: a misplaced quote is an ordinary character', async () => {
    const feed = `id\ttitle\timage_link\na\t"Big" Coat\t${IMAGE}\nb\t"Coat\t${IMAGE}\nc\t"a\tb"\t${IMAGE}\n`;
    expect(await readItems(feed)).toMatchObject([
      { id: 'a', title: '"Big" Coat' },
      { id: 'b', title: '"Coat' },
      { id: 'c', title: 'a\tb' },
    ]);
  });
});

describe('the header row', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    { header: 'ID,Title,Image Link', delimiter: ',' },
    { header: 'id;title;image_link', delimiter: ';' },
    { header: 'id|TITLE|Image_Link', delimiter: '|' },
    { header: 'id\ttitle\tg:image_link', delimiter: '\t' },
    { header: '"id","title","image-link"', delimiter: ',' },
    { header: 'offerId,title,imageLink', delimiter: ',' },
    { header: '\n\n  id , title , image_link ', delimiter: ',' },
  ])('$header', async ({ header, delimiter }) => {
    const items = await readItems(`${header}\n${['a', 'Coat', IMAGE].join(delimiter)}\n`);
    expect(items).toMatchObject([{ kind: 'row', id: 'a', title: 'Coat', imageLink: IMAGE }]);
  });

  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'lacks the image column', feed: 'id,title,link\n1,a,b\n', detail: 'The header row has no column image_link; it has "id", "title", "link": name it in the mapping' },
    { what: 'lacks the image column beside an id of another name', feed: 'SKU,Name,Price\n1,a,b\n', detail: 'The header row has no column image_link; it has "SKU", "Name", "Price": name it in the mapping' },
    { what: 'lacks the id column', feed: 'title,image_link\n1,a\n', detail: 'The header row has no column id; it has "title", "image_link": name it in the mapping' },
    { what: 'is missing', feed: '\n\n', detail: 'There is no header row' },
    { what: 'has an open quote', feed: '"id,image_link\n1,a\n', detail: 'The header row has unbalanced quotes' },
    { what: 'is endless', feed: `id,image_link,${'x'.repeat(1024 * 1024)}`, detail: 'The first line is too long for a header row' },
  ])('is rejected: it $what', async ({ feed, detail }) => {
    await expect(readItems(feed, { format: 'csv' })).rejects.toMatchObject({
      name: 'FeedError',
      reason: 'no-header',
      detail,
    });
  });

  test('may have unknown columns, and one column twice', async () => {
    const header = 'id,custom label,image_link,additional_image_link,price,additional_image_link';
    const feed = `${header}\na,x,${IMAGE},https://b.example/1.jpg,9 EUR,https://b.example/2.jpg\n`;
    expect(await readItems(feed)).toMatchObject([
      {
        additionalImageLinks: ['https://b.example/1.jpg', 'https://b.example/2.jpg'],
      },
    ]);
  });
});

describe('cells, compared with csv-parse', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é', '') });
  const plain = (text: string) => !/["\n\r,]/.test(text);

  test('a quoted row is read as csv-parse reads it', () => {
    const row = fc.array(fc.record({ cell, always: fc.boolean() }), { minLength: 1 });
    fc.assert(
      fc.property(row, (cells) => {
        const written = cells
          .map(({ cell: text, always }) =>
            always || !plain(text) ? `"${text.replaceAll('"', '""')}"` : text,
          )
          .join(',');
        const [expected] = parse(written, { relax_column_count: true, record_delimiter: '\0' });
        const scan = scanRow(written, ',');
        if (typeof scan === 'string') throw new Error(scan);
        const read = cells.map((_, i) => unquote(written.slice(scan[2 * i], scan[2 * i + 1])));
        expect(scan).toHaveLength(2 * cells.length);
        expect(read).toEqual(expected ?? ['']);
      }),
    );
  });
});
