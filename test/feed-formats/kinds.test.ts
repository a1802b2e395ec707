import { expect, test } from 'vitest';
import { exportFeed } from '../../src/feed-formats/export.ts';
import { FeedNotes } from '../../src/feed-formats/notes.ts';
import type { OpenFeed } from '../../src/feed-formats/open-feed.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import { streamOf } from '../support/feeds.ts';
import { collect } from './read-items.ts';

/** Exports of real programs, by their own names. `~` in them is the address of the images. */
const HOST = 'https://img.example';
const rss = (item: string, attributes = 'xmlns:g="http://base.google.com/ns/1.0"') =>
  `<rss version="2.0" ${attributes}><channel>${item}</channel></rss>`;

// biome-ignore format: a table reads best aligned
const KINDS: readonly { what: string; feed: string | Buffer; rows: string[]; preset?: OpenFeed['reading']['preset']; notes?: string[] }[] = [
  { what: 'Yandex, with its document type', feed: '<?xml version="1.0"?>\n<!DOCTYPE yml_catalog SYSTEM "shops.dtd">\n<yml_catalog><shop><offers><offer id="a"><picture>~/1</picture><picture>~/2</picture></offer></offers></shop></yml_catalog>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Ceneo: addresses in attributes', feed: '<offers><o id="a"><name>x</name><imgs><main url="~/1"/><i url="~/2"/><i url="~/3"/></imgs></o></offers>', rows: ['a /1 /2 /3'], preset: 'plain' },
  { what: 'attributes only', feed: '<catalog><item sku="a" image="~/1"/><item sku="b" image="~/2"/></catalog>', rows: ['a /1', 'b /2'], preset: 'plain' },
  { what: 'pictures deep within', feed: '<c><p id="a"><images><image><url>~/1</url></image><image><url>~/2</url></image></images></p></c>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'TradeDoubler', feed: '<products xmlns="urn:x"><product><productImage height="0">~/1</productImage><offers><offer id="a"><u>x</u></offer></offers></product></products>', rows: ['a /1'], preset: 'plain' },
  { what: 'Awin in XML', feed: '<merchantProductFeed><merchant id="1"><prod id="a"><text><name>x</name></text><uri><awImage>~/9</awImage><mImage>~/1</mImage></uri></prod></merchant></merchantProductFeed>', rows: ['a /1'], preset: 'awin' },
  { what: 'RSS with enclosures', feed: rss('<item><guid>a</guid><enclosure url="~/1" type="image/jpeg"/></item>', ''), rows: ['a /1'], preset: 'plain' },
  { what: 'a prefix of another name', feed: rss('<item><q:id>a</q:id><q:image_link>~/1</q:image_link></item>', 'xmlns:q="http://base.google.com/ns/1.0"'), rows: ['a /1'] },
  { what: 'a bare less-than sign', feed: rss('<item><g:id>a</g:id><d>5 < 6</d><g:image_link>~/1</g:image_link></item>'), rows: ['a /1'], notes: ['bare-ampersands'] },
  { what: 'Latin-1 that is said to be UTF-8', feed: Buffer.from('<?xml version="1.0" encoding="UTF-8"?><rss><channel><item><id>gr\xfcn</id><image_link>https://img.example/1</image_link></item></channel></rss>', 'latin1'), rows: ['grün /1'], notes: ['windows-1252'] },
  { what: 'an encoding that is none', feed: '<?xml version="1.0" encoding="ANSI"?><rss><channel><item><id>a</id><image_link>~/1</image_link></item></channel></rss>', rows: ['a /1'] },
  { what: 'Magento 1: further rows have no id', feed: 'sku,_type,name,image,_media_image\na,simple,x,~/1,~/1\n,,,,~/2\nb,simple,y,~/3,\n', rows: ['a /1 /2', 'b /3'], preset: 'magento' },
  { what: 'Magento 2: a row for each view', feed: 'sku,store_view_code,name,base_image,additional_images\na,,x,~/1,"~/2,~/3"\na,de,y,,\n', rows: ['a /1 /2 /3'], preset: 'magento' },
  { what: 'WooCommerce with commas in links', feed: 'ID,Type,SKU,Name,Published,Images\n1,simple,a,x,1,"~/w_1,h_2/1, ~/w_1,h_2/2"\n', rows: ['1 /w_1,h_2/1 /w_1,h_2/2'], preset: 'woocommerce', notes: ['link-lists'] },
  { what: 'PrestaShop in French', feed: 'ID;Actif (0/1);Nom *;URL des images (x,y,z...)\n1;1;x;~/1,~/2\n', rows: ['1 /1 /2'], preset: 'prestashop' },
  { what: 'idealo in German', feed: 'Artikelnummer;EAN;Herstellerartikelnummer;Produktname;Bild-URL\na;1;2;x;~/1\n', rows: ['a /1'], preset: 'idealo' },
  { what: 'Amazon', feed: 'item_sku,item_name,main_image_url,other_image_url1\na,x,~/1,~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'eBay', feed: '*Action,CustomLabel,*Title,PicURL\nAdd,a,x,~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'BigCommerce', feed: 'Product ID,Product Name,Product Image URL - 1,Product Image URL - 2\n1,x,~/1,~/2\n', rows: ['1 /1 /2'], preset: 'plain' },
  { what: 'Shopware', feed: 'ordernumber;name;imageUrl\na;x;~/1\n', rows: ['a /1'], preset: 'plain' },
  { what: 'Norwegian', feed: 'id\ttittel\tbildelink\tekstra bildelink\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Russian', feed: 'идентификатор\tназвание\tссылка на изображение\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Turkish', feed: 'kimlik\tbaşlık\tresim bağlantısı\tek resim bağlantısı\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'carets', feed: 'id^title^image_link\na^x^~/1\n', rows: ['a /1'] },
  { what: 'a Mac: CR, and LF within a cell', feed: 'id,title,image_link\ra,"x\ny",~/1\rb,z,~/2\r\n', rows: ['a /1', 'b /2'], notes: ['carriage-returns'] },
  { what: 'a link with commas and no quotes', feed: 'id,title,image_link\na,x,~/w_1,h_2/1\nb,y,~/2\n', rows: ['a /w_1,h_2/1', 'b /2'], notes: ['unquoted-links'] },
  { what: 'a comma that may be of either column', feed: 'id,image_link,title\na,~/1,x, y\nb,~/2,z\n', rows: ['a ragged', 'b /2'] },
  { what: 'a list as in JSON', feed: 'id,image_link,additional_image_link\na,~/1,"[""~/2"", ""~/3""]"\n', rows: ['a /1 /2 /3'] },
  { what: 'a notice of PHP before CSV', feed: '<br />\n<b>Notice</b>: x\nid,title,image_link\na,x,~/1\n', rows: ['a /1'], notes: ['text-before'] },
  { what: 'a notice of PHP before JSON', feed: '<br />\n<b>Notice</b>: "x\n[{"id":"a","image_link":"~/1"}]', rows: ['a /1'], notes: ['text-before'] },
  { what: 'an array with a row a line', feed: '{"products":[\n{"id":"a","image_link":"~/1"},\n{"id":"b","image_link":"~/2"}\n]}', rows: ['a /1', 'b /2'] },
  { what: 'GraphQL of Shopify', feed: '{"data":{"products":{"edges":[{"node":{"id":"a","images":{"edges":[{"node":{"url":"~/1"}},{"node":{"url":"~/2"}}]}}}]}}}', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'REST of WooCommerce', feed: '[{"id":1,"name":"x","sku":"a","images":[{"id":5,"src":"~/1"},{"id":6,"src":"~/2"}]}]', rows: ['1 /1 /2'], preset: 'shopify-json' },
  { what: 'JSON without products', feed: '{"products":[]}', rows: [] },
];

const bytesOf = (feed: string | Buffer): Buffer =>
  typeof feed === 'string' ? Buffer.from(feed.replaceAll('~', HOST)) : feed;

async function read(bytes: Buffer) {
  const notes = new FeedNotes();
  const opened: OpenFeed[] = [];
  const rows: string[] = [];
  const items = parseFeed(streamOf([bytes]), { takeNote: notes.take }, (feed) => opened.push(feed));
  for await (const item of items) {
    if (item.kind === 'error') {
      rows.push(`${item.id ?? 'a'} ${item.reasons.map(({ code }) => code).join(' ')}`);
    } else {
      const links = [item.imageLink, ...item.additionalImageLinks];
      rows.push([item.id, ...links.map((link) => link.replace(HOST, ''))].join(' '));
    }
  }
  return { rows, preset: opened[0]!.reading.preset, notes: notes.list().map(({ code }) => code) };
}

test.each(KINDS)('$what', async ({ feed, rows, preset = 'google', notes }) => {
  const seen = await read(bytesOf(feed));
  expect(seen.rows).toEqual(rows);
  expect(seen.preset).toBe(preset);
  if (notes) expect(seen.notes).toEqual(notes);
});

test.each(KINDS)('$what: exported, and with new links', async ({ feed, rows }) => {
  const bytes = bytesOf(feed);
  const kept = await collect(exportFeed(streamOf([bytes]), () => undefined));
  expect(Buffer.concat(kept)).toEqual(bytes);
  const replace = (_: unknown, image: number) => `https://new.example/${image}`;
  const replaced = await collect(exportFeed(streamOf([bytes]), replace));
  const again = await read(Buffer.concat(replaced));
  const images = rows.map((row) => (row.includes('/') ? row.split(' /').length - 1 : 0));
  expect(again.rows.map((row) => row.split(' https://new.example/').length - 1)).toEqual(images);
});
