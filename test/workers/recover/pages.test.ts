import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ZodError } from 'zod';
import { createLog } from '../../../src/platform/log.ts';
import { pagesOf } from '../../../src/platform/pages.ts';
import { type Rebuilder, restoreOne } from '../../../workers/recover/rebuild.ts';

test.each([0, 1, 499, 500, 501, 1200])('%i items come in order, in full pages', async (count) => {
  const items = Array.from({ length: count }, (_, i) => i);
  const pages = await Readable.from(pagesOf(Readable.from(items))).toArray();
  expect(pages.flat()).toEqual(items);
  expect(pages.slice(0, -1).every((page) => page.length === 500)).toBe(true);
  expect(pages.every((page) => page.length > 0)).toBe(true);
});

const { signal } = new AbortController();
const restoring = (error: Error) => {
  const log = createLog('test', 'silent');
  const warned: unknown[] = [];
  log.warn = (about: unknown) => void warned.push(about);
  const rebuilder: Rebuilder = {
    name: 'things',
    prefix: 'things/',
    manifestOf: (key) => key,
    recordOf: () => undefined,
    restore: () => Promise.reject(error),
  };
  return { outcome: restoreOne(rebuilder, 'things/1', log, signal), warned };
};

const DAMAGES = [new ZodError([]), new SyntaxError('cut off')];
test.each(DAMAGES)('a damaged manifest (%s) is kept and named', async (error) => {
  const { outcome, warned } = restoring(error);
  expect(await outcome).toBe('unknown');
  expect(warned).toEqual([{ key: 'things/1' }]);
});

test('a failure of Redis or storage ends the walk', async () => {
  const { outcome, warned } = restoring(new Error('connection lost'));
  await expect(outcome).rejects.toThrow('connection lost');
  expect(warned).toEqual([]);
});
