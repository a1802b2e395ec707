import { Registry } from 'prom-client';
import { afterAll, describe, expect, test } from 'vitest';
import { lookRoutes } from '../../src/api/look/routes.ts';
import { LookThreads } from '../../src/api/look/thread-pool.ts';
import { parse } from '../../src/http/parse.ts';
import type { Call, Route } from '../../src/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
import { Problem } from '../../src/platform/problem.ts';
import { CLOSET } from '../look/closet.ts';
import { callOf } from '../support/call.ts';

const signingKeys = 'k1:a-secret-of-the-test';
const threads = new LookThreads({
  threads: 1,
  deadlineMillis: 60_000,
  abandonedMillis: 60_000,
  signingKeys,
  registry: new Registry(),
  log: createLog('test', 'silent'),
});
afterAll(() => threads.close());
const routes = lookRoutes({ signingKeys, threads, charge: async () => {} });
const routeAt = (path: string): Route => {
  const found = routes.find((route) => route.path === `/look/v1/${path}`);
  if (!found) throw new Error(`There is no ${path}`);
  return found;
};

/** Calls a route as the server does: with the body as text and the query parsed by its schema. */
async function call(path: string, { body, query, headers }: Partial<Call> = {}) {
  const route = routeAt(path);
  const parsed = route.query && parse(route.query, query ?? {}, 'query');
  return route.handle(callOf({ query: parsed, body, headers: headers ?? {} }));
}

const answer = async (path: string, body: unknown) => {
  const reply = await call(path, { body: JSON.stringify(body) });
  const [content] = Object.values(routeAt(path).responses[200]?.content ?? {});
  if (!content || content === 'binary' || 'each' in content)
    throw new Error('The response is not JSON');
  const { body: sent } = reply;
  const response = JSON.parse(typeof sent === 'string' ? sent : JSON.stringify(sent));
  // The response matches the published schema: no field more, no field less.
  expect(content.parse(response)).toEqual(response);
  return response;
};

/** The values of these members of each element. */
const pick = (list: Record<string, unknown>[], ...names: string[]) =>
  list.map((each) => names.map((name) => each[name]));

