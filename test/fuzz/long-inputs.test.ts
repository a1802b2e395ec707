import { expect, test } from 'vitest';
import { readJsonImage } from '../../src/http/image-body.ts';
import { sniffFormat } from '../../src/imaging/sniff.ts';
import { itemsOf } from '../feed-formats/reading.ts';

/*
 * Inputs as long as the limits let them be, over which a search once began anew at every byte: each of
 * them took from minutes to hours.
 */
const LONG_BYTES = 900_000;

test('base64 of nothing but padding is refused', () => {
  const image_base64 = `${'='.repeat(20 * LONG_BYTES)}x`;
  expect(() => readJsonImage({ image_base64 }, 2 ** 25, sniffFormat)).toThrow('is not base64');
});

test('additional links may have a comma and a million spaces', async () => {
  const links = `http://a.test/1,${' '.repeat(LONG_BYTES)}x , http://a.test/2`;
  const head = 'id\timage_link\tadditional_image_link\n';
  const items = await itemsOf(`${head}1\thttp://a.test\t${links}\n`);
  expect(items).toMatchObject([{ kind: 'row', additionalImageLinks: ['http://a.test/2'] }]);
});

const COMMENTS = '<!--'.repeat(10_000);

test.each([
  ['attributes', `<a b="${COMMENTS}"/>`],
  ['processing instructions', `<?a ${COMMENTS}?>`],
])('an item may be full of unclosed comments in %s, and faulty', async (_where, markup) => {
  const item = `<item>${markup.repeat(LONG_BYTES / markup.length)}<b></item>`;
  const items = await itemsOf(`<rss><channel>${item}</channel></rss>`);
  expect(items).toMatchObject([{ kind: 'fault', reasons: [{ code: 'malformed' }] }]);
});
