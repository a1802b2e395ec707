import { expect, test } from 'vitest';
import { readJsonImage } from '../../src/http/image-body.ts';
import { readItems } from '../feed-formats/read-items.ts';

/* Inputs of maximum length that once took quadratic time: minutes to hours each. */
const LONG_BYTES = 900_000;

test('base64 of only padding is rejected', () => {
  const image_base64 = `${'='.repeat(20 * LONG_BYTES)}x`;
  expect(() => readJsonImage({ image_base64 }, 2 ** 25)).toThrow('is not base64');
});

test('additional links with a comma and a million spaces are read', async () => {
  const links = `http://a.test/1,${' '.repeat(LONG_BYTES)}x , http://a.test/2`;
  const head = 'id\timage_link\tadditional_image_link\n';
  const items = await readItems(`${head}1\thttp://a.test\t${links}\n`);
  expect(items).toMatchObject([{ kind: 'row', additionalImageLinks: ['http://a.test/2'] }]);
});

const COMMENTS = '<!--'.repeat(10_000);

test.each([
  ['attributes', `<a b="${COMMENTS}"/>`],
  ['processing instructions', `<?a ${COMMENTS}?>`],
])('a malformed item full of unclosed comments in %s is read', async (_where, markup) => {
  const item = `<item>${markup.repeat(LONG_BYTES / markup.length)}<b></item>`;
  const items = await readItems(`<rss><channel>${item}</channel></rss>`);
  expect(items).toMatchObject([{ kind: 'error', reasons: [{ code: 'malformed' }] }]);
});