/** The problem that rejects a body: its type and the pointers of its errors. */
async function rejection(path: string, body: unknown) {
  try {
    await call(path, { body: JSON.stringify(body) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { type: error.type, pointers: error.errors?.map(({ pointer }) => pointer), error };
  }
  throw new Error('accepted');
}

const NOT_JSON = 'invalid-request: The body is not JSON';
const TOO_DEEP = 'invalid-request: The body is nested too deeply';

const weather = { tempC: 8, windMs: 5, humidityPct: 80, condition: 'rain' };
const request = { weather, met: 2, occasion: 'work', items: CLOSET };

describe('the two ways to use the API', () => {
  test('in one call: options from /meta, outfits from /outfits', async () => {
    const meta = JSON.parse(String((await call('meta')).body));
    const known = new Set(pick(meta.dictionaries.category, 'id').flat());
    expect(CLOSET.every(({ category }) => known.has(category))).toBe(true);
    const { outfits, targets, indoorTargets } = await answer('outfits', { ...request, limit: 3 });
    expect(outfits).toHaveLength(3);
    expect(new Set(pick(outfits, 'name').flat()).size).toBe(3);
    expect(targets.regionalTargets.outerwear).toBeGreaterThan(0);
    expect(indoorTargets.regionalTargets.outerwear).toBe(0);
  });

  test('step by step: /targets, /candidates, /score with unchanged targets', async () => {
    const { items: _, ...day } = request;
    const { targets } = await answer('targets', day);
    const found = await answer('candidates', { ...request, limit: 10 });
    // Only /candidates signs the plan: /targets has none.
    expect(found.targets).toEqual({
      ...targets,
      inputs: { ...targets.inputs, plan: 'indoor' },
      digest: expect.any(String),
    });
    const { candidates } = found;
    const scored = await answer('score', { targets: found.targets, candidates, items: CLOSET });
    expect(pick(scored.ranked, 'candidateId').sort()).toEqual(pick(candidates, 'id').sort());
    expect(scored.shell.needed).toBe(true);
  });

  test('give the same outfits with the same scores', async () => {
    const { outfits } = await answer('outfits', { ...request, limit: 4 });
    const pool = (await answer('candidates', { ...request, limit: 20 })).candidates;
    const { targets } = await answer('candidates', { ...request, limit: 1 });
    const { ranked } = await answer('score', { targets, candidates: pool, items: CLOSET });
    expect(pick(ranked.slice(0, 4), 'candidateId', 'score')).toEqual(pick(outfits, 'id', 'score'));
  });

  test('/outfits ranks its list from 1', async () => {
    const { outfits } = await answer('outfits', { ...request, limit: 4 });
    expect(pick(outfits, 'rank')).toEqual([[1], [2], [3], [4]]);
  });

  test('the plan is signed: /score keeps to it and rejects another', async () => {
    const outdoors = { ...request, plan: 'outdoor', limit: 20 };
    const { targets, candidates } = await answer('candidates', outdoors);
    const body = { targets, candidates, items: CLOSET };
    const { ranked, shell } = await answer('score', body);
    expect(shell).toBeNull();
    expect(ranked[0].thermal.plan).toBe('outdoor');
    const { outfits } = await answer('outfits', { ...outdoors, limit: 4 });
    expect(pick(outfits, 'score')).toEqual(pick(ranked.slice(0, 4), 'score'));
    const expected = { ranked, shell, paramsVersion: expect.any(String) };
    expect(await answer('score', { ...body, plan: 'outdoor' })).toEqual(expected);
    const { type, pointers } = await rejection('score', { ...body, plan: 'indoor' });
    expect([type, pointers]).toEqual(['invalid-request', ['/plan']]);
  });

  test('targets of /targets hold for either plan', async () => {
    const { items: _, ...day } = request;
    const { targets } = await answer('targets', day);
    expect(targets.inputs).not.toHaveProperty('plan');
    const { candidates } = await answer('candidates', { ...request, limit: 1 });
    const body = { targets, candidates, items: CLOSET };
    expect((await answer('score', body)).ranked[0].thermal.plan).toBe('indoor');
    const outdoors = await answer('score', { ...body, plan: 'outdoor' });
    expect(outdoors.ranked[0].thermal.plan).toBe('outdoor');
  });

  test('the outdoor plan has no base outfit', async () => {
    const { indoorTargets, outfits } = await answer('outfits', { ...request, plan: 'outdoor' });
    expect(indoorTargets).toEqual({});
    expect(outfits[0].shell).toBeNull();
  });
});

describe('required items', () => {
  const style = ['belt', 'tie', 'bag', 'sunglasses'].map((category) => ({
    id: `my-${category}`,
    category,
    colors: [{ hex: '#d0103a' }],
  }));
  const items = [...CLOSET, ...style];
  const must = style.map(({ id }) => id);
  const slots = { belt: 'my-belt', tie: 'my-tie', bag: 'my-bag', eyes: 'my-sunglasses' };

  test('a belt, tie, bag and sunglasses have slots, and count for colour and occasion', async () => {
    const plain = await answer('outfits', { ...request, items, limit: 1 });
    const { outfits } = await answer('outfits', { ...request, items, must, limit: 3 });
    expect(outfits).toHaveLength(3);
    for (const outfit of outfits) {
      expect(outfit.itemIds).toEqual(expect.arrayContaining(must));
      expect(outfit.slots).toMatchObject(slots);
    }
    const pin = plain.outfits[0].itemIds;
    const [same] = (await answer('outfits', { ...request, items, pin, must, limit: 1 })).outfits;
    expect(same.thermal).toEqual(plain.outfits[0].thermal);
    expect(same.breakdown.color).not.toBe(plain.outfits[0].breakdown.color);
    expect(same.breakdown.occasion).not.toBe(plain.outfits[0].breakdown.occasion);
  });

  test('outfits with them are scored as they were found, and /day keeps them on', async () => {
    const found = await answer('candidates', { ...request, items, must, limit: 25 });
    const { targets, candidates } = found;
    const { ranked } = await answer('score', { targets, candidates, items });
    const { outfits } = await answer('outfits', { ...request, items, must, limit: 5 });
    expect(pick(outfits, 'id', 'score')).toEqual(pick(ranked.slice(0, 5), 'candidateId', 'score'));
    const hours = [{ weather, met: 2 }];
    const day = await answer('day', { hours, items, must });
    expect(day.hours[0].wearIds).toEqual(expect.arrayContaining(must));
  });

  test.each(['must', 'pin'])('%s contradicts `exclude`, or an item that is away', async (field) => {
    const away = CLOSET.map((item) => ({ ...item, available: item.id !== 'boots' }));
    const body = { ...request, items: away, exclude: ['parka'] };
    for (const path of ['candidates', 'outfits']) {
      const { type, pointers } = await rejection(path, {
        ...body,
        [field]: ['jeans-blue', 'boots', 'parka', 'jeans-blue', 'none'],
      });
      expect(type).toBe('invalid-request');
      expect(pointers).toEqual([1, 2, 3, 4].map((at) => `/${field}/${at}`));
    }
    const hours = [{ weather, met: 2 }];
    const day = { hours, items: away, exclude: ['parka'], [field]: ['parka'] };
    expect((await rejection('day', day)).pointers).toEqual([`/${field}/0`]);
  });

  test('pins that exclude each other are rejected by name; `must` gives an empty list', async () => {
    const ids = ['scarf', 'jeans-blue', 'dress-knit'];
    const { type, error } = await rejection('outfits', { ...request, pin: ids });
    expect(type).toBe('invalid-request');
    const expected = [{ pointer: '/pin/2', detail: 'cannot be worn with `jeans-blue`' }];
    expect(error.errors).toEqual(expected);
    const three = ['tee-white', 'sweater-grey', 'hoodie-green'];
    expect((await rejection('outfits', { ...request, pin: three })).pointers).toEqual(['/pin/2']);
    const { outfits, diagnostics } = await answer('outfits', { ...request, must: ids });
    expect(outfits).toEqual([]);
    expect(pick(diagnostics, 'code')).toContainEqual(['no-combination']);
  });

  test('a coat that is required indoors is part of the outfit, and no other is suggested', async () => {
    const { outfits } = await answer('outfits', { ...request, must: ['rain-jacket'], limit: 3 });
    expect(outfits).toHaveLength(3);
    for (const outfit of outfits) {
      expect(outfit.slots.outer).toBe('rain-jacket');
      expect(outfit.shell.items).toEqual([]);
    }
  });

  test('a thousand favourites are a matter of order only', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => ({
      id: `i${i}`,
      category: ['t_shirt', 'jeans', 'sneakers', 'hoodie'][i % 4],
      favorite: true,
    }));
    const { outfits } = await answer('outfits', { ...request, items: many });
    expect(outfits).toHaveLength(5);
    const pin = many.map(({ id }) => id);
    expect((await rejection('outfits', { ...request, items: many, pin })).pointers).toContain(
      '/pin',
    );
  });
});

