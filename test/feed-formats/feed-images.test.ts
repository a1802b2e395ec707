import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { feedImages, isFeed } from '../../src/feed-formats/feed-images.ts';
import { streamOf } from '../support/feeds.ts';

const LINK = 'https://shop.example';
const read = async (text: string | Buffer) => {
  const images = [];
  for await (const image of feedImages(
    streamOf([typeof text === 'string' ? Buffer.from(text) : text]),
    {},
  ))
    images.push(image);
  return images;
};

describe('the images of a feed', () => {
  test('are rows, further ones with their number', async () => {
    const shopify = [
      'Handle,Title,Image Src',
      `hat,Hat,${LINK}/1.jpg`,
      `hat,,${LINK}/2.jpg`,
      `cap,Cap,`,
      `bag,Bag,${LINK}/3.jpg`,
    ].join('\n');
    const rows = [
      { line: 2, customId: 'hat', url: `${LINK}/1.jpg` },
      { line: 2, customId: 'hat-2', url: `${LINK}/2.jpg` },
      { line: 4, customId: 'cap', detail: expect.stringContaining('image_link') },
      { line: 5, customId: 'bag', url: `${LINK}/3.jpg` },
    ];
    expect(await read(shopify)).toMatchObject(rows);
    expect(await read(gzipSync(shopify))).toMatchObject(rows);
    expect(await read(gzipSync(gzipSync(shopify)))).toMatchObject(rows); // by a server, once more
  });

  test('each have an id of their own: another with the same is an error of its line', async () => {
    const csv = `id,image_link,additional_image_link\na,${LINK}/1.jpg,${LINK}/2.jpg\na-2,${LINK}/3.jpg,\na,${LINK}/4.jpg,`;
    expect(await read(csv)).toMatchObject([
      { line: 2, customId: 'a', url: `${LINK}/1.jpg` },
      { line: 2, customId: 'a-2', url: `${LINK}/2.jpg` },
      { line: 3, customId: 'a-2', detail: 'An earlier row has the same id' },
      { line: 4, customId: 'a', detail: 'An earlier row has the same id' },
    ]);
  });
});

// biome-ignore format: a table reads best aligned
test.each([
  ['an export of a shop',       `Handle,Title,Image Src\nhat,Hat,${LINK}/1.jpg\n`,                   true],
  ['CSV with a column of ours', `custom_id,image_link\nhat,${LINK}/1.jpg\n`,                         true],
  ['lines of JSON',             `{"id":"hat","image_link":"${LINK}/1.jpg"}\n`,                       true],
  ['XML',                       `<shop><item><id>1</id><image>${LINK}/1.jpg</image></item></shop>`, true],
  ['gzip',                      gzipSync('id,image_link\n'),                                         true],
  ['rows of ours as CSV',       `custom_id,image_url\nhat,${LINK}/1.jpg\n`,                          false],
  ['rows of ours as NDJSON',    `{"customId":"hat","imageUrl":"${LINK}/1.jpg"}\n`,                   false],
  ['images in rows',            'custom_id,image_base64\nhat,AAAA\n',                                false],
  ['rows without an image',     '{"customId":"hat"}\n',                                              false],
  ['other columns',             'price,size\n1,2\n',                                                 false],
  ['nothing',                   '',                                                                  false],
] as const)('%s: %#', (_, text, expected) => {
  expect(isFeed(Buffer.from(text), {})).toBe(expected);
});
