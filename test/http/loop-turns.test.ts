import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { takeLoopTurn } from '../../src/http/json-body.ts';

const LARGE = 2 ** 21;

test('large bodies that arrive together are read in turns of their own', async () => {
  const steps: string[] = [];
  let isOver = false;
  const otherWork = (async () => {
    while (!isOver) {
      await setImmediate();
      steps.push('other');
    }
  })();
  const read = async (name: string) => {
    await takeLoopTurn(LARGE);
    steps.push(name);
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(read));
  isOver = true;
  await otherWork;
  const order = steps.join(' ');
  expect(order).toMatch(/a (other )+b (other )+c (other )+d/);
});

test('a small body does not wait', async () => {
  let isRead = false;
  void takeLoopTurn(1000).then(() => {
    isRead = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(isRead).toBe(true);
});
