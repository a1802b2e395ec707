import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GC_FLAGS } from '../../../workers/inference/inference-process.ts';
import { createIdleCollector } from '../../../workers/inference/task-runner.ts';

const collect = vi.fn();
const MEBIBYTE = 2 ** 20;
/** As a picture of 50 megapixels leaves it. */
const much = () => 230 * MEBIBYTE;

beforeEach(() => {
  vi.useFakeTimers();
  collect.mockClear();
});
afterEach(() => void vi.useRealTimers());

test('garbage is collected once after the last task, not between tasks', async () => {
  const run = createIdleCollector(collect, much);
  expect(await run(async () => 'done')).toBe('done');
  vi.advanceTimersByTime(9000);
  await run(async () => {});
  vi.advanceTimersByTime(9000);
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('nothing is collected while a task runs, also beside one that failed', async () => {
  const run = createIdleCollector(collect, much);
  let end = () => {};
  const long = run(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await expect(run(() => Promise.reject(new Error('not an image')))).rejects.toThrow(
    'not an image',
  );
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
  end();
  await long;
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('what ordinary images leave is kept, with the code that was compiled for them', async () => {
  const run = createIdleCollector(collect, () => 40 * MEBIBYTE);
  await run(async () => {});
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
});

test('a child has a collection to call', () => {
  const type = execFileSync(process.execPath, [...GC_FLAGS, '-p', 'typeof gc'], {
    encoding: 'utf8',
  });
  expect(type.trim()).toBe('function');
});
