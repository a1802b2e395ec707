import { describe, expect, test } from 'vitest';
import { ClientTurns } from '../../../src/api/look/client-turns.ts';

const MAX_BYTES = 100;
const task = (client: string, id: number, { weight = 1, bytes = 1 } = {}) => ({
  client,
  id,
  weight,
  bytes,
});
type Task = ReturnType<typeof task>;

const nameOf = ({ client, id }: Task) => `${client}${id}`;

/** Returns a queue with these tasks, and the names of those that gave way. */
function queueOf(tasks: readonly Task[]) {
  const turns = new ClientTurns<Task>(MAX_BYTES);
  const dropped = tasks.flatMap((one) => turns.add(one)).map(nameOf);
  const order: string[] = [];
  for (let next = turns.next(); next; next = turns.next()) order.push(nameOf(next));
  return { dropped, order };
}

describe('turns', () => {
  test('are taken by client, however many tasks one has', () => {
    const many = Array.from({ length: 10 }, (_, id) => task('a', id));
    const { order } = queueOf([...many, task('b', 0), task('c', 0), task('b', 1)]);
    expect(order.slice(0, 6)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
    expect(order).toHaveLength(13);
  });

  test('are as many as the weight in each round', () => {
    const heavy = Array.from({ length: 4 }, (_, id) => task('a', id, { weight: 3 }));
    const { order } = queueOf([...heavy, task('b', 0), task('b', 1)]);
    expect(order).toEqual(['a0', 'a1', 'a2', 'b0', 'a3', 'b1']);
  });

  test('of a removed task go to the next', () => {
    const turns = new ClientTurns<Task>(MAX_BYTES);
    const [first, second] = [task('a', 0), task('a', 1)];
    turns.add(first);
    turns.add(second);
    turns.remove(first);
    expect([turns.size(), turns.next(), turns.next()]).toEqual([1, second, undefined]);
  });
});

describe('a full queue', () => {
  test('drops the newest task of the client that holds most', () => {
    const { dropped, order } = queueOf([
      task('a', 0, { bytes: 50 }),
      task('a', 1, { bytes: 40 }),
      task('b', 0, { bytes: 20 }),
    ]);
    expect(dropped).toEqual(['a1']);
    expect(order).toEqual(['a0', 'b0']);
  });

  test('drops the new task of a client that holds most', () => {
    expect(queueOf([0, 1, 2].map((id) => task('a', id, { bytes: 40 }))).dropped).toEqual(['a2']);
  });
});
