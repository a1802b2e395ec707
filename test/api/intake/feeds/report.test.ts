import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { writeReport } from '../../../../src/api/intake/feeds/report.ts';
import type { ImageLine, ProductLine } from '../../../../src/api/intake/feeds/report-lines.ts';
import type { Report } from '../../../../src/api/intake/feeds/report-model.ts';

/** The reviews of cut-outs in the reports of feeds. */

const AT = '2026-11-23T12:00:00.000Z';

const RUN: Report['run'] = {
  id: 'run_1',
  feedId: 'feed_1',
  status: 'completed',
  counts: {
    rows: 1,
    images: 1,
    stale: 0,
    units: 0,
    unchanged: 0,
    changed: 1,
    succeeded: 1,
    failed: 0,
    rejected: 0,
  },
  reasons: {},
  createdAt: AT,
  expiresAt: AT,
  links: {
    self: '',
    report: '',
    export: '',
    review: '',
    duplicates: '',
    cancel: '',
    confirm: '',
    feed: '',
  },
};

async function reportOf(
  format: 'csv' | 'html' | 'ndjson',
  review: ImageLine['review'],
  duplicateOf?: ImageLine['duplicateOf'],
) {
  const image: ImageLine = {
    url: 'http://shop.example/a.jpg',
    outcome: 'changed',
    ...(review && { review }),
    ...(duplicateOf && { duplicateOf }),
  };
  async function* lines(): AsyncGenerator<ProductLine> {
    yield { kind: 'product', id: 'a', line: 2, images: [image], notes: [] };
  }
  const report = {
    run: RUN,
    isClassified: false,
    isSeparated: false,
    isJudged: false,
    lines: lines(),
    linkOf: () => undefined,
  };
  const { body } = writeReport(format, report);
  return Buffer.concat(await Readable.from(body).toArray()).toString();
}

const DOUBTED = { needed: true, reasons: ['blurred', 'cut-by-frame'] };
const WHOLE = { needed: false, reasons: [] };
const CUT = { needed: false, reasons: ['cut-by-frame'] };

test.each([
  { review: DOUBTED, cells: 'true,"blurred; cut-by-frame"' },
  { review: CUT, cells: 'false,cut-by-frame' },
  { review: WHOLE, cells: 'false,' },
  { review: undefined, cells: ',' },
])('a table has the review $review before those of duplicates', async ({ review, cells }) => {
  const [, line] = (await reportOf('csv', review)).split('\r\n');
  expect(line).toBe(`2,a,,1,http://shop.example/a.jpg,changed,,,${cells},,,`);
});

test('a line of JSON has the review of each image', async () => {
  const [, line = ''] = (await reportOf('ndjson', DOUBTED)).split('\n');
  const expected = [{ url: 'http://shop.example/a.jpg', outcome: 'changed', review: DOUBTED }];
  expect(JSON.parse(line).images).toEqual(expected);
});

test.each([
  {
    review: DOUBTED,
    text: '<span class="check">Please check</span>: The photo is blurred. The edge of the photo cuts the subject.</li>',
  },
  { review: CUT, text: 'Noticed: The edge of the photo cuts the subject.</li>' },
  {
    review: { needed: true, reasons: ['<b>'] },
    text: '<span class="check">Please check</span>: &lt;b&gt;.</li>',
  },
])('a page says in words what to look at: $review.reasons', async ({ review, text }) => {
  expect(await reportOf('html', review)).toContain(text);
});

test.each([WHOLE, undefined])('a page says nothing of %j', async (review) => {
  expect(await reportOf('html', review)).not.toMatch(/Please check<|Noticed/);
});

test('an image that repeats a picture names the first one', async () => {
  const first = { row: 0, customId: '=coat<1>', image: 1, similarity: 0.984 };
  const csv = await reportOf('csv', undefined, first);
  const [header, line] = csv.trim().split('\r\n');
  expect(header?.endsWith(',duplicate_of,duplicate_of_image,duplicate_similarity')).toBe(true);
  expect(line?.endsWith(",,'=coat<1>,2,0.984")).toBe(true);
  const html = await reportOf('html', undefined, first);
  expect(html).toContain('Same picture as image 2 of =coat&lt;1&gt; (98% alike)');
  const ndjson = await reportOf('ndjson', undefined, first);
  const [, product = ''] = ndjson.split('\n');
  expect(JSON.parse(product).images[0].duplicateOf).toEqual(first);
});

test.each([
  { id: 'x;=cmd|A0', cell: `"x;'=cmd|A0"` },
  { id: 'x; "=1+1"', cell: `"x; ""'=1+1"""` },
  { id: 'a\t-1', cell: `"a\t'-1"` },
  { id: '@a', cell: "'@a" },
  { id: 'a-1;b', cell: '"a-1;b"' },
  { id: 'a=1', cell: 'a=1' },
])('no program finds a formula in $id, wherever it splits', async ({ id, cell }) => {
  const first = { row: 0, customId: id, image: 1, similarity: 0.984 };
  const line = (await reportOf('csv', undefined, first)).trim().split('\r\n')[1];
  expect(line?.endsWith(`,,${cell},2,0.984`)).toBe(true);
});
