import { expect, test } from 'vitest';
import { createHostSlots } from '../../../workers/fetch/host-slots.ts';

/** Enters and notes it; what entered first stands first in the list. */
function walkers(width: number) {
  const lanes = createHostSlots(width);
  const entered: string[] = [];
  const enter = async (name: string, host = 'shop', signal?: AbortSignal) => {
    const leave = await lanes.enter(host, signal);
    entered.push(name);
    return leave;
  };
  return { enter, entered };
}

test('as many as the lane is wide enter at once', async () => {
  const { enter, entered } = walkers(2);
  await Promise.all([enter('a'), enter('b')]);
  const third = enter('c');
  expect(entered).toEqual(['a', 'b']);
  (await enter('elsewhere', 'other'))();
  expect(entered).toEqual(['a', 'b', 'elsewhere']);
  void third;
});

test('the others follow in the order they came', async () => {
  const { enter, entered } = walkers(1);
  const first = await enter('a');
  const rest = ['b', 'c', 'd'].map((name) => enter(name).then((leave) => leave()));
  first();
  await Promise.all(rest);
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

test('leaving twice frees one place', async () => {
  const { enter, entered } = walkers(1);
  const leave = await enter('a');
  const second = enter('b');
  void enter('c');
  leave();
  leave();
  await second;
  expect(entered).toEqual(['a', 'b']);
});

test('who gives up waiting is passed over', async () => {
  const { enter, entered } = walkers(1);
  const leave = await enter('a');
  const stop = new AbortController();
  const tired = enter('b', 'shop', stop.signal);
  const patient = enter('c');
  stop.abort(new Error('tired'));
  await expect(tired).rejects.toThrow('tired');
  leave();
  await patient;
  expect(entered).toEqual(['a', 'c']);
});

test('who gave up before does not enter at all', async () => {
  const { enter, entered } = walkers(1);
  await expect(enter('a', 'shop', AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  await enter('b');
  expect(entered).toEqual(['b']);
});

test('giving up after entering changes nothing', async () => {
  const { enter, entered } = walkers(1);
  const stop = new AbortController();
  const leave = await enter('a', 'shop', stop.signal);
  stop.abort();
  const next = enter('b');
  leave();
  await next;
  expect(entered).toEqual(['a', 'b']);
});
