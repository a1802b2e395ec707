import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inBatches } from '../../../workers/inference/micro-batches.ts';

const FOR_EVER_MILLIS = 2 ** 30;

/** Doubles numbers, and notes which it was given together; runs end when they are let. */
function doubling(options: { most: number; inHand: number; delayMillis?: number }) {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const runAll = async (inputs: readonly number[]) => {
    runs.push([...inputs]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return inputs.map((input) => 2 * input);
  };
  const { most, inHand, delayMillis = FOR_EVER_MILLIS } = options;
  const run = inBatches(runAll, { most, delayMillis, inHand: () => inHand });
  return { run, runs, letRunEnd: () => ends.shift()?.() };
}

test('inputs that come together run together, and each gets its own output', async () => {
  const { run, runs, letRunEnd } = doubling({ most: 3, inHand: 9 });
  const all = Promise.all([1, 2, 3].map(run));
  letRunEnd();
  expect(await all).toEqual([2, 4, 6].map((output) => ({ output, batchSize: 3 })));
  expect(runs).toEqual([[1, 2, 3]]);
});

test('who is alone does not wait for others', async () => {
  const { run, runs, letRunEnd } = doubling({ most: 4, inHand: 1 });
  const alone = run(5);
  expect(runs).toEqual([[5]]);
  letRunEnd();
  expect(await alone).toEqual({ output: 10, batchSize: 1 });
});

test('when others do not come, the wait ends with the delay', async () => {
  const { run, runs, letRunEnd } = doubling({ most: 4, inHand: 4, delayMillis: 5 });
  const two = Promise.all([run(1), run(2)]);
  expect(runs).toEqual([]);
  await expect.poll(() => runs).toEqual([[1, 2]]);
  letRunEnd();
  expect(await two).toMatchObject([{ batchSize: 2 }, { batchSize: 2 }]);
});

test('runs follow one another: who comes during one runs right after it, no more at once than may', async () => {
  const { run, runs, letRunEnd } = doubling({ most: 2, inHand: 9 });
  const all = Promise.all([1, 2, 3, 4, 5].map(run));
  await setImmediate();
  expect(runs).toEqual([[1, 2]]);
  letRunEnd();
  await setImmediate();
  expect(runs).toEqual([
    [1, 2],
    [3, 4],
  ]);
  letRunEnd();
  await setImmediate();
  letRunEnd();
  expect((await all).map(({ batchSize }) => batchSize)).toEqual([2, 2, 2, 2, 1]);
});

test('a run that fails fails for all in it, and the next one runs', async () => {
  let fails = true;
  const run = inBatches(
    async (inputs: readonly number[]) => {
      if (fails) throw new Error('no memory');
      return [...inputs];
    },
    { most: 2, delayMillis: FOR_EVER_MILLIS, inHand: () => 2 },
  );
  const both = [run(1), run(2)];
  for (const one of both) await expect(one).rejects.toThrow('no memory');
  fails = false;
  expect(await Promise.all([run(3), run(4)])).toMatchObject([{ output: 3 }, { output: 4 }]);
});
