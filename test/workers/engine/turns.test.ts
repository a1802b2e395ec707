import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../../workers/engine/turns.ts';

/** Who entered so far, in order. */
function line(slots: number) {
  const turns = createTurns(slots);
  const entered: string[] = [];
  const join = (name: string, signal?: AbortSignal) =>
    turns.take(signal).then(() => entered.push(name));
  return { turns, entered, join };
}

test('holders enter in the order they came, so many at once', async () => {
  const { turns, entered, join } = line(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => join(name));
  await setImmediate();
  expect(entered).toEqual(['a', 'b']);
  turns.give();
  turns.give();
  await Promise.all(all);
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

test('who gives up while waiting leaves the line, and the next one enters', async () => {
  const { turns, entered, join } = line(1);
  await join('a');
  const leaving = new AbortController();
  const left = join('b', leaving.signal);
  const next = join('c');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  turns.give();
  await next;
  expect(entered).toEqual(['a', 'c']);
});

test('who gave up before coming takes no turn', async () => {
  const { entered, join } = line(1);
  await expect(join('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  await join('b');
  expect(entered).toEqual(['b']);
});

test('giving up after the turn came changes nothing', async () => {
  const { turns, entered, join } = line(1);
  const late = new AbortController();
  await join('a', late.signal);
  late.abort();
  const next = join('b');
  turns.give();
  await next;
  expect(entered).toEqual(['a', 'b']);
});
