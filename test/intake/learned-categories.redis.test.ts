import { expect, test } from 'vitest';
import { getJson } from '../../src/intake/batches/batch-files.ts';
import {
  LEARNED_CATEGORIES,
  LearnedCategories,
  learnedFrom,
  MAX_PATHS,
} from '../../src/intake/learned-categories.ts';
import { restoreSetting } from '../../src/intake/named-settings.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import { useBlobs } from '../support/use-blobs.ts';
import { useRedis } from '../support/use-redis.ts';

const { redis } = await useRedis();
const blobs = await useBlobs();
const learned = new LearnedCategories(redis, blobs, hostClock);

test('a decision counts once for its row, and the last one holds', async () => {
  for (const row of ['run/1', 'run/2', 'run/3']) await learned.decide('a', 'tops', row, 't_shirt');
  await learned.decide('a', 'tops', 'run/1', 't_shirt');
  const known = { path: 'tops', category: 't_shirt' };
  expect(await learned.find('a', 'tops')).toEqual({ ...known, decisions: 3, agreement: 1 });
  await learned.decide('a', 'tops', 'run/1', 'blouse');
  expect(await learned.find('a', 'tops')).toEqual({ ...known, decisions: 3, agreement: 0.667 });
  await learned.decide('a', 'tops', 'run/1');
  expect(await learned.find('a', 'tops')).toEqual({ ...known, decisions: 2, agreement: 1 });
  expect(await learned.find('b', 'tops')).toBeUndefined();
});

test('decisions of many people at once are all counted', async () => {
  const rows = Array.from({ length: 130 }, (_, row) => `run/${row}`);
  await Promise.all(rows.map((row) => learned.decide('crowd', 'hats', row, 'cap')));
  expect((await learned.find('crowd', 'hats'))?.decisions).toBe(130);
});

test('what nobody stands by any more is not listed', async () => {
  await learned.decide('empty', 'hats', 'run/1', 'cap');
  await learned.decide('empty', 'hats', 'run/1');
  expect(await learned.list('empty')).toEqual([]);
  expect(await learned.find('empty', 'hats')).toBeUndefined();
});

test('is exported, imported by another client, and forgotten, by path or all', async () => {
  await learned.decide('out', 'hats', 'run/1', 'cap');
  await learned.decide('out', 'bags', 'run/2', 'none');
  const exported = await learned.list('out');
  expect(exported.map(({ path }) => path)).toEqual(['bags', 'hats']);
  await learned.decide('in', 'hats', 'run/9', 'beanie');
  await learned.decide('in', 'ties', 'run/9', 'tie');
  await learned.put('in', exported);
  expect((await learned.list('in')).map(learnedFrom)).toMatchObject([
    { path: 'bags', category: 'none' },
    { path: 'hats', category: 'cap', decisions: 1 },
    { path: 'ties', category: 'tie' },
  ]);
  expect([await learned.forget('in', 'bags'), await learned.forget('in', 'bags')]).toEqual([1, 0]);
  expect(await learned.forget('in')).toBe(2);
  expect(await learned.list('in')).toEqual([]);
  expect(await learned.list('out')).toHaveLength(2);
});

test('a Redis that lost it gets it back from object storage', async () => {
  await learned.decide('lost', 'hats', 'run/1', 'cap');
  await redis.del(`${PREFIX}:categories:lost`);
  for await (const { key } of blobs.list('settings/'))
    await restoreSetting(redis, LEARNED_CATEGORIES, await getJson(blobs, key));
  expect(await learned.find('lost', 'hats')).toMatchObject({ category: 'cap', decisions: 1 });
});

/** Stores as many paths as there may be: `p0` was decided about last. */
async function fill(client: string): Promise<void> {
  const before = (seconds: number) => new Date(Date.now() - 1000 * seconds).toISOString();
  const stored = Array.from({ length: MAX_PATHS }, (_, i) => {
    const setting = { path: `p${i}`, decided: [], counts: { cap: 1 }, changedAt: before(i + 1) };
    return [`name-${i}`, JSON.stringify(setting)] as const;
  });
  await redis.hset(`${PREFIX}:categories:${client}`, Object.fromEntries(stored));
}

/** How often Redis was asked for all paths of a client. */
const listings = async (): Promise<number> =>
  Number(/cmdstat_hgetall:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);

test('of too many paths the one that was decided about longest ago goes', async () => {
  await fill('full');
  await learned.decide('full', 'one more', 'run/1', 'cap');
  const paths = (await learned.list('full')).map(({ path }) => path);
  expect(paths).toHaveLength(MAX_PATHS);
  expect(paths).toContain('one more');
  expect(paths).not.toContain(`p${MAX_PATHS - 1}`);
});

test('many paths make themselves room at once: each look at all paths takes the time of others', async () => {
  await fill('import');
  const sent = Array.from({ length: 200 }, (_, i) => ({ path: `new ${i}`, counts: { cap: 1 } }));
  const before = await listings();
  await learned.put('import', sent);
  expect(await listings()).toBe(before + 1);
  const paths = (await learned.list('import')).map(({ path }) => path);
  expect(paths).toHaveLength(MAX_PATHS);
  expect(paths).toEqual(expect.arrayContaining(sent.map(({ path }) => path)));
  expect(paths).not.toContain(`p${MAX_PATHS - 200}`);
  expect(paths).toContain(`p${MAX_PATHS - 201}`);
});
