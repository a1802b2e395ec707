import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns, type Turn } from '../../../workers/inference/permits.ts';

/** Who entered so far, in order. */
function line(places: readonly string[]) {
  const turns = createTurns<string>();
  for (const place of places) turns.give(place);
  const entered: string[] = [];
  const join = (name: string, turn?: Turn) => turns.take(turn).then(() => entered.push(name));
  return { turns, entered, join };
}

test('who asks enters in the order they came, so many at once', async () => {
  const { turns, entered, join } = line(['one', 'two']);
  const all = ['a', 'b', 'c', 'd'].map((name) => join(name));
  await setImmediate();
  expect(entered).toEqual(['a', 'b']);
  turns.give('one');
  turns.give('two');
  await Promise.all(all);
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

test('who waits now enters before who waits for later, each in the order they came', async () => {
  const { turns, entered, join } = line([]);
  const all = [
    join('later 1', { priority: 'later' }),
    join('now 1', { priority: 'now' }),
    join('unsaid'),
    join('now 2', { priority: 'now' }),
  ];
  for (const place of ['one', 'two', 'three', 'four']) {
    turns.give(place);
    await setImmediate();
  }
  await Promise.all(all);
  expect(entered).toEqual(['now 1', 'now 2', 'later 1', 'unsaid']);
});

test('who gives up while waiting leaves the line, and the next one enters', async () => {
  const { turns, entered, join } = line(['one']);
  await join('a');
  const leaving = new AbortController();
  const left = join('b', { signal: leaving.signal });
  const next = join('c');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  turns.give('one');
  await next;
  expect(entered).toEqual(['a', 'c']);
});

test('who gave up before coming takes no place', async () => {
  const { entered, join } = line(['one']);
  await expect(join('a', { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  await join('b');
  expect(entered).toEqual(['b']);
});

test('giving up after the turn came changes nothing', async () => {
  const { turns, entered, join } = line(['one']);
  const late = new AbortController();
  await join('a', { signal: late.signal });
  late.abort();
  const next = join('b');
  turns.give('one');
  await next;
  expect(entered).toEqual(['a', 'b']);
});

test('a place that was withdrawn is given to nobody', async () => {
  const { turns } = line(['one', 'two', 'one']);
  turns.withdraw('one');
  expect(await turns.take()).toBe('two');
  const next = turns.take();
  turns.give('three');
  expect(await next).toBe('three');
});

test('closing turns away who waits and who comes', async () => {
  const { turns, join } = line(['one']);
  await join('a');
  const waiting = [join('b', { priority: 'now' }), join('c')];
  turns.close(new Error('closed'));
  for (const turned of [...waiting, join('d')]) await expect(turned).rejects.toThrow('closed');
});
