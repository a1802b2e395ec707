import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { memoryForTasks, TaskMemory, taskBytes } from '../../../workers/inference/permits.ts';

test('a task waits for memory, and those behind it for their turn', async () => {
  const memory = new TaskMemory(100);
  const granted: string[] = [];
  const take = (name: string, bytes: number) => memory.take(bytes).then(() => granted.push(name));
  await take('a', 70);
  const others = [take('b', 60), take('c', 10)];
  await setImmediate();
  expect(granted).toEqual(['a']);
  memory.give(70);
  await Promise.all(others);
  expect(granted).toEqual(['a', 'b', 'c']);
});

test('a task for which there never is memory is refused, and takes none', async () => {
  const memory = new TaskMemory(300 * 2 ** 20);
  const bytes = taskBytes({ task: 'refinement' }, { width: 8660, height: 5773 });
  await expect(memory.take(bytes)).rejects.toMatchObject({
    type: 'payload-too-large',
    detail: expect.stringContaining('572 MiB of memory, and this worker has 300'),
  });
  await memory.take(300 * 2 ** 20);
});

test('more children leave less memory for their tasks, but always some', () => {
  expect(memoryForTasks(2)).toBeLessThanOrEqual(memoryForTasks(1));
  expect(memoryForTasks(1000)).toBe(256 * 2 ** 20);
});
