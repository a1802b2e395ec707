import { expect, test } from 'vitest';
import { SourceFailures } from '../../../src/intake/sources/failures.ts';
import { useRedis } from '../../support/use-redis.ts';

const { redis } = await useRedis();
const failures = new SourceFailures(redis);

const attempt = (name: string, more: object = {}) => ({
  name,
  version: '1',
  reason: '403 AccessDenied',
  ...more,
});

test('an object is tried again after longer and longer pauses, and given up at last', async () => {
  const pauses: number[] = [];
  let nowMillis = 1000;
  for (;;) {
    const batch = `batch_${pauses.length}`;
    const givenUp = await failures.record('shop', [attempt('a.jpg', { batch })], nowMillis);
    // The end of a batch that is handled again is no further attempt.
    expect(await failures.record('shop', [attempt('a.jpg', { batch })], nowMillis)).toEqual(
      givenUp,
    );
    const [found] = await failures.list('shop', '', 10);
    if (givenUp.length > 0) break;
    const retryAtMillis = found?.retryAtMillis ?? 0;
    pauses.push(retryAtMillis - nowMillis);
    expect(await failures.due('shop', retryAtMillis - 1, 10)).toEqual([]);
    expect(await failures.due('shop', retryAtMillis, 10)).toEqual(['a.jpg']);
    nowMillis = retryAtMillis;
  }
  expect(pauses).toHaveLength(9);
  expect(pauses[0]).toBe(30_000);
  expect(pauses.slice(1)).toEqual(
    pauses.slice(0, -1).map((pause) => Math.min(2 * pause, 6 * 3_600_000)),
  );
  expect(await failures.count('shop')).toEqual({ waiting: 0, givenUp: 1 });
  const expected = [{ name: 'a.jpg', attempts: 10, sinceMillis: 1000, reason: '403 AccessDenied' }];
  expect(await failures.list('shop', '', 10)).toMatchObject(expected);

  // Another version begins anew; a scan tries all again; what is done is forgotten.
  expect(await failures.record('shop', [attempt('a.jpg', { version: '2' })], nowMillis)).toEqual(
    [],
  );
  expect(await failures.list('shop', '', 10)).toMatchObject([{ attempts: 1, version: '2' }]);
  await failures.retryAll('shop');
  expect(await failures.due('shop', 0, 10)).toEqual(['a.jpg']);
  await failures.clear('shop', ['a.jpg']);
  expect(await failures.count('shop')).toEqual({ waiting: 0, givenUp: 0 });
});

test('an object that could not be looked up keeps its attempts when its version is known', async () => {
  await failures.record('heads', [attempt('a.jpg', { version: '' })], 0);
  await failures.record('heads', [attempt('a.jpg')], 0);
  await failures.record('heads', [attempt('a.jpg', { version: '' })], 0);
  expect(await failures.list('heads', '', 10)).toMatchObject([{ attempts: 3, version: '1' }]);
});

test('there is a maximum: objects beyond are given up at once, and no other source suffers', async () => {
  const names = Array.from({ length: 10_002 }, (_, i) => `${String(i).padStart(5, '0')}.jpg`);
  const givenUp = await failures.record(
    'full',
    names.map((name) => attempt(name)),
    0,
  );
  expect(givenUp.map(({ name }) => name)).toEqual(['10000.jpg', '10001.jpg']);
  expect(await failures.count('full')).toEqual({ waiting: 10_000, givenUp: 0 });
  expect(await failures.record('other', [attempt('a.jpg')], 0)).toEqual([]);
  const page = await failures.list('full', '00001.jpg', 2);
  expect(page.map(({ name }) => name)).toEqual(['00002.jpg', '00003.jpg']);
});