describe('cacheable documents', () => {
  test.each(['params', 'meta'])(
    '%s has an entity tag and is not sent again to a client that has it',
    async (path) => {
      const first = await call(path);
      expect(first.headers?.['content-type']).toMatch(/^application\/json/);
      const etag = first.headers?.etag ?? '';
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await call(path, { headers: { 'if-none-match': known } });
        expect(again.status).toBe(304);
        expect(again.body).toBeUndefined();
        expect(again.headers?.etag).toBe(etag);
      }
      const other = await call(path, { headers: { 'if-none-match': '"other"' } });
      expect(other.status ?? 200).toBe(200);
    },
  );

  test('meta has the requested language', async () => {
    const german = await call('meta', { query: { locale: 'de' } });
    expect(german.headers?.['content-language']).toBe('de');
    expect(String(german.body)).toContain('Daunenjacke');
    expect(german.headers?.etag).not.toBe((await call('meta')).headers?.etag);
  });
});

describe('rejected requests, with the pointers of their errors', () => {
  const targets = (more: object, at = weather) => ({ weather: { ...at, ...more }, met: 2 });

  // biome-ignore format: a table reads best aligned
  test.each([
    ['too cold',            targets({ tempC: -60.1 }),        ['/weather/tempC']],
    ['too hot',             targets({ tempC: 60.1 }),         ['/weather/tempC']],
    ['a temperature as text', targets({ tempC: '8' }),        ['/weather/tempC']],
    ['wind from behind',    targets({ windMs: -1 }),          ['/weather/windMs']],
    ['a hurricane',         targets({ windMs: 61 }),          ['/weather/windMs']],
    ['too damp',            targets({ humidityPct: 101 }),    ['/weather/humidityPct']],
    ['an unknown key',      targets({ uvIndex: 3 }),          ['/weather/uvIndex']],
    ['infinity',            targets(JSON.parse('{"tempC": 1e999}')), ['/weather/tempC']],
    ['not a number',        targets({ tempC: Number.NaN }),   ['/weather/tempC']],
    ['no weather, no met',  {},                               ['/weather', '/met']],
    ['asleep below sleep',  { ...targets({}), met: 0.6 },     ['/met']],
    ['an occasion',         { ...targets({}), occasion: 'coronation' }, ['/occasion']],
    ['a clo offset',        { ...targets({}), cloOffset: 1.6 }, ['/cloOffset']],
    ['a sauna indoors',     { ...targets({}), indoorTempC: 41 }, ['/indoorTempC']],
    ['a profile',           { ...targets({}), userProfile: { offsetC: 7, thermalProfile: 'chilly', regionOffsetC: { ears: 1 } } },
      ['/userProfile/thermalProfile', '/userProfile/offsetC', '/userProfile/regionOffsetC/ears']],
    ['all errors at once',  { weather: { tempC: 99, windMs: -1, humidityPct: 50, condition: 'x' }, met: 'fast', extra: 1 },
      ['/weather/tempC', '/weather/windMs', '/met', '/extra']],
  ])('targets: %s', async (_, body, pointers) => {
    const refused = await rejection('targets', body);
    expect(refused.type).toBe('invalid-request');
    expect([...(refused.pointers ?? [])].sort()).toEqual([...pointers].sort());
  });

  const PATHS = ['candidates', 'outfits'];
  test.each(PATHS)('%s: every invalid item has its own pointer', async (path) => {
    const items = [
      { id: 'a', category: 't-shirt' },
      { id: 'a', category: 'jeans', clo: 3 },
      { id: 'b', category: 'jeans', colors: [{ hex: 'blue' }] },
    ];
    const { type, pointers, error } = await rejection(path, { ...request, items, must: ['z'] });
    expect(type).toBe('invalid-request');
    const wrong = ['0/category', '1/id', '1/clo', '2/colors/0/hex'].map((at) => `/items/${at}`);
    expect(new Set(pointers)).toEqual(new Set([...wrong, '/must/0']));
    const category = error.errors?.find(({ pointer }) => pointer === wrong[0]);
    expect(category?.detail).toContain('`t_shirt`');
  });

  test.each(PATHS)('%s: 1001 items are rejected before they are read', async (path) => {
    const items = Array.from({ length: 1001 }, () => ({ nonsense: true }));
    const { type, pointers } = await rejection(path, { ...request, items });
    expect([type, pointers]).toEqual(['payload-too-large', ['/items']]);
  });

  test('what is not JSON, or nests too deeply', async () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const detailOf = (path: string, body: string | undefined) =>
      call(path, { body }).then(
        () => undefined,
        ({ type, detail }) => `${type}: ${detail}`,
      );
    // A wardrobe's body goes to a thread, other short bodies do not.
    for (const path of ['targets', 'outfits']) {
      const text = JSON.stringify(path === 'targets' ? { weather, met: 2 } : request);
      const withExtra = (json: string) => text.replace('{', `{"extra": ${json}, `);
      expect(await detailOf(path, text)).toBeUndefined();
      expect(await detailOf(path, undefined)).toBe('invalid-request: The body is missing');
      expect(await detailOf(path, withExtra('{"__proto__": 1}'))).toContain('"__proto__"');
      expect(await detailOf(path, text.slice(1))).toContain(NOT_JSON);
      expect(await detailOf(path, withExtra(nested(1000)))).toBe(TOO_DEEP);
      expect(await detailOf(path, withExtra(nested(999)))).toContain('/extra: ');
      const brackets = JSON.stringify(`\\"${'['.repeat(1000)}`);
      expect(await detailOf(path, withExtra(brackets))).toContain('/extra: ');
    }
  });

  test('an empty wardrobe is not an error: the response is empty and has diagnostics', async () => {
    const { outfits, diagnostics } = await answer('outfits', { ...request, items: [] });
    expect(outfits).toEqual([]);
    expect(diagnostics.length).toBeGreaterThan(0);
    const { candidates, totalValid } = await answer('candidates', { ...request, items: [] });
    expect([candidates, totalValid]).toEqual([[], '0']);
  });

  test('altered targets', async () => {
    const { targets, candidates } = await answer('candidates', request);
    const altered = { ...targets, tempC: targets.tempC + 1 };
    const body = { targets: altered, candidates, items: CLOSET };
    expect((await rejection('score', body)).type).toBe('targets-altered');
  });

  test('candidates with unknown items', async () => {
    const { targets, candidates } = await answer('candidates', { ...request, limit: 2 });
    const [known] = candidates[1].itemIds;
    const items = CLOSET.filter(({ id }) => id === known);
    const { type, pointers } = await rejection('score', { targets, candidates, items });
    expect(type).toBe('invalid-request');
    expect(pointers?.length).toBeGreaterThan(2);
    for (const pointer of pointers ?? []) expect(pointer).toMatch(/^\/candidates\/[01]\/itemIds/);
  });
});

test('conditions are accepted as forecasts write them and returned as ids', async () => {
  for (const [term, id] of [
    ['Heavy Rain', 'heavy-rain'],
    ['heavy_rain', 'heavy-rain'],
    ['sunny', 'clear'],
    ['Overcast', 'cloudy'],
    ['mist', 'fog'],
  ]) {
    const day = { weather: { ...weather, condition: term }, met: 1 };
    const { targets } = await answer('targets', day);
    expect(targets.inputs.condition).toBe(id);
  }
});

test('the same request gives the same bytes', async () => {
  for (const path of ['targets', 'candidates', 'outfits']) {
    const { items, ...day } = request;
    const body = path === 'targets' ? day : { ...day, items };
    const once = JSON.stringify(await answer(path, body));
    expect(JSON.stringify(await answer(path, body))).toBe(once);
  }
});

test('the order of items does not change the response', async () => {
  const { outfits } = await answer('outfits', request);
  const reversed = await answer('outfits', { ...request, items: [...CLOSET].reverse() });
  expect(reversed.outfits).toEqual(outfits);
});
