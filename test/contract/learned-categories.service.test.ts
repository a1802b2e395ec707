import { expect, test } from 'vitest';
import { createClient } from '../../packages/client/src/client.ts';
import { answerOf, keyClient } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop, key, feeds } = await useCatalogue();
const PATH = '/intake/v1/categories';

const send = (method: string, path: string, body?: object, as = key) =>
  answerOf(keyClient(stack, as).sendJson(method, path, body));
const classified = async (attributes: object, as = key) =>
  (await send('POST', '/taxonomy/v1/taxonomy', { attributes }, as)).body;
const SHIRTS = { title: 'Zorvik 12', product_type: 'Oberteile / Neu' };

test('a category that people give rows of a feed is learnt for its shop category', async () => {
  const image = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
  const links = [1, 2, 3].map((i) =>
    shop.put(`/learned/${i}.jpg`, { body: image, type: 'image/jpeg' }),
  );
  const rows = links.map((link, i) => `sku-${i},Zorvik ${i},Oberteile > Neu,${link}`);
  const body = ['id,title,product_type,image_link', ...rows, ''].join('\r\n');
  const url = shop.put('/learned/feed.csv', { body, type: 'text/csv' });
  const operations = ['remove-background', 'classify'];
  const { feed, run } = await feeds.completed({ url, operations });
  const path = `/intake/v1${feeds.pathOf(run)}/review`;
  const decide = (row: number, more: object) =>
    send('POST', `${path}/${row}`, { decision: 'approved', revision: 0, ...more });

  const expected = { status: 400, body: { errors: [{ pointer: '/category' }] } };
  expect(await decide(0, { category: 'jacket' })).toMatchObject(expected);
  expect(await decide(0, { category: 'blouse' })).toMatchObject({
    status: 200,
    body: { category: 'blouse', shopPath: 'oberteile > neu' },
  });
  const report = async () =>
    (await feeds.report(run)).flatMap(({ kind, classification }) =>
      kind === 'product' ? [classification?.category?.id] : [],
    );
  expect((await report())[0]).toBe('blouse');
  await decide(1, { category: 'blouse' });
  expect((await classified(SHIRTS)).evidence.learned).toEqual({
    ...{ path: 'oberteile > neu', category: 'blouse', decisions: 2, agreement: 1 },
  });
  await decide(2, { category: 'blouse' });
  expect((await classified(SHIRTS)).category).toMatchObject({ id: 'blouse', confidence: 0.95 });
  expect(await report()).toEqual(['blouse', 'blouse', 'blouse']);
  const exported = await feeds.ask(
    'GET',
    `/feeds/${feed.id}/export?columns=google_product_category`,
  );
  expect((await exported.text()).split('\r\n')[1]).toContain(',212');

  const batch = await send('POST', '/taxonomy/v1/taxonomy', { items: [{ attributes: SHIRTS }] });
  expect(batch.body.items[0].category.id).toBe('blouse');
  expect((await classified({ title: 'Zorvik 12' })).evidence.learned).toBeUndefined();
  const other = (await stack.key({ client: 'other' })).key;
  expect((await classified(SHIRTS, other)).evidence.learned).toBeUndefined();

  const taken = await send('POST', `${path}/2`, { decision: 'pending', revision: 1 });
  expect(taken.body.category).toBeUndefined();
  expect((await send('GET', PATH)).body.categories).toMatchObject([
    { path: 'oberteile > neu', category: 'blouse', decisions: 2, strong: false },
  ]);
});

test('is exported, imported and forgotten, by the client too', async () => {
  const { categories } = createClient({ baseUrl: stack.url, key: (await stack.key()).key });
  const entry = { path: 'Hunde &gt; Mäntel', counts: { none: 4 } };
  const [stored] = await categories.put([entry]);
  expect(stored).toMatchObject({ path: 'hunde > mäntel', category: 'none', strong: true });
  const listed = await categories.list();
  expect(await categories.put(listed)).toEqual(
    listed.map((each) => expect.objectContaining({ ...each, changedAt: expect.any(String) })),
  );
  await categories.forget('HUNDE / MÄNTEL');
  await expect(categories.forget('Hunde > Mäntel')).rejects.toMatchObject({ status: 404 });
  await categories.put([entry]);
  await categories.forget();
  expect(await categories.list()).toEqual([]);
});

test.each([
  [{ categories: [{ path: 'Hemden', counts: { shrit: 3 } }] }, '/categories/0/counts/shrit'],
  [{ categories: [{ path: 'Hemden', counts: { shirt: 0 } }] }, '/categories/0/counts/shirt'],
  [{ categories: [{ path: ' > ', counts: { shirt: 1 } }] }, '/categories/0/path'],
  [{ categories: [] }, '/categories'],
])('%j is 400', async (body, pointer) => {
  const expected = { status: 400, body: { errors: [{ pointer }] } };
  expect(await send('PUT', PATH, body)).toMatchObject(expected);
});
