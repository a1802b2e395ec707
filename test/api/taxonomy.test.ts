import { describe, expect, test } from 'vitest';
import { taxonomyRoutes } from '../../src/api/taxonomy.ts';
import { readJsonImage } from '../../src/http/image-body.ts';
import { parse } from '../../src/http/parse.ts';
import type { Reply } from '../../src/http/route.ts';
import { Problem } from '../../src/platform/problem.ts';
import { OptionsResponse } from '../../src/taxonomy/dictionary/options.ts';
import { ClassifyBatchResponse, ClassifyResponse } from '../../src/taxonomy/response-schema.ts';
import { callOf } from '../support/call.ts';

const MAX_BYTES = 1000;
const readImage = (body: unknown) => readJsonImage(body, MAX_BYTES).image;

/** Text rows need no worker: a call to one is an error. */
const needless = (): never => {
  throw new Error('no photo was sent');
};
const routes = taxonomyRoutes({
  readImage,
  idempotency: { claimCharge: needless },
  learnedCategories: { find: async () => undefined },
  modelVersion: 'garment-class@1',
  images: { classifyGarment: needless },
  jobs: {
    isAllowed: needless,
    startAndWait: needless,
    classification: needless,
    result: needless,
  },
  maxWaitSeconds: 1,
});

async function ask(path: string, { query = {}, body = {}, headers = {} }): Promise<Reply> {
  const found = routes.find((route) => route.path === path);
  if (!found) throw new Error(`no route ${path}`);
  return found.handle(
    callOf({
      query: found.query ? parse(found.query, query, 'query') : query,
      body,
      headers,
      imageForm: async () => readJsonImage(body, MAX_BYTES),
      form: async () => ({ fields: {}, files: {} }),
    }),
  );
}

const classified = (body: object) => ask('/taxonomy/v1/taxonomy', { body });
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => (error instanceof Problem ? error : Promise.reject(error)),
  );

describe('options', () => {
  const options = (query: object, headers = {}) => ask('/taxonomy/v1/options', { query, headers });

  test('are returned in the requested language', async () => {
    const { headers, body } = await options({ locale: 'nl' });
    expect(OptionsResponse.parse(JSON.parse(String(body))).locale).toBe('nl');
    expect(headers).toMatchObject({
      'content-language': 'nl',
      'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
    });
  });

  test('are not sent again to a client that has them', async () => {
    const { headers } = await options({});
    const etag = headers?.etag ?? '';
    for (const known of [etag, `"other", W/${etag}`, '*']) {
      const again = await options({}, { 'if-none-match': known });
      expect(again).toMatchObject({ status: 304, headers: { etag } });
      expect(again.body).toBeUndefined();
    }
    expect((await options({ locale: 'de' }, { 'if-none-match': etag })).status).toBeUndefined();
  });

  test('of an unknown language or section are rejected with the list of known ones', async () => {
    const problem = await problemOf(options({ locale: 'ru', sections: 'colours,shapes' }));
    expect(problem?.type).toBe('invalid-request');
    expect(problem?.errors?.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('en, de, fr, es, it, nl'),
      expect.stringContaining('categories, colours'),
    ]);
  });
});

describe('a row of a feed', () => {
  test('is classified without a worker', async () => {
    const { body } = await classified({ attributes: { id: 'sku-1', title: 'Daunenjacke, blau' } });
    const answer = ClassifyResponse.parse(body);
    expect(answer).toMatchObject({
      requestId: 'req-1',
      status: 'classified',
      category: { id: 'down_jacket' },
      wardrobeItem: { id: 'sku-1' },
    });
  });

  test('without an id gives an item named after the request', async () => {
    const { body } = await classified({ attributes: { title: 'Boots' } });
    expect(ClassifyResponse.parse(body).wardrobeItem?.id).toBe('req-1');
  });

  test('reports all errors at once, by pointer', async () => {
    const problem = await problemOf(
      classified({
        attributes: { title: 7, color: 'x'.repeat(201) },
        options: { topK: 0, best: 1, locale: 'xx' },
      }),
    );
    expect(problem?.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/attributes/color',
      '/attributes/title',
      '/options/best',
      '/options/locale',
      '/options/topK',
    ]);
  });

  test('or a photo is required', async () => {
    expect((await problemOf(classified({ options: {} })))?.type).toBe('invalid-request');
  });
});

describe('a batch', () => {
  test('is answered in order, and an invalid item fails alone', async () => {
    const items = [
      { id: 'a', attributes: { title: 'Jeans' } },
      { id: 'b', attributes: { title: ['no', 'text'] } },
      { id: 'c' },
      'no item',
      { attributes: { id: 'e', title: 'Gonna a tubino' } },
      { id: 'f', image_base64: 'not base64!' },
    ];
    const { body } = await classified({ items, options: { locale: 'it' } });
    const answers = ClassifyBatchResponse.parse(body).items;
    expect(answers).toMatchObject([
      { id: 'a', status: 'classified', category: { id: 'jeans' } },
      { id: 'b', problem: { type: 'invalid-request', errors: [{ pointer: '/attributes/title' }] } },
      { id: 'c', problem: { type: 'invalid-request' } },
      { id: null, problem: { type: 'invalid-request' } },
      { id: 'e', category: { id: 'skirt_heavy', label: 'Gonna a tubino' } },
      { id: 'f', problem: { type: 'invalid-request' } },
    ]);
  });

  test.each([0, 51])('of %i items is rejected', async (count) => {
    const items = Array.from({ length: count }, () => ({ attributes: { title: 'Boots' } }));
    const problem = await problemOf(classified({ items }));
    expect(problem?.errors?.[0]?.pointer).toBe('/items');
  });

  test('of fifty items is accepted', async () => {
    const items = Array.from({ length: 50 }, (_, i) => ({
      id: `${i}`,
      attributes: { title: 'Boots' },
    }));
    const { body } = await classified({ items });
    expect(ClassifyBatchResponse.parse(body).items.map(({ id }) => id)).toEqual(
      items.map(({ id }) => id),
    );
  });

  test('of long texts lets other work run between its items', async () => {
    const attributes = { title: 'Boots', description: 'waterproof boots '.repeat(290) };
    const items = Array.from({ length: 50 }, () => ({ attributes }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await classified({ items });
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
