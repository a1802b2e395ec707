import { expect, test } from 'vitest';
import { z } from 'zod';
import { getJson } from '../../src/intake/batches/batch-files.ts';
import { NamedSettings, restoreSetting } from '../../src/intake/named-settings.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { useBlobs } from '../support/use-blobs.ts';
import { useRedis } from '../support/use-redis.ts';

const KIND = {
  kind: 'colours',
  schema: z.object({ hex: z.string(), changedAt: z.string() }),
  max: 2,
};

const { redis } = await useRedis();
const blobs = await useBlobs();
const changedAt = '2026-11-26T12:00:00.000Z';
const now = () => Date.parse(changedAt);

/** Returns the copies in object storage. */
async function copies(): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { key } of blobs.list('settings/')) found.push(await getJson(blobs, key));
  return found;
}

test('storage ends with what Redis has, in whatever order copies arrive', async () => {
  let delay = 60;
  /** The first copy takes the longest. */
  const slow = {
    async put(...args: Parameters<Blobs['put']>) {
      delay -= 20;
      await new Promise((resolve) => setTimeout(resolve, delay));
      return blobs.put(...args);
    },
    delete: blobs.delete.bind(blobs),
  };
  const settings = new NamedSettings(redis, slow, KIND, now);
  const first = settings.put('a', 'sky', { hex: '00f' });
  const second = settings.put('a', 'sky', { hex: '0ff' });
  expect(await Promise.all([first, second])).toEqual([
    { isNew: true, stored: { name: 'sky', hex: '00f', changedAt } },
    { isNew: false, stored: { name: 'sky', hex: '0ff', changedAt } },
  ]);
  expect(await copies()).toEqual([{ client: 'a', name: 'sky', value: { hex: '0ff', changedAt } }]);
  await Promise.all([settings.put('a', 'sky', { hex: '0f0' }), settings.remove('a', 'sky')]);
  expect(await settings.get('a', 'sky')).toBeUndefined();
  expect(await copies()).toEqual([]);
});

test('what exceeds the maximum is stored nowhere', async () => {
  const settings = new NamedSettings(redis, blobs, KIND, now);
  for (const name of ['b', 'a']) await settings.put('full', name, { hex: name });
  expect(await settings.put('full', 'c', { hex: 'c' })).toBeUndefined();
  expect(await copies()).toHaveLength(2);
  const expected = [
    { name: 'a', hex: 'a', changedAt },
    { name: 'b', hex: 'b', changedAt },
  ];
  expect(await settings.list('full')).toEqual(expected);
});

test('a copy restores what Redis lacks, and nothing that cannot be read', async () => {
  const copy = { client: 'c', name: 'sky', value: { hex: '00f', changedAt } };
  expect(await restoreSetting(redis, KIND, copy)).toBe(true);
  expect(await restoreSetting(redis, KIND, { ...copy, value: { hex: 'f00', changedAt } })).toBe(
    false,
  );
  const expected = { name: 'sky', hex: '00f', changedAt };
  expect(await new NamedSettings(redis, blobs, KIND, now).get('c', 'sky')).toEqual(expected);
  const later = { hex: 'f00', changedAt: '2026-11-26T12:00:01.000Z' };
  expect(await restoreSetting(redis, KIND, { ...copy, value: later })).toBe(true);
  expect(await restoreSetting(redis, KIND, copy)).toBe(false);
  for (const strange of [
    undefined,
    {},
    { ...copy, value: { hex: 1, changedAt } },
    { ...copy, client: 2 },
  ])
    expect(await restoreSetting(redis, KIND, strange)).toBeUndefined();
});
