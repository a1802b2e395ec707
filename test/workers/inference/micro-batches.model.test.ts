import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMicroBatcher } from '../../../workers/inference/session.ts';

const FOREVER_MILLIS = 2 ** 30;

/** Doubles numbers, and records the batches; a run ends when `endRun` is called. */
function createDoubler(options: { maxSize: number; inFlight: number; delayMillis?: number }) {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const runAll = async (inputs: readonly number[]) => {
    runs.push([...inputs]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return inputs.map((input) => 2 * input);
  };
  const { maxSize, inFlight, delayMillis = FOREVER_MILLIS } = options;
  const run = createMicroBatcher(runAll, { maxSize, delayMillis, inFlight: () => inFlight });
  return { run, runs, endRun: () => ends.shift()?.() };
}

test('inputs that arrive together run together, and each gets its own output', async () => {
  const { run, runs, endRun } = createDoubler({ maxSize: 3, inFlight: 9 });
  const all = Promise.all([1, 2, 3].map(run));
  endRun();
  expect(await all).toEqual([2, 4, 6].map((output) => ({ output, batchSize: 3 })));
  expect(runs).toEqual([[1, 2, 3]]);
});

test('a single image does not wait for others', async () => {
  const { run, runs, endRun } = createDoubler({ maxSize: 4, inFlight: 1 });
  const single = run(5);
  expect(runs).toEqual([[5]]);
  endRun();
  expect(await single).toEqual({ output: 10, batchSize: 1 });
});

test('if no others arrive, the wait ends with the delay', async () => {
  const { run, runs, endRun } = createDoubler({ maxSize: 4, inFlight: 4, delayMillis: 5 });
  const two = Promise.all([run(1), run(2)]);
  expect(runs).toEqual([]);
  await expect.poll(() => runs).toEqual([[1, 2]]);
  endRun();
  expect(await two).toMatchObject([{ batchSize: 2 }, { batchSize: 2 }]);
});

test('inputs that arrive during a run follow right after it, in batches of the maximum size', async () => {
  const { run, runs, endRun } = createDoubler({ maxSize: 2, inFlight: 9 });
  const all = Promise.all([1, 2, 3, 4, 5].map(run));
  await setImmediate();
  expect(runs).toEqual([[1, 2]]);
  endRun();
  await setImmediate();
  const expected = [
    [1, 2],
    [3, 4],
  ];
  expect(runs).toEqual(expected);
  endRun();
  await setImmediate();
  endRun();
  expect((await all).map(({ batchSize }) => batchSize)).toEqual([2, 2, 2, 2, 1]);
});

test('a failed run rejects all its inputs, and the next one runs', async () => {
  let fails = true;
  const run = createMicroBatcher(
    async (inputs: readonly number[]) => {
      if (fails) throw new Error('no memory');
      return [...inputs];
    },
    { maxSize: 2, delayMillis: FOREVER_MILLIS, inFlight: () => 2 },
  );
  const first = run(1);
  const second = run(2);
  await expect(first).rejects.toThrow('no memory');
  await expect(second).rejects.toThrow('no memory');
  fails = false;
  expect(await Promise.all([run(3), run(4)])).toMatchObject([{ output: 3 }, { output: 4 }]);
});
